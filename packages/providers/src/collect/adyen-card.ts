import { isFiatCode } from '@tern/money/currency'
import { readReference, writeReference } from '../adyen-card-reference.ts'
import { type AdyenConnection, askAdyen, callAdyen, readAmount, unreadable, writeAmount } from '../adyen-http.ts'
import { readText, readTexts } from '../json.ts'
import type { KnownOutcome } from '../outcome.ts'
import { addQuery } from '../return-address.ts'
import { findCheckoutExpiry } from './checkout-expiry.ts'
import type { CardProvider, CheckoutRequest, CollectionState } from './port.ts'
import { joinSession, type SessionParts, splitSession } from './session.ts'

interface CardConnection {
  readonly connection: AdyenConnection
  readonly merchantAccount: string
}

/**
 * Cards on pages of Pay by Link. Adyen names the payment of a page only in its events, so a paid page stays open
 * (`isProcessing`) until an event has completed the id of its session.
 */
export const createAdyenCardProvider = (cards: CardConnection): CardProvider => ({
  savesNoCards: true,

  async createCheckout(request) {
    const { amount, idempotencyKey, saveCard } = request
    if (saveCard) return cardsNotSaved
    if (amount.minor <= 0n || !isFiatCode(amount.currency) || foreignExponents.has(amount.currency))
      return { status: 'refused', reason: 'The payment provider does not take this amount.' }
    const body = writeLink(cards, request)
    const answer = await callAdyen(cards.connection, 'POST', '/paymentLinks', { body, idempotencyKey })
    if (answer.status !== 'done') return answer
    const link = readTexts(answer.body, 'id', 'url')
    return link && isId(link.id) ? { status: 'created', sessionId: link.id, url: link.url } : unreadable
  },

  charge: () => Promise.resolve(cardsNotSaved),
  forgetCard: () => Promise.resolve(true),

  lookup: (sessionId) => lookup(cards, sessionId),

  async capture(sessionId) {
    const state = await lookup(cards, sessionId)
    if (state.status !== 'authorized') return state
    return modify(cards, sessionId, { state, operation: 'captures', fields: `"amount":${writeAmount(state.amount)},` })
  },

  async cancel(sessionId) {
    const { page, payment } = splitSession(sessionId)
    if (payment === '') return expireLink(cards, page)
    const state = await lookup(cards, sessionId)
    return state.status === 'authorized' ? modify(cards, sessionId, { state, operation: 'cancels', fields: '' }) : state
  },
})

const cardsNotSaved = { status: 'refused', reason: 'The payment provider saves no cards.' } as const

/** Currencies whose minor unit at Adyen is not that of ISO 4217 (docs.adyen.com/development-resources/currency-codes). */
export const foreignExponents: ReadonlySet<string> = new Set(['CLP', 'CVE', 'IDR', 'ISK'])

const isId = (text: string): boolean => /^\w{1,80}$/.test(text)

/** Writes the order of a page. Repeated calls are identical, as long as `findCheckoutExpiry` gives a time. */
function writeLink(
  { merchantAccount }: CardConnection,
  { paymentId, amount, description, returnUrl, capturesLater = false }: CheckoutRequest,
): string {
  const expiry = findCheckoutExpiry(paymentId)
  const link = {
    merchantAccount,
    reference: writeReference({ paymentId, capturesLater }),
    description: description.slice(0, 280),
    returnUrl: addQuery(returnUrl, { payment_success: 'true', payment_id: paymentId }),
    allowedPaymentMethods: ['scheme'],
    reusable: false,
    storePaymentMethodMode: 'disabled',
    manualCapture: capturesLater,
    ...(!capturesLater && { captureDelayHours: 0 }),
    // Without one, Adyen's default is a day.
    ...(expiry && { expiresAt: expiry.toISOString().replace(/\.\d+/, '') }),
  }
  return `{"amount":${writeAmount(amount)},${JSON.stringify(link).slice(1)}`
}

async function lookup({ connection }: CardConnection, sessionId: string): Promise<CollectionState> {
  const session = splitSession(sessionId)
  const answer = await askAdyen(connection, `/paymentLinks/${encodeURIComponent(session.page)}`)
  return answer.status === 'done' ? (readLink(answer.body, session) ?? unreadable) : answer
}

/** Reads the state of a page, and of the payment made there if an event has named it; undefined if unreadable. */
function readLink(body: unknown, { payment, isCaptured }: SessionParts): KnownOutcome<CollectionState> | undefined {
  const reference = readText(body, 'reference')
  if (reference === undefined) return undefined
  const { paymentId, capturesLater } = readReference(reference)
  const amount = readAmount(body)
  // A payment that an event has named counts, even if its page was closed meanwhile.
  if (payment !== '' && isCaptured) return amount && { status: 'settled', paymentId, amount, captureId: payment }
  if (payment !== '' && capturesLater) return amount && { status: 'authorized', paymentId, amount }
  const status = readText(body, 'status') ?? ''
  switch (status) {
    case 'active':
      return { status: 'open', paymentId }
    case 'expired':
      return { status: 'declined', paymentId, reason: 'expired' }
    case 'completed':
    case 'paid':
    case 'paymentPending':
      return { status: 'open', paymentId, isProcessing: true }
    default:
      return undefined
  }
}

/** Closes a page that has not been paid. */
async function expireLink(cards: CardConnection, id: string): Promise<CollectionState> {
  const body = '{"status":"expired"}'
  const answer = await callAdyen(cards.connection, 'PATCH', `/paymentLinks/${encodeURIComponent(id)}`, { body })
  // If Adyen refuses, the current state counts.
  if (answer.status === 'refused') return lookup(cards, id)
  if (answer.status === 'unknown') return answer
  const state = readLink(answer.body, splitSession(id)) ?? unreadable
  return state.status === 'declined' ? { ...state, reason: 'canceled' } : state
}

interface Modification {
  readonly state: Extract<CollectionState, { status: 'authorized' }>
  readonly operation: 'captures' | 'cancels'
  readonly fields: string
}

/** Orders a change of an authorized payment; an event reports its outcome. */
async function modify(
  { connection, merchantAccount }: CardConnection,
  sessionId: string,
  { state: { paymentId }, operation, fields }: Modification,
): Promise<CollectionState> {
  const { payment } = splitSession(sessionId)
  const order = { merchantAccount, reference: writeReference({ paymentId, capturesLater: true }) }
  const answer = await callAdyen(connection, 'POST', `/payments/${encodeURIComponent(payment)}/${operation}`, {
    body: `{${fields}${JSON.stringify(order).slice(1)}`,
    idempotencyKey: `${payment}-${operation}`,
  })
  if (answer.status === 'refused') return { status: 'unknown', reason: answer.reason }
  return answer.status === 'done' ? { status: 'open', paymentId } : answer
}

/** Session of a payment that an event names, by its page if the event has it. */
export const buildAdyenSession = (page: string | undefined, payment: string, isCaptured: boolean): string =>
  joinSession({ page: page !== undefined && isId(page) ? page : '', payment, isCaptured })
