import type { PublicUser } from '@tern/contract/identity'
import { cryptoCodes, currencyCodes } from '@tern/money/currency'
import * as z from 'zod/mini'
import { type OrderStore, storedJson } from '../../app/orders/persisted-order.ts'
import { type DatedQuote, datedQuote } from '../../app/orders/dated-quote.ts'
import { paymentSources } from './review/payment-source.ts'
import { personShape, type SendForm, sendForm } from './send-form.ts'

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

export const storedShape = z.object({
  userId: z.int(),
  // Earlier versions used other field names.
  formData: z.union([storedForm, sendForm]),
  activeStep: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  paymentSource: z.enum(paymentSources),
  cardId: z.optional(z.nullable(z.string())),
  bankAccountId: z.optional(z.string()),
  keepsCard: z.optional(z.boolean()),
  least: z.optional(z.string()),
  recipientInfo: z.optional(z.nullable(personShape)),
  priced: z.optional(datedQuote),
  /** Present for an order that was sent. */
  idempotencyKey: z.optional(z.string()),
  /** Payment that the server has started for the order. */
  paymentId: z.optional(z.string()),
})

/**
 * Transfer stored in this browser until its order and payment are answered. Untrusted, because the storage can be
 * edited: the server decides on the payment.
 */
export type SavedTransfer = Omit<z.output<typeof storedShape>, 'formData'> & {
  readonly formData: SendForm
  readonly sourceWalletId?: string | undefined
}

export const savedRecipient = (saved: SavedTransfer) => saved.recipientInfo ?? saved.formData.recipient

/** The saved transfer as an unsent draft whose price has expired. */
export function toDraft({ idempotencyKey: _key, paymentId: _payment, priced, ...rest }: SavedTransfer): SavedTransfer {
  return { ...rest, priced: priced && { ...priced, holdsUntilMs: 0 } }
}

/** The saved transfer as a draft opened at the form. */
export const toEditDraft = (saved: SavedTransfer): SavedTransfer => toDraft({ ...saved, activeStep: 1 })

/** Unanswered order, with all data needed to send exactly the same one again. */
export interface PendingTransfer extends SavedTransfer {
  readonly activeStep: 2
  readonly recipientInfo: PublicUser
  readonly priced: DatedQuote
  readonly idempotencyKey: string
}

export type StoredTransfer =
  | { readonly status: 'none' }
  | { readonly status: 'unreadable' }
  | { readonly status: 'read'; readonly saved: SavedTransfer }

const stored = storedJson('localStorage', 'pendingTransaction')

/** Transfer of this tab that can still be undone. */
export const undoStore = storedJson('sessionStorage', 'undo')

export const storePending = (saved: SavedTransfer): void => stored.write(toStored(saved))

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

/** Transfer from its stored form, including earlier formats. */
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

/** Removes a transfer that is done, canceled, or back in the form. */
export const removePending = (): void => stored.remove()

/** Reads the saved transfer; ignores those of other users. */
export function readStored(userId: number): StoredTransfer {
  const found = stored.read()
  if (found === undefined) return { status: 'none' }
  const { data } = storedShape.safeParse(found)
  if (!data) return { status: 'unreadable' }
  return data.userId === userId ? { status: 'read', saved: fromStored(data) } : { status: 'none' }
}

/** The saved transfer as an order to resend; undefined if parts are missing or name different recipients. */
export function toPendingOrder(saved: SavedTransfer): PendingTransfer | undefined {
  const { activeStep, recipientInfo, priced, idempotencyKey, formData } = saved
  if (activeStep !== 2 || !recipientInfo || !priced || !idempotencyKey) return undefined
  const isConsistent = formData.recipient?.id === recipientInfo.id && priced.quote.recipient_id === recipientInfo.id
  return isConsistent ? { ...saved, activeStep, recipientInfo, priced, idempotencyKey } : undefined
}

export type UnsentOrder = Omit<PendingTransfer, 'idempotencyKey'>

/** Store of the unanswered transfer, shared by all tabs. */
export function pendingStore(userId: number): OrderStore<UnsentOrder> {
  const read = () => {
    const found = readStored(userId)
    const order = found.status === 'read' && !found.saved.paymentId ? toPendingOrder(found.saved) : undefined
    return order && { order, idempotencyKey: order.idempotencyKey }
  }
  return {
    read,
    save: ({ order, idempotencyKey }) => storePending({ ...order, idempotencyKey }),
    remove: (idempotencyKey) => (read()?.idempotencyKey === idempotencyKey ? removePending() : undefined),
  }
}
