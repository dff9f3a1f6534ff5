import { cancelPayment } from '@tern/contract/payments'
import type { Transaction } from '@tern/contract/transactions'
import { transactions as texts } from '#messages/transactions.ts'
import { moneyKeys } from '../../../app/session/live.ts'
import { isWebAddress } from '../../../app/provider-page.ts'
import { callApi, useUser } from '../../../app/session/session.ts'
import { useApiMutation } from '../../../app/use-api-mutation.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { type ExternalOrder, externalOrderQuery } from './external-order.ts'

/** Cancels the external payment of a transaction while it has not been made. */
export function useCancelPayment(transaction: Transaction) {
  const toast = useToast()
  const userId = useUser()?.id
  const id = transaction.payment_id
  const action = useApiMutation({
    failed: texts.cancelFailed,
    refetches: [externalOrderQuery(transaction).queryKey, ...moneyKeys(userId)],
  })
  const cancel = () =>
    action.run(async () => {
      if (id !== null) await callApi(cancelPayment, { params: { id } })
      toast(texts.paymentCanceled)
    })
  return { ...action, cancel }
}

interface ExternalOrderProps {
  transaction: Transaction
  externalOrder: ExternalOrder
  cancel: ReturnType<typeof useCancelPayment>
}

const isOpen = (
  transaction: Transaction,
  externalOrder: ExternalOrder,
): externalOrder is ExternalOrder & { kind: 'payment' } =>
  externalOrder.kind === 'payment' && externalOrder.status === 'pending' && transaction.status === 'PENDING'

/** Note on an external payment that waits, was reversed or was returned; the error of a failed cancellation first. */
export function ExternalOrderNote({ transaction, externalOrder, cancel }: ExternalOrderProps) {
  const note = describeNote(transaction, externalOrder)
  if (cancel.error) return <Note tone="error">{cancel.error}</Note>
  return note && <Note tone={isOpen(transaction, externalOrder) ? 'info' : 'warning'}>{note}</Note>
}

function describeNote(transaction: Transaction, externalOrder: ExternalOrder): string | undefined {
  if (isOpen(transaction, externalOrder))
    return externalOrder.method === 'bank' ? texts.waitsForBank : texts.waitsForCard
  if (externalOrder.transaction_id !== transaction.id) return undefined
  if (externalOrder.status === 'reversed') return texts.reversed
  return externalOrder.status === 'returned' ? texts.returned : undefined
}

/** Continues or cancels an external payment that has not been made. */
export function ExternalOrderActions({ transaction, externalOrder, cancel }: ExternalOrderProps) {
  if (!isOpen(transaction, externalOrder)) return null
  const { redirectUrl } = externalOrder
  return (
    <>
      {isWebAddress(redirectUrl) && (
        <a className="button button-primary" href={redirectUrl}>
          {texts.goOnPaying}
        </a>
      )}
      <Button processing={cancel.isBusy} onClick={cancel.cancel}>
        {texts.cancelPayment}
      </Button>
    </>
  )
}
