import type { Transaction } from '@tern/contract/transactions'
import { transfers } from '#messages/transfers.ts'
import type { ProviderReturn } from '../../../app/provider-page.ts'
import { supportSentence } from '../../../app/support/support.ts'
import { uuidPattern } from '../../../app/orders/persisted-order.ts'
import { formatMoney } from '../../../ui/format/format.ts'
import { shortenName } from '../send-form.ts'
import {
  toDraft,
  toPendingOrder,
  savedRecipient,
  type SavedTransfer,
  type StoredTransfer,
} from '../pending-transfer.ts'
import type { Subject, TransferStatus } from './transfer-status.ts'

/** Notice above the form about the outcome of the return. */
interface Notice {
  readonly tone: 'info' | 'warning' | 'error'
  readonly text: string
}

/** The form, new or restored, with its notice. */
export interface FormArrival {
  readonly show: 'form'
  readonly restored?: SavedTransfer | undefined
  readonly notice?: Notice | undefined
  /** Result of linking a bank account. */
  readonly link?: NonNullable<ProviderReturn['link']> | undefined
}

/** First view of /send: the form, or the status of a payment to be loaded from the server. */
export type Arrival = FormArrival | ({ readonly show: 'status' } & Subject)

const parseUuid = (text: string | undefined) => (text && uuidPattern.test(text) ? text.toLowerCase() : undefined)

/** First view from the address and the stored transfer. Both are untrusted. */
export function chooseArrival(
  providerReturn: ProviderReturn | undefined,
  stored: StoredTransfer,
  userId: number,
): Arrival {
  const { payment, link } = providerReturn ?? {}
  const returnedId = parseUuid(payment?.id)
  const storedTransfer = stored.status === 'read' ? stored.saved : undefined
  const storedId = parseUuid(storedTransfer?.paymentId)
  // Ignores a transfer that another tab has started in the meantime.
  const saved = returnedId && storedId && returnedId !== storedId ? undefined : storedTransfer
  const status = { show: 'status', userId, saved } as const
  if (payment) {
    if (stored.status === 'unreadable') return buildArrival(undefined, 'error', supportSentence(transfers.returnFailed))
    const paymentId = returnedId ?? storedId
    if (!payment.isCanceled)
      return resumeAfterPayment(saved, paymentId, userId) ?? { ...status, claim: 'paid', paymentId }
    // Any site may link to such an address, so one without a payment id cancels nothing.
    if (saved && storedId && !returnedId) return { ...status, claim: 'left', paymentId: storedId }
    if (returnedId) return { ...status, claim: 'canceled', paymentId: returnedId }
    return { ...buildArrival(saved && { ...saved, activeStep: 2 }), notice: canceledNotice(null) }
  }
  if (link) {
    const restored = saved && ({ ...saved, paymentSource: 'bank' } as const)
    return { show: 'form', restored, link: { ...link, id: parseUuid(link.id) } }
  }
  if (saved && storedId) return { ...status, claim: 'left', paymentId: storedId }
  return buildArrival(saved && toPendingOrder(saved))
}

/** Form to return to after paying; undefined if the server must report the payment's status first. */
function resumeAfterPayment(saved: SavedTransfer | undefined, paymentId: string | undefined, userId: number) {
  if (!saved) return paymentId ? undefined : buildArrival()
  if (saved.activeStep !== 2 || saved.paymentSource === 'wallet')
    return buildArrival(saved, 'info', transfers.methodAdded)
  const recipient = savedRecipient(saved)
  if (!recipient) return buildArrival(removeRecipient(saved), 'error', supportSentence(transfers.recipientLost))
  return recipient.id === userId
    ? buildArrival(removeRecipient(saved), 'error', supportSentence(transfers.paidForOneself))
    : undefined
}

const buildArrival = (restored?: SavedTransfer, tone: Notice['tone'] = 'info', text?: string): FormArrival => ({
  show: 'form',
  restored,
  ...(text !== undefined && { notice: { tone, text } }),
})

function removeRecipient(saved: SavedTransfer): SavedTransfer {
  const formData = { ...saved.formData, recipient: undefined, recipientText: '' }
  return toDraft({ ...saved, activeStep: 1, formData, recipientInfo: undefined })
}

/** An earlier payment is still processing and needs no action; a new transfer starts. */
function buildProcessingArrival({ amount, currency, counterparty: person }: Transaction): FormArrival {
  const text = transfers.stillProcessing(formatMoney(amount, currency), person ? shortenName(person) : '')
  return buildArrival(undefined, 'info', text)
}

/** Notice of a payment that was not made, with the provider's reason unless it merely says "canceled". */
const canceledNotice = (reason: string | null): Notice => ({
  tone: 'warning',
  text:
    reason === null || /\bcancell?ed\b/i.test(reason)
      ? transfers.paymentCanceled
      : `${transfers.paymentCanceled} ${reason}`,
})

/**
 * Form to return to if the payment failed, was refused, or needs no action while it is processed; otherwise undefined.
 */
export function resumeForm(
  status: TransferStatus,
  saved: SavedTransfer | undefined,
  claim: Subject['claim'] = 'paid',
): FormArrival | undefined {
  if (claim === 'left' && status.status === 'waiting' && status.payUrl === null)
    return buildProcessingArrival(status.transaction)
  const restored = saved && toDraft({ ...saved, activeStep: 2 })
  if (status.status === 'unpaid') return { show: 'form', restored, notice: canceledNotice(status.reason) }
  return status.status === 'refused' ? buildArrival(restored, 'error', transfers.failed(status.detail)) : undefined
}
