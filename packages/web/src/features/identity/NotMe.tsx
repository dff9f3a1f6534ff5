import { disownSignIn } from '@tern/contract/sign-in'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { signInLinks } from '#messages/sign-in-links.ts'
import { paths } from '../../paths.ts'
import { callAsVisitor } from '../../session.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Note } from '../../ui/Note.tsx'
import { AuthFrame } from './AuthFrame.tsx'
import { useLinkSecret } from './link-secret.ts'
import { useAttempt } from './use-attempt.ts'

/** Somebody who was told of a sign-in says that it was not them: every session ends, and they choose a new password. */
export function NotMe() {
  const [token, setToken] = useState<string | null>()
  const attempt = useAttempt<never, 'disown'>([])
  const navigate = useNavigate()
  useLinkSecret((carried) => setToken(carried.get('token')))

  const disown = () =>
    void attempt.run('disown', signInLinks.disownFailed, async () => {
      const { reset_token: resetToken } = await callAsVisitor(disownSignIn, { body: { token: token ?? '' } })
      await navigate({ pathname: paths.resetPassword, hash: `#token=${resetToken}` }, { replace: true })
    })

  const isMissing = token === null
  const failure = attempt.faults.form ?? (isMissing ? signInLinks.linkIncomplete : undefined)
  return (
    <AuthFrame
      title={signInLinks.notMeTitle}
      lead={signInLinks.notMeLead}
      foot={
        <LinkButton look="ghost" className="auth-back" to={paths.dashboard}>
          {signInLinks.wasMe}
        </LinkButton>
      }
    >
      <ol className="auth-points">
        {signInLinks.notMePoints.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ol>
      {failure && <Note tone="error">{failure}</Note>}
      {isMissing || attempt.failures > 0 ? (
        <LinkButton look="primary" big wide to={paths.resetPassword}>
          {signInLinks.resetTitle}
        </LinkButton>
      ) : (
        <Button look="primary" big wide {...attempt.button('disown')} onClick={disown}>
          {signInLinks.notMe}
        </Button>
      )}
    </AuthFrame>
  )
}
