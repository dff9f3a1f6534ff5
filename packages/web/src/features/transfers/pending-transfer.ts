import { type Quote, quoteShape } from '@tern/contract/exchange'
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

/** Kept before an order leaves, so that a reload in the middle of it cannot turn one payment into two. */
export const keepPending = (pending: PendingTransfer): void => localStorage.setItem(storageKey, JSON.stringify(pending))

/** The server has answered. */
export const dropPending = (): void => localStorage.removeItem(storageKey)

/** The unanswered order of this person, if there is one. Another person's, or one that cannot be read, is none. */
export function readPending(userId: number): PendingTransfer | undefined {
  try {
    const pending = JSON.parse(localStorage.getItem(storageKey) ?? 'null') as PendingTransfer | null
    const quote: Quote | undefined = quoteShape.parse(pending?.priced.quote)
    return pending?.userId === userId && pending.idempotencyKey && quote ? pending : undefined
  } catch {
    return undefined
  }
}
