import { useQueryClient } from '@tanstack/react-query'
import { account } from '#messages/identity/account.ts'
import { type NotConfirmed, notConfirmed } from '../../app/step-up/step-up.ts'
import { useAction } from '../../app/use-action.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { sentenceOf } from './errors.ts'

/** A change to the account's protection, which is read anew afterwards. A toast says what `work` returns. */
export function useSecurityAction() {
  const toast = useToast()
  const queryClient = useQueryClient()
  const action = useAction({
    sentenceOf: (error) => sentenceOf(error, account.failed),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['security'] }),
  })
  const run = (work: () => Promise<string | undefined | NotConfirmed>) =>
    action.run(async () => {
      const said = await work()
      if (said === notConfirmed) toast(account.notConfirmed, 'info')
      else if (said) toast(said)
    })
  return { ...action, run }
}
