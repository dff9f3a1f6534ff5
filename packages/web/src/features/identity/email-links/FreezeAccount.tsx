import { Refused } from '@tern/contract/protocol/client'
import { freezeByLink } from '@tern/contract/sign-in'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { useAttempt } from '../use-attempt.ts'
import { ActionDone, MailedAction, UselessLink, useMailedSecret } from './MailedAction.tsx'

/** Freezes the account from a mailed notice of an unrecognized payment, without signing in. */
export function FreezeAccount() {
  const { secret, state, setState, isInvalid } = useMailedSecret('token')
  const attempt = useAttempt<object, 'freeze'>({})

  const freeze = () =>
    void attempt.run('freeze', signInLinks.freezeFailed, async () => {
      try {
        await callAsVisitor(freezeByLink, { body: { token: secret } })
        setState('done')
      } catch (error) {
        if (error instanceof Refused && error.code === 'link_invalid') setState('useless')
        throw error
      }
    })

  if (state === 'done') return <ActionDone title={signInLinks.isFrozen} lead={signInLinks.isFrozenText} />
  if (isInvalid) {
    const reason = state === 'useless' ? signInLinks.freezeInstead : signInLinks.linkIncomplete
    return <UselessLink failure={reason} to={paths.settings} label={titles.settings} />
  }
  return (
    <MailedAction
      title={titles.freezeAccount}
      lead={signInLinks.freezeLead}
      failure={attempt.error}
      button={attempt.button('freeze')}
      label={signInLinks.freeze}
      onConfirm={freeze}
    >
      <ul className="grid list-disc gap-2.5 ps-6 marker:text-sea">
        {signInLinks.freezePoints.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </MailedAction>
  )
}
