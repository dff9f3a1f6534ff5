import type { PublicUser } from '@tern/contract/identity'
import { asPendingOrder, type SavedTransfer, type Stored } from './pending-transfer.ts'

/** What the address says that the browser comes back from. None of it is believed: it says what to ask about. */
export interface Returned {
  readonly payment: 'success' | 'canceled' | undefined
  readonly paymentId: string | undefined
  readonly link: 'success' | 'canceled' | undefined
  readonly linkId: string | undefined
}

/** What is to be done on arriving at /send. */
export type Branch =
  | { readonly kind: 'begin' }
  /** An order that was given and never answered. */
  | { readonly kind: 'unanswered'; readonly saved: SavedTransfer }
  /** A payment that was begun, and left without a word of how it ended: the person decides whether it is given up. */
  | { readonly kind: 'left'; readonly saved: SavedTransfer; readonly paymentId: string }
  /** Back from paying: the server is asked to complete the transfer. */
  | {
      readonly kind: 'complete'
      readonly saved: SavedTransfer
      readonly recipient: PublicUser
      readonly paymentId: string | undefined
    }
  /** Back from paying on a device that does not know for what. */
  | { readonly kind: 'ask'; readonly paymentId: string }
  | { readonly kind: 'missing recipient'; readonly saved: SavedTransfer }
  | { readonly kind: 'to oneself'; readonly saved: SavedTransfer }
  | { readonly kind: 'method added'; readonly saved: SavedTransfer }
  /** Back from canceling: the payment the address names is given up. Without a name there is none. */
  | { readonly kind: 'canceled'; readonly saved: SavedTransfer | undefined; readonly paymentId: string | undefined }
  | { readonly kind: 'unreadable' }
  /** Back from linking a bank account. */
  | {
      readonly kind: 'linking'
      readonly saved: SavedTransfer | undefined
      readonly isCanceled: boolean
      readonly linkId: string | undefined
    }

const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const uuidOf = (text: string | null | undefined) => (text && uuidPattern.test(text) ? text.toLowerCase() : undefined)

/** Reads the flags of the provider's pages from an address; undefined when it has none. */
export function readReturned(address: URLSearchParams): Returned | undefined {
  const flag = (is: boolean, word: 'success' | 'canceled') => (is ? word : undefined)
  const payment =
    flag(address.get('payment_success') === 'true', 'success') ??
    flag(address.get('payment_canceled') === 'true', 'canceled')
  const linkStatus = address.get('linkStatus')
  const link = flag(linkStatus === 'success', 'success') ?? flag(linkStatus === 'canceled', 'canceled')
  if (!payment && !link) return undefined
  return { payment, paymentId: uuidOf(address.get('payment_id')), link, linkId: uuidOf(address.get('link_id')) }
}

/** What follows from the address and from what was saved before the browser left, for the person `userId`. */
export function branchOf(returned: Returned | undefined, stored: Stored, userId: number): Branch {
  const kept = stored.status === 'read' ? stored.saved : undefined
  const begunId = uuidOf(kept?.paymentId)
  // What was begun since in another tab is not what this one comes back from.
  const isOther = returned?.paymentId !== undefined && begunId !== undefined && returned.paymentId !== begunId
  const saved = isOther ? undefined : kept
  if (!returned) {
    if (!saved) return { kind: 'begin' }
    if (begunId) return { kind: 'left', saved, paymentId: begunId }
    return asPendingOrder(saved) ? { kind: 'unanswered', saved } : { kind: 'begin' }
  }
  if (!returned.payment) {
    return { kind: 'linking', saved, isCanceled: returned.link === 'canceled', linkId: returned.linkId }
  }
  if (stored.status === 'unreadable') return { kind: 'unreadable' }
  if (returned.payment === 'success') return branchOfSuccess(saved, returned.paymentId ?? begunId, userId)
  // Any page may lead here with such an address: one that names no payment cancels none.
  if (saved && begunId && !returned.paymentId) return { kind: 'left', saved, paymentId: begunId }
  return { kind: 'canceled', saved, paymentId: returned.paymentId }
}

function branchOfSuccess(saved: SavedTransfer | undefined, paymentId: string | undefined, userId: number): Branch {
  if (!saved) return paymentId ? { kind: 'ask', paymentId } : { kind: 'begin' }
  if (saved.activeStep !== 2 || saved.paymentSource === 'wallet') return { kind: 'method added', saved }
  const recipient = saved.recipientInfo ?? saved.formData.recipient
  if (!recipient) return { kind: 'missing recipient', saved }
  if (recipient.id === userId) return { kind: 'to oneself', saved }
  return { kind: 'complete', saved, recipient, paymentId }
}
