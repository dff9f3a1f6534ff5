import { Refused } from '@tern/contract/protocol/client'
import { freezeByLink } from '@tern/contract/sign-in'
import { useState } from 'react'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { useAttempt } from '../use-attempt.ts'
import { useLinkSecret } from './link-secret.ts'

/** Freezes the account from a mailed notice of an unrecognized payment, without signing in. */
export function FreezeAccount() {
  const [token, setToken] = useState<string | null>()
  const [state, setState] = useState<'asking' | 'spent' | 'frozen'>('asking')
  const attempt = useAttempt<object, 'freeze'>({})
  useLinkSecret((carried) => {
    setToken(carried.get('token'))
    setState('asking')
  })

  const freeze = () =>
    void attempt.run('freeze', signInLinks.freezeFailed, async () => {
      try {
        await callAsVisitor(freezeByLink, { body: { token: token ?? '' } })
        setState('frozen')
      } catch (error) {
        if (error instanceof Refused && error.code === 'link_invalid') setState('spent')
        throw error
      }
    })

  if (state === 'frozen') {
    return (
      <AuthFrame title={signInLinks.isFrozen} lead={signInLinks.isFrozenText} leadsWithTitle>
        <LinkButton look="primary" big wide to={paths.resetPassword}>
          {signInLinks.choosePassword}
        </LinkButton>
      </AuthFrame>
    )
  }
  const isSpent = state === 'spent'
  const isUseless = token === null || isSpent
  const whyUseless = isSpent ? signInLinks.freezeInstead : signInLinks.linkIncomplete
  const failure = isUseless ? whyUseless : attempt.error
  return (
    <AuthFrame
      title={isUseless ? signInLinks.linkUseless : titles.freezeAccount}
      lead={isUseless ? undefined : signInLinks.freezeLead}
      foot={
        !isUseless && (
          <LinkButton look="ghost" className="-ms-3 justify-self-start" to={paths.dashboard}>
            {signInLinks.wasMe}
          </LinkButton>
        )
      }
    >
      {!isUseless && (
        <ul className="grid list-disc gap-2.5 ps-6 marker:text-sea">
          {signInLinks.freezePoints.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      )}
      {failure && <Note tone="error">{failure}</Note>}
      {isUseless ? (
        <LinkButton look="primary" big wide to={paths.settings}>
          {titles.settings}
        </LinkButton>
      ) : (
        <Button look="primary" big wide {...attempt.button('freeze')} onClick={freeze}>
          {signInLinks.freeze}
        </Button>
      )}
    </AuthFrame>
  )
}
