import { quoteShape } from '@tern/contract/exchange'
import type { PublicUser } from '@tern/contract/identity'
import { cryptoCodes, currencyCodes } from '@tern/money/currency'
import * as z from 'zod/mini'
import type { DatedQuote } from '../../../app/orders/quotes.ts'
import { type Means, paymentSources } from '../review/payment-source.ts'
import type { SendForm } from '../send-form.ts'

const storageKey = 'pendingTransaction'

// Written out here: the contract's own would bring its schemas into every page that knows who is signed in.
const person = z.object({
  id: z.int(),
  username: z.string(),
  name: z.nullable(z.string()),
  email: z.optional(z.string()),
  base_currency: z.string(),
})

const savedShape = z.object({
  userId: z.int(),
  formData: z.object({
    source: z.optional(z.enum(currencyCodes)),
    recipientText: z.string(),
    recipient: z.optional(person),
    amount: z.string(),
    isCrypto: z.boolean(),
    cryptoCurrency: z.union([z.enum(cryptoCodes), z.literal('')]),
    description: z.string(),
  }),
  activeStep: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  paymentSource: z.enum(paymentSources),
  cardId: z.optional(z.nullable(z.string())),
  bankAccountId: z.optional(z.string()),
  keepsCard: z.optional(z.boolean()),
  recipientInfo: z.optional(z.nullable(person)),
  priced: z.optional(z.object({ quote: quoteShape, holdsUntilMs: z.number() })),
  idempotencyKey: z.optional(z.string()),
  paymentId: z.optional(z.string()),
})

/**
 * A transfer as it was left, for when the browser comes back to it. It lies where anybody at this device can change it:
 * it fills the form in and names what to ask the server about, and decides nothing.
 */
export interface SavedTransfer {
  readonly userId: number
  readonly formData: SendForm
  readonly activeStep: 0 | 1 | 2
  readonly paymentSource: Means['source']
  readonly cardId?: string | null | undefined
  readonly bankAccountId?: string | undefined
  readonly keepsCard?: boolean | undefined
  readonly recipientInfo?: PublicUser | null | undefined
  readonly priced?: DatedQuote | undefined
  /** Of an order that was given to the server; absent when none was. */
  readonly idempotencyKey?: string | undefined
  /** The payment the server has begun for it. */
  readonly paymentId?: string | undefined
}

/** An order that was given to the server and has not been answered: enough to give the very same one again. */
export interface PendingTransfer extends SavedTransfer {
  readonly activeStep: 2
  readonly recipientInfo: PublicUser
  readonly priced: DatedQuote
  readonly idempotencyKey: string
}

/** What lies in the browser's storage: nothing of this person's, something unreadable, or a transfer of theirs. */
export type Stored =
  | { readonly status: 'none' }
  | { readonly status: 'unreadable' }
  | { readonly status: 'read'; readonly saved: SavedTransfer }

/**
 * Kept before an order leaves, so that a reload in the middle of it cannot turn one payment into two. A device that
 * keeps nothing may send all the same.
 */
export function keepPending(saved: SavedTransfer): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(saved))
  } catch (error) {
    reportError(error)
  }
}

/** It is done, given up, or back in the form. */
export function dropPending(): void {
  try {
    localStorage.removeItem(storageKey)
  } catch (error) {
    reportError(error)
  }
}

/** Reads what was saved. Another person's is none. */
export function readStored(userId: number): Stored {
  try {
    const text = localStorage.getItem(storageKey)
    if (text === null) return { status: 'none' }
    const read = savedShape.safeParse(JSON.parse(text))
    if (!read.success) return { status: 'unreadable' }
    const { data } = read
    if (data.userId !== userId) return { status: 'none' }
    const { source, recipient } = data.formData
    return { status: 'read', saved: { ...data, formData: { ...data.formData, source, recipient } } }
  } catch {
    return { status: 'unreadable' }
  }
}

/** The saved transfer as an order to be given again; undefined when its parts are missing or name different people. */
export function asPendingOrder(saved: SavedTransfer): PendingTransfer | undefined {
  const { activeStep, recipientInfo, priced, idempotencyKey, formData } = saved
  if (activeStep !== 2 || !recipientInfo || !priced || !idempotencyKey) return undefined
  const isWhole = formData.recipient?.id === recipientInfo.id && priced.quote.recipient_id === recipientInfo.id
  return isWhole ? { ...saved, activeStep, recipientInfo, priced, idempotencyKey } : undefined
}
