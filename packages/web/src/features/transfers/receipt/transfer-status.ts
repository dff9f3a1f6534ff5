import { cancelPayment } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import { transferStatus } from '@tern/contract/transfers'
import { useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import { isOutcomeUnknown } from '../../../app/orders/orders.ts'
import { useStatus } from '../../../app/use-status.ts'
import { callApi } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'
import { savedRecipient, type SavedTransfer } from '../pending-transfer.ts'

export type TransferStatus =
  | { readonly status: 'done'; readonly transaction: Transaction }
  /** `payUrl`: page on which the payment can be continued. */
  | { readonly status: 'waiting'; readonly transaction: Transaction; readonly payUrl: string | null }
  /** Nothing was charged. `reason` is the provider's message to the payer. */
  | { readonly status: 'unpaid'; readonly reason: string | null }
  /** The payment was made, but not the transfer. */
  | { readonly status: 'paid_only'; readonly detail: string; readonly reference: string }
  /** The payment was made, but not the transfer; the money is in the sender's wallet and can be sent again. */
  | { readonly status: 'kept'; readonly detail: string; readonly transaction: Transaction }
  /** The transfer was made, and its payment was reversed later. */
  | { readonly status: 'taken_back' }
  | { readonly status: 'refused'; readonly detail: string }
  | { readonly status: 'unreachable' }

/** Transfer to query. */
export interface Subject {
  readonly userId: number
  /** The transfer as stored on this device. */
  readonly saved: SavedTransfer | undefined
  readonly paymentId: string | undefined
  /** Claim of the return address: paid or canceled; `left` if the user returned without a claim. */
  readonly claim: 'paid' | 'canceled' | 'left'
}

const isOpen = ({ status }: TransferStatus) => status === 'waiting' || status === 'unreachable'

/** Loads the status of the transfer. Moves no money. */
export async function readTransferStatus(subject: Subject, signal?: AbortSignal): Promise<TransferStatus> {
  const { saved, paymentId, claim } = subject
  const isClaimed = saved !== undefined && claim === 'paid'
  if (!paymentId) return { status: 'refused', detail: transfers.noPayment }
  try {
    const found = await callApi(transferStatus, { params: { id: paymentId } }, signal)
    const { kind, state, captured, reason, transaction } = found
    if (state === 'failed' && !captured) return { status: 'unpaid', reason }
    if (found.reversed) return { status: 'taken_back' }
    if (kind !== 'funded_send') return { status: 'refused', detail: transfers.noPayment }
    // Money of a failed transfer is credited to the payer's wallet as a transaction of another type.
    if (state === 'failed' && reason !== null && transaction.transaction_type === 'SEND') {
      return { status: 'kept', detail: reason, transaction }
    }
    if (state === 'failed') return buildPaidOnly(paymentId, reason ?? transfers.paymentFailed)
    if (isClaimed && !matchesSaved(transaction, saved)) {
      return captured
        ? buildPaidOnly(paymentId, transfers.noPayment)
        : { status: 'refused', detail: transfers.noPayment }
    }
    if (state !== 'awaiting_funding') return { status: 'done', transaction }
    // A payer whose return address claims a payment is not asked to pay again.
    return { status: 'waiting', transaction, payUrl: isClaimed ? null : found.redirectUrl }
  } catch (error) {
    const isServerFault = error instanceof Refused && error.code === 'internal'
    if (isOutcomeUnknown(error) && !isServerFault) return { status: 'unreachable' }
    if (!isClaimed) return { status: 'unpaid', reason: null }
    const isMissing = error instanceof Refused && error.code === 'not_found'
    return { status: 'refused', detail: isMissing ? transfers.noPayment : describeError(error) }
  }
}

const describeError = (error: unknown): string => (error instanceof Error && error.message) || transfers.networkError

const buildPaidOnly = (reference: string, detail: string): TransferStatus => ({
  status: 'paid_only',
  detail,
  reference,
})

/** Checks that the transaction matches the transfer stored on this device, which can be tampered with. */
function matchesSaved({ counterparty, source_amount, source_currency }: Transaction, saved: SavedTransfer): boolean {
  const { quote } = saved.priced ?? {}
  const isSame = !quote || (quote.source_amount === source_amount && quote.source_currency === source_currency)
  return isSame && counterparty?.id === savedRecipient(saved)?.id
}

/** Cancels a waiting payment. Returns false if the provider already processes it, so that its page is not offered. */
async function cancelPending(subject: Subject): Promise<boolean> {
  const before = await readTransferStatus(subject)
  if (before.status !== 'waiting' || !subject.paymentId) return true
  try {
    await callApi(cancelPayment, { params: { id: subject.paymentId } })
    return true
  } catch (error) {
    return !(error instanceof Refused && error.code === 'not_cancelable')
  }
}

/** Cancels the payment, which releases the wallet's share at once, and returns the status afterwards. */
export async function cancelAndRead(subject: Subject): Promise<TransferStatus> {
  const isCancelable = await cancelPending(subject)
  const status = await readTransferStatus(subject)
  return status.status === 'waiting' && !isCancelable ? { ...status, payUrl: null } : status
}

/** Polls the status of an externally paid transfer. A payment canceled at the provider is canceled here first. */
export function useTransferStatus(subject: Subject) {
  const [isWithProvider, setIsWithProvider] = useState(false)
  const { found, ...query } = useStatus<TransferStatus>({
    key: ['transfer', subject.userId, subject.paymentId, subject.claim],
    isOpen,
    async fetchStatus(signal, isFirst) {
      if (subject.claim !== 'canceled' || !isFirst) return readTransferStatus(subject, signal)
      const answer = await cancelAndRead(subject)
      setIsWithProvider(answer.status === 'waiting' && answer.payUrl === null)
      return answer
    },
  })
  const cancel = useAction({ failed: describeError, onSettled: query.refetchNow })
  return {
    ...query,
    transferStatus: found?.status === 'waiting' && isWithProvider ? { ...found, payUrl: null } : found,
    isCanceling: cancel.isBusy,
    cancel: () => cancel.run(async () => setIsWithProvider(!(await cancelPending(subject)))),
  }
}
