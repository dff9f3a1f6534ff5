import { quoteShape } from '@tern/contract/exchange'
import type { PublicUser } from '@tern/contract/identity'
import { cryptoCodes, currencyCodes } from '@tern/money/currency'
import * as z from 'zod/mini'
import { type OrderStore, storedJson } from '../../app/orders/persisted-order.ts'
import type { DatedQuote } from '../../app/orders/quotes.ts'
import { type FundingSource, paymentSources } from './review/payment-source.ts'
import type { SendForm } from './send-form.ts'

// The contract's own shape would bring its schemas into every page that knows who is signed in.
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
 * A transfer as it was left, for when the browser comes back to it. Anybody at this device can change it: it fills in the
 * form and names what to ask the server about, and decides nothing.
 */
export interface SavedTransfer {
  readonly userId: number
  readonly formData: SendForm
  readonly activeStep: 0 | 1 | 2
  readonly paymentSource: FundingSource['source']
  readonly cardId?: string | null | undefined
  readonly bankAccountId?: string | undefined
  readonly keepsCard?: boolean | undefined
  readonly recipientInfo?: PublicUser | null | undefined
  readonly priced?: DatedQuote | undefined
  /** Of an order that was sent. */
  readonly idempotencyKey?: string | undefined
  /** The payment the server has begun for it. */
  readonly paymentId?: string | undefined
}

/** Who gets the money, as far as it was saved. */
export const recipientOf = (saved: SavedTransfer) => saved.recipientInfo ?? saved.formData.recipient

/** An order without an answer: enough to send exactly the same one again. */
export interface PendingTransfer extends SavedTransfer {
  readonly activeStep: 2
  readonly recipientInfo: PublicUser
  readonly priced: DatedQuote
  readonly idempotencyKey: string
}

/** What the browser stores of this person. */
export type Stored =
  | { readonly status: 'none' }
  | { readonly status: 'unreadable' }
  | { readonly status: 'read'; readonly saved: SavedTransfer }

const stored = storedJson('localStorage', 'pendingTransaction')

export const keepPending = (saved: SavedTransfer): void => stored.write(saved)

/** It is done, canceled, or back in the form. */
export const dropPending = (): void => stored.remove()

/** Reads what was saved. Somebody else's is ignored. */
export function readStored(userId: number): Stored {
  try {
    const text = stored.read()
    if (text === undefined) return { status: 'none' }
    const read = savedShape.safeParse(text)
    if (!read.success) return { status: 'unreadable' }
    const { data } = read
    if (data.userId !== userId) return { status: 'none' }
    const { source, recipient } = data.formData
    return { status: 'read', saved: { ...data, formData: { ...data.formData, source, recipient } } }
  } catch {
    return { status: 'unreadable' }
  }
}

/** The saved transfer as an order to send again; undefined when parts are missing or name different people. */
export function asPendingOrder(saved: SavedTransfer): PendingTransfer | undefined {
  const { activeStep, recipientInfo, priced, idempotencyKey, formData } = saved
  if (activeStep !== 2 || !recipientInfo || !priced || !idempotencyKey) return undefined
  const isWhole = formData.recipient?.id === recipientInfo.id && priced.quote.recipient_id === recipientInfo.id
  return isWhole ? { ...saved, activeStep, recipientInfo, priced, idempotencyKey } : undefined
}

export type Intended = Omit<PendingTransfer, 'idempotencyKey'>

/** The transfer without an answer, in the storage that all tabs share. */
export function pendingStore(userId: number): OrderStore<Intended> {
  const read = () => {
    const found = readStored(userId)
    const order = found.status === 'read' && !found.saved.paymentId ? asPendingOrder(found.saved) : undefined
    return order && { order, idempotencyKey: order.idempotencyKey }
  }
  return {
    read,
    keep: ({ order, idempotencyKey }) => keepPending({ ...order, idempotencyKey }),
    drop: (idempotencyKey) => (read()?.idempotencyKey === idempotencyKey ? dropPending() : undefined),
  }
}
