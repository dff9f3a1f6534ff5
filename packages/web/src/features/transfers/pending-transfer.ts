import { quoteShape } from '@tern/contract/exchange'
import type { PublicUser } from '@tern/contract/identity'
import type { DatedQuote } from '../../quotes.ts'
import type { SendForm } from './send-form.ts'

const storageKey = 'pendingTransaction'

/** An order that was given to the server and has not been answered: enough to give the very same one again. */
export interface PendingTransfer {
  readonly userId: number
  readonly formData: SendForm
  readonly activeStep: 2
  readonly paymentSource: 'wallet'
  readonly recipientInfo: PublicUser
  readonly priced: DatedQuote
  readonly idempotencyKey: string
}

/**
 * Kept before an order leaves, so that a reload in the middle of it cannot turn one payment into two. A device that
 * keeps nothing may send all the same.
 */
export function keepPending(pending: PendingTransfer): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(pending))
  } catch (error) {
    reportError(error)
  }
}

/** The server has answered. */
export const dropPending = (): void => localStorage.removeItem(storageKey)

/** The unanswered order of this person, if there is one. Another person's, or one that cannot be read, is none. */
export function readPending(userId: number): PendingTransfer | undefined {
  try {
    const pending = JSON.parse(localStorage.getItem(storageKey) ?? 'null') as PendingTransfer | null
    if (pending?.userId !== userId || !pending.idempotencyKey) return undefined
    const isWhole =
      pending.formData.recipient?.id === pending.recipientInfo.id &&
      pending.priced.quote.recipient_id === pending.recipientInfo.id
    return isWhole && quoteShape.safeParse(pending.priced.quote).success ? pending : undefined
  } catch {
    return undefined
  }
}
