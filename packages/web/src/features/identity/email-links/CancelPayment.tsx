import { Refused } from '@tern/contract/protocol/client'
import { cancelByLink } from '@tern/contract/transfers/street-mode'
import { titles } from '#messages/shell.ts'
import { street as texts } from '#messages/transfers/street.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { useAttempt } from '../use-attempt.ts'
import { ActionDone, MailedAction, UselessLink, useMailedSecret } from './MailedAction.tsx'

/** Cancels a payment held by street mode from a mailed link, without signing in. */
export function CancelPayment() {
  const { secret, state, setState, isInvalid } = useMailedSecret('code')
  const attempt = useAttempt<object, 'cancel'>({})

  const cancel = () =>
    void attempt.run('cancel', texts.cancelFailed, async () => {
      try {
        await callAsVisitor(cancelByLink, { body: { code: secret } })
        setState('done')
      } catch (error) {
        if (error instanceof Refused && error.code !== 'rate_limited') setState('useless')
        throw error
      }
    })

  if (state === 'done') return <ActionDone title={texts.isCancelled} lead={texts.isCancelledText} />
  const failure = attempt.error
  if (isInvalid)
    return <UselessLink lead={texts.cancelUseless} failure={failure} to={paths.transactions} label={texts.toActivity} />
  return (
    <MailedAction
      title={titles.cancelPayment}
      lead={texts.cancelLead}
      failure={failure}
      button={attempt.button('cancel')}
      label={texts.cancel}
      onConfirm={cancel}
      wasMe={texts.wasMe}
    />
  )
}
