import { Refused } from '@tern/contract/protocol/client'
import type { PublicUser } from '@tern/contract/identity'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { cancelPayment, paymentStatus } from '@tern/contract/payments'
import type { Transaction } from '@tern/contract/transactions'
import { transactionsOfUser } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { transfers } from '#messages/transfers.ts'
import { isOutcomeUnknown } from '../../../app/orders/orders.ts'
import { callApi } from '../../../app/session/session.ts'
import type { SavedTransfer } from './pending-transfer.ts'

/** How a transfer stands that a payment from outside is for, by the server's word. */
export type TransferStatus =
  | { readonly status: 'done'; readonly transaction: Transaction }
  /** `payUrl`: where paying can be gone on with, as far as it is known; null when there is nothing to be done any more. */
  | { readonly status: 'waiting'; readonly transaction?: Transaction | undefined; readonly payUrl?: string | null }
  /** The payment was not made: nothing was charged. `reason` is the provider's, for the payer. */
  | { readonly status: 'unpaid'; readonly reason: string | null }
  /** The payment was made and the transfer was not. */
  | { readonly status: 'paid only'; readonly detail: string; readonly reference: string }
  /** The transfer was made, and its payment has been taken back since. */
  | { readonly status: 'taken back' }
  | { readonly status: 'refused'; readonly detail: string }
  /** No answer; nothing is known. */
  | { readonly status: 'unreachable' }

/** What is asked about: a payment, and what is known of the transfer it is for. */
export interface Subject {
  readonly userId: number
  readonly saved: SavedTransfer | undefined
  readonly recipient: PublicUser | undefined
  readonly paymentId: string | undefined
}

const isSilent = (error: unknown): boolean =>
  isOutcomeUnknown(error) && !(error instanceof Refused && error.code === 'internal')

const detailOf = (error: unknown): string => (error instanceof Error && error.message) || transfers.networkError

const bodyOf = (saved: SavedTransfer, recipient: PublicUser, paymentId: string | undefined) => ({
  recipient_id: recipient.id,
  amount: saved.priced?.quote.source_amount ?? saved.formData.amount,
  source_currency: saved.priced?.quote.source_currency ?? saved.formData.source ?? ('USD' as const),
  ...(saved.priced
    ? { target_currency: saved.priced.quote.target_currency, quote_id: saved.priced.quote.quote_id }
    : {}),
  use_stablecoin: true,
  payment_source: saved.paymentSource,
  skip_sender_deduction: true,
  transaction_type: saved.paymentSource === 'bank' ? 'BANK_PAYMENT' : 'CARD_PAYMENT',
  description: saved.formData.description,
  ...(paymentId ? { payment_id: paymentId } : {}),
})

type Payment = Reply<typeof paymentStatus>

const statusOf = (id: string, signal?: AbortSignal) => callApi(paymentStatus, { params: { id } }, signal)

/** Asks the server to complete a transfer whose payment was made. Asking moves nothing, so it may be asked any number of times. */
export async function completeTransfer(
  saved: SavedTransfer,
  recipient: PublicUser,
  paymentId: string | undefined,
): Promise<TransferStatus> {
  try {
    const { status, transaction } = await callApi(sendMoney, {
      body: bodyOf(saved, recipient, paymentId),
      // A question of its own each time: the same key would only bring the first answer again.
      idempotencyKey: crypto.randomUUID(),
    })
    if (status === 'COMPLETED') return { status: 'done', transaction }
    return status === 'PENDING' ? { status: 'waiting', transaction } : await whyNotMade(paymentId, null)
  } catch (error) {
    if (isSilent(error)) return { status: 'unreachable' }
    const detail = detailOf(error)
    if (error instanceof Refused && error.code === 'payment_failed') return whyNotMade(paymentId, detail)
    return whatWasPaid(paymentId, detail)
  }
}

/** Whether a payment that failed took no money, or took it too late. `reason` is what is known of it already. */
async function whyNotMade(paymentId: string | undefined, reason: string | null): Promise<TransferStatus> {
  if (!paymentId) return { status: 'unpaid', reason }
  try {
    return failedStatus(paymentId, await statusOf(paymentId))
  } catch (error) {
    return isSilent(error) ? { status: 'unreachable' } : { status: 'unpaid', reason }
  }
}

const failedStatus = (reference: string, { captured, reason }: Payment): TransferStatus =>
  captured
    ? { status: 'paid only', detail: reason ?? transfers.paymentFailed, reference }
    : { status: 'unpaid', reason }

/** Whether money was taken for a transfer that the server does not complete. */
async function whatWasPaid(paymentId: string | undefined, detail: string): Promise<TransferStatus> {
  if (!paymentId) return { status: 'refused', detail }
  try {
    const { captured } = await statusOf(paymentId)
    return captured ? { status: 'paid only', detail, reference: paymentId } : { status: 'refused', detail }
  } catch (error) {
    return isSilent(error) ? { status: 'unreachable' } : { status: 'refused', detail }
  }
}

/** Finds out from the payment alone how things stand, and completes the transfer where it is known what it was. */
export async function askPayment({ userId, saved, recipient, paymentId }: Subject): Promise<TransferStatus> {
  if (!paymentId) return { status: 'unpaid', reason: null }
  try {
    const payment = await statusOf(paymentId)
    const { status, redirectUrl, transaction_id: id } = payment
    if (payment.purpose !== 'send') return { status: 'unpaid', reason: payment.reason }
    if (status === 'failed') return failedStatus(paymentId, payment)
    if (status === 'reversed') return { status: 'taken back' }
    if (status === 'pending') return { status: 'waiting', payUrl: redirectUrl }
    if (saved && recipient) return await completeTransfer(saved, recipient, paymentId)
    const transaction = id === null ? undefined : await transactionOf(userId, id)
    return transaction ? { status: 'done', transaction } : { status: 'waiting' }
  } catch (error) {
    return isSilent(error) ? { status: 'unreachable' } : { status: 'unpaid', reason: null }
  }
}

async function transactionOf(userId: number, id: string): Promise<Transaction | undefined> {
  const query = { search: id, limit: '1' }
  const { transactions } = await callApi(transactionsOfUser, { params: { userId: String(userId) }, query })
  return transactions.find((transaction) => transaction.id === id)
}

/** Gives the payment up, so that what the wallet holds for it is free at once, and says how things stand then. */
export async function giveUpPayment(subject: Subject): Promise<TransferStatus> {
  const before = await askPayment(subject)
  if (before.status !== 'waiting' || !subject.paymentId) return before
  try {
    await callApi(cancelPayment, { params: { id: subject.paymentId } })
    // It may have been paid in that very moment.
    return await askPayment(subject)
  } catch (error) {
    return error instanceof Refused && error.code === 'not_cancelable' ? outOfHands(await askPayment(subject)) : before
  }
}

/** A payment that can be given up no more is with the provider: there is nothing left to pay on its page. */
export const outOfHands = (transferStatus: TransferStatus): TransferStatus =>
  transferStatus.status === 'waiting' ? { ...transferStatus, payUrl: null } : transferStatus
