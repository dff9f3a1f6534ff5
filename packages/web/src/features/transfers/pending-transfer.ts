import type { PublicUser } from '@tern/contract/identity'
import { cryptoCodes, currencyCodes } from '@tern/money/currency'
import * as z from 'zod/mini'
import { type OrderStore, storedJson } from '../../app/orders/persisted-order.ts'
import { type DatedQuote, datedQuote } from '../../app/orders/dated-quote.ts'
import { paymentSources } from './review/payment-source.ts'
import { personShape, type SendForm, sendForm } from './send-form.ts'

/** The form as it is stored. */
const storedForm = z.object({
  sourceWalletId: z.optional(z.string()),
  recipientAddress: z.string(),
  recipientType: z.string(),
  amount: z.string(),
  isExact: z.optional(z.boolean()),
  currency: z.optional(z.enum(currencyCodes)),
  description: z.string(),
  isCryptoTransaction: z.boolean(),
  cryptoCurrency: z.union([z.enum(cryptoCodes), z.literal('')]),
  useStablecoinBridge: z.boolean(),
})

/** A transfer as the browser keeps it. */
export const storedShape = z.object({
  userId: z.int(),
  // Earlier versions stored the form under names of their own.
  formData: z.union([storedForm, sendForm]),
  activeStep: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  paymentSource: z.enum(paymentSources),
  cardId: z.optional(z.nullable(z.string())),
  bankAccountId: z.optional(z.string()),
  keepsCard: z.optional(z.boolean()),
  least: z.optional(z.string()),
  recipientInfo: z.optional(z.nullable(personShape)),
  priced: z.optional(datedQuote),
  /** Of an order that was sent. */
  idempotencyKey: z.optional(z.string()),
  /** The payment the server has begun for it. */
  paymentId: z.optional(z.string()),
})

/**
 * A transfer as it was left, for when the browser comes back to it. Anybody at this device can change it: it fills in the
 * form and names what to ask the server about, and decides nothing.
 */
export type SavedTransfer = Omit<z.output<typeof storedShape>, 'formData'> & {
  readonly formData: SendForm
  readonly sourceWalletId?: string | undefined
}

/** Who gets the money, as far as it was saved. */
export const recipientOf = (saved: SavedTransfer) => saved.recipientInfo ?? saved.formData.recipient

/** The saved transfer as one that is still to be ordered, at a new price. */
export function asDraft({ idempotencyKey: _key, paymentId: _payment, priced, ...rest }: SavedTransfer): SavedTransfer {
  return { ...rest, priced: priced && { ...priced, holdsUntilMs: 0 } }
}

/** The form that a transfer came from, to be changed and ordered anew. */
export const toChange = (saved: SavedTransfer): SavedTransfer => asDraft({ ...saved, activeStep: 1 })

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

/** What this tab keeps of a transfer that can still be taken back. */
export const undoStore = storedJson('sessionStorage', 'undo')

export const keepPending = (saved: SavedTransfer): void => stored.write(toStored(saved))

/** A transfer as the browser keeps it. */
export function toStored({ sourceWalletId, ...saved }: SavedTransfer): z.input<typeof storedShape> {
  const { source, recipientText, amount, isExact, description, isCrypto, cryptoCurrency } = saved.formData
  const formData = {
    ...(sourceWalletId === undefined ? {} : { sourceWalletId }),
    recipientAddress: recipientText,
    recipientType: 'any',
    amount,
    ...(isExact && { isExact }),
    ...(source && { currency: source }),
    description,
    isCryptoTransaction: isCrypto,
    cryptoCurrency,
    useStablecoinBridge: true,
  }
  return { ...saved, formData }
}

/** What is meant by it. */
export function fromStored({ formData: form, ...rest }: z.output<typeof storedShape>): SavedTransfer {
  if (!('recipientAddress' in form)) return { ...rest, formData: form }
  const {
    recipientAddress,
    currency,
    isCryptoTransaction,
    amount,
    isExact,
    description,
    cryptoCurrency,
    sourceWalletId,
  } = form
  const formData = {
    ...{ amount, description, cryptoCurrency, recipientText: recipientAddress, isCrypto: isCryptoTransaction },
    ...(isExact && { isExact }),
    ...(currency && { source: currency }),
    ...(rest.recipientInfo && { recipient: rest.recipientInfo }),
  }
  return { ...rest, formData, ...(sourceWalletId === undefined ? {} : { sourceWalletId }) }
}

/** It is done, canceled, or back in the form. */
export const dropPending = (): void => stored.remove()

/** Reads what was saved. Somebody else's is ignored. */
export function readStored(userId: number): Stored {
  const found = stored.read()
  if (found === undefined) return { status: 'none' }
  const { data } = storedShape.safeParse(found)
  if (!data) return { status: 'unreadable' }
  return data.userId === userId ? { status: 'read', saved: fromStored(data) } : { status: 'none' }
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
