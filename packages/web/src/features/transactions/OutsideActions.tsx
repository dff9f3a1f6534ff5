import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/client'
import { cancelPayment } from '@tern/contract/payments'
import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'
import { refreshMoney } from '../../live.ts'
import { isWebAddress } from '../../provider-page.ts'
import { callApi, useUser } from '../../session.ts'
import { Button } from '../../ui/Button.tsx'
import { Note } from '../../ui/Note.tsx'
import { useToast } from '../../ui/Toast.tsx'
import { type Outside, outsideQuery } from './outside.ts'

/** What is still open about a payment from outside: going on with it, or giving it up as long as it has not been made. */
export function OutsideActions({ transaction, outside }: { transaction: Transaction; outside: Outside }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const userId = useUser()?.id
  const id = transaction.payment_id
  const cancel = useMutation({
    mutationFn: async () => {
      if (id !== null) await callApi(cancelPayment, { params: { id } })
    },
    onSuccess: () => toast(texts.paymentCanceled),
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: outsideQuery(transaction).queryKey })
      if (userId !== undefined) await refreshMoney(queryClient, userId)
    },
  })
  if (outside.kind !== 'payment' || outside.status !== 'pending' || transaction.status !== 'PENDING') return null
  const { redirectUrl, method } = outside
  return (
    <div className="mb-6 grid gap-4">
      {cancel.isError ? (
        <Note tone="error">{cancel.error instanceof Refused ? cancel.error.message : texts.cancelFailed}</Note>
      ) : (
        <Note>{method === 'bank' ? texts.waitsForBank : texts.waitsForCard}</Note>
      )}
      <div className="row flex-wrap max-md:[&>*]:flex-1">
        {isWebAddress(redirectUrl) && (
          <a className="button button-primary" href={redirectUrl}>
            {texts.goOnPaying}
          </a>
        )}
        <Button processing={cancel.isPending} onClick={() => cancel.mutate()}>
          {texts.cancelPayment}
        </Button>
      </div>
    </div>
  )
}
