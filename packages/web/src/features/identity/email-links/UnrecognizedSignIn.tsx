import { Refused } from '@tern/contract/protocol/client'
import { reportUnrecognizedSignIn } from '@tern/contract/sign-in'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { useLinkSecret } from './link-secret.ts'
import { useAttempt } from '../use-attempt.ts'

/** Reports an unrecognized sign-in from a mailed link: ends every session and asks for a new password. */
export function UnrecognizedSignIn() {
  const [token, setToken] = useState<string | null>()
  const [isUsed, setIsUsed] = useState(false)
  const attempt = useAttempt<object, 'report'>({})
  const navigate = useNavigate()
  useLinkSecret((query) => {
    setToken(query.get('token'))
    setIsUsed(false)
  })

  const report = () =>
    void attempt.run('report', signInLinks.disownFailed, async () => {
      try {
        const reply = await callAsVisitor(reportUnrecognizedSignIn, { body: { token: token ?? '' } })
        await navigate({ pathname: paths.resetPassword, hash: `#token=${reply.reset_token}` }, { replace: true })
      } catch (error) {
        if (error instanceof Refused && error.code === 'link_invalid') setIsUsed(true)
        throw error
      }
    })

  const isInvalid = token === null || isUsed
  const failure = attempt.error ?? (isInvalid ? signInLinks.linkIncomplete : undefined)
  return (
    <AuthFrame
      title={isInvalid ? signInLinks.linkUseless : titles.unrecognizedSignIn}
      lead={isInvalid ? signInLinks.notMeInstead : signInLinks.notMeLead}
      footer={
        !isInvalid && (
          <LinkButton look="ghost" className="-ms-3 justify-self-start" to={paths.dashboard}>
            {signInLinks.wasMe}
          </LinkButton>
        )
      }
    >
      {!isInvalid && (
        <ol className="grid list-decimal gap-2.5 ps-6 marker:text-sea">
          {signInLinks.notMePoints.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ol>
      )}
      {failure && <Note tone="error">{failure}</Note>}
      {isInvalid ? (
        <LinkButton look="primary" big wide to={paths.resetPassword}>
          {titles.resetPassword}
        </LinkButton>
      ) : (
        <Button look="primary" big wide {...attempt.button('report')} onClick={report}>
          {signInLinks.unrecognizedSignIn}
        </Button>
      )}
    </AuthFrame>
  )
}
