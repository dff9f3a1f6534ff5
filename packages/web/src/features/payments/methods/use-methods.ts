import { useQueryClient } from '@tanstack/react-query'
import { chooseBankAccount, chooseCard, removeBankAccount, removeCard } from '@tern/contract/banking'
import { methods as texts } from '#messages/methods.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { callApi } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'
import { useToast } from '../../../ui/feedback/Toast.tsx'

export interface Method {
  readonly kind: 'card' | 'account'
  readonly id: string
  readonly name: string
}

/** Actions on saved cards and bank accounts; one runs at a time. */
export function useMethods(userId: number, onRemoved: () => void) {
  const toast = useToast()
  const queryClient = useQueryClient()
  const { run, isBusy, error } = useAction({
    failed: (cause) => (cause instanceof Error && cause.message ? cause.message : texts.failed),
  })
  const change = (call: () => Promise<unknown>, successText: string, onSettled?: () => void) =>
    run(async () => {
      try {
        await call()
        toast(successText)
      } finally {
        await queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(userId).queryKey })
        onSettled?.()
      }
    })
  const card = (id: string) => ({ params: { id } })
  const account = (id: string) => ({ params: { userId: String(userId), id } })
  return {
    isBusy,
    error,
    choose: ({ kind, id, name }: Method) =>
      change(
        () => (kind === 'card' ? callApi(chooseCard, card(id)) : callApi(chooseBankAccount, account(id))),
        texts.madeDefault(name),
      ),
    remove: ({ kind, id, name }: Method) =>
      change(
        () => (kind === 'card' ? callApi(removeCard, card(id)) : callApi(removeBankAccount, account(id))),
        texts.removed(name),
        onRemoved,
      ),
  }
}
