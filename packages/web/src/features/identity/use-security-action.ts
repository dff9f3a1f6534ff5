import { useQueryClient } from '@tanstack/react-query'
import type { CallInput, Endpoint, ExactInput, Reply } from '@tern/contract/protocol/endpoint'
import { account } from '#messages/identity/account.ts'
import { callWithStepUp, notConfirmed } from '../../app/step-up/step-up.ts'
import { useAction } from '../../app/use-action.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { describeError } from './errors.ts'

/** Changes a security setting and refetches the overview afterwards. */
export function useSecurityAction() {
  const toast = useToast()
  const queryClient = useQueryClient()
  const action = useAction({
    failed: (error) => describeError(error, account.failed),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['security'] }),
  })
  return {
    ...action,
    /** Makes a call that requires step-up. A toast shows the text returned by `onDone`. */
    confirmAndRun: <E extends Endpoint & { readonly stepUp: 'accepted' }, I extends CallInput<E>>(
      endpoint: E,
      input: I & ExactInput<E, I>,
      onDone: (reply: Reply<E>) => string | void | Promise<string>,
    ) =>
      action.run(async () => {
        const reply = await callWithStepUp(endpoint, input)
        if (reply === notConfirmed) return toast(account.notConfirmed, 'info')
        const message = await onDone(reply)
        if (message) toast(message)
      }),
  }
}
