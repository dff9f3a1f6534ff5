import { useQueryClient } from '@tanstack/react-query'
import { chooseBankAccount, chooseCard, removeBankAccount, removeCard } from '@tern/contract/banking'
import { useState } from 'react'
import { methods as texts } from '#messages/methods.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { callApi } from '../../../app/session/session.ts'
import { useToast } from '../../../ui/feedback/Toast.tsx'

/** A saved card or a bank account. */
export interface Method {
  readonly kind: 'card' | 'account'
  readonly id: string
  readonly name: string
}

/** What can be done with saved cards and bank accounts, one thing at a time. `error` is why the last one failed. */
export function useMethods(userId: number, onRemoved: () => void) {
  const toast = useToast()
  const queryClient = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function run(work: () => Promise<unknown>, said: string, onDone?: () => void): Promise<void> {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    try {
      await work()
      toast(said)
    } catch (error) {
      setError(error instanceof Error && error.message ? error.message : texts.failed)
    }
    await queryClient.invalidateQueries({ queryKey: paymentMethodsQuery(userId).queryKey })
    setIsBusy(false)
    onDone?.()
  }

  const ofUser = (id: string) => ({ params: { userId: String(userId), id } })
  return {
    isBusy,
    error,
    choose({ kind, id, name }: Method) {
      const call = () =>
        kind === 'card' ? callApi(chooseCard, { params: { id } }) : callApi(chooseBankAccount, ofUser(id))
      void run(call, texts.madeDefault(name))
    },
    remove({ kind, id, name }: Method) {
      const call = () =>
        kind === 'card' ? callApi(removeCard, { params: { id } }) : callApi(removeBankAccount, ofUser(id))
      void run(call, texts.removed(name), onRemoved)
    },
  }
}
