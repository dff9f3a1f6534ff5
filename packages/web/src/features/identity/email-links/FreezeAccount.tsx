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
  useLinkSecret((query) => {
    setToken(query.get('token'))
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
      <AuthFrame title={signInLinks.isFrozen} lead={signInLinks.isFrozenText} showsTitleFirst>
        <LinkButton look="primary" big wide to={paths.resetPassword}>
          {signInLinks.choosePassword}
        </LinkButton>
      </AuthFrame>
    )
  }
  const isUsed = state === 'spent'
  const isInvalid = token === null || isUsed
  const invalidReason = isUsed ? signInLinks.freezeInstead : signInLinks.linkIncomplete
  const failure = isInvalid ? invalidReason : attempt.error
  return (
    <AuthFrame
      title={isInvalid ? signInLinks.linkUseless : titles.freezeAccount}
      lead={isInvalid ? undefined : signInLinks.freezeLead}
      footer={
        !isInvalid && (
          <LinkButton look="ghost" className="-ms-3 justify-self-start" to={paths.dashboard}>
            {signInLinks.wasMe}
          </LinkButton>
        )
      }
    >
      {!isInvalid && (
        <ul className="grid list-disc gap-2.5 ps-6 marker:text-sea">
          {signInLinks.freezePoints.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      )}
      {failure && <Note tone="error">{failure}</Note>}
      {isInvalid ? (
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
