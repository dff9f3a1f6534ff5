import type { Stripe } from 'stripe'
import type { KnownOutcome } from '../outcome.ts'
import {
  callStripe,
  toFailure,
  fromStripeAmount,
  readId,
  amountRefused,
  order,
  type StripeAmount,
  type StripeConnection,
  toStripe,
  unreadable,
  expandedObject,
} from '../stripe-connection.ts'
import { addQuery } from '../return-address.ts'
import { findCheckoutExpiry } from './checkout-expiry.ts'
import { isSavableCard } from './savable-card.ts'
import type {
  CardProvider,
  ChargeRequest,
  CheckoutRequest,
  CheckoutResult,
  CollectionState,
  DeclineReason,
  KeptCard,
} from './port.ts'

/** State parsed from a payment at Stripe; undefined if it is not ours, or malformed. */
type ReadState = KnownOutcome<CollectionState> | undefined

const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  discover: 'Discover',
  eftpos_au: 'eftpos',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
}

/** Builds our token of a card: a card can be charged only together with the customer for which it was saved. */
const buildToken = (customer: string, paymentMethod: string): string => `${customer}/${paymentMethod}`

/** Parses the customer and the payment method of a token. */
function readToken(token: string): { customer: string; paymentMethod: string } | undefined {
  const [, customer, paymentMethod] = /^(cus_\w+)\/(pm_\w+)$/.exec(token) ?? []
  return customer !== undefined && paymentMethod !== undefined ? { customer, paymentMethod } : undefined
}

/** Returns the card of a payment if it was saved for later and Stripe expanded it. */
function readCard(intent: Stripe.PaymentIntent): KeptCard | undefined {
  const method = expandedObject(intent.payment_method)
  const customer = readId(intent.customer)
  if (intent.setup_future_usage !== 'off_session' || !method?.card?.fingerprint || customer === undefined) {
    return undefined
  }
  const { fingerprint, brand, last4, exp_month: expMonth, exp_year: expYear } = method.card
  const token = buildToken(customer, method.id)
  const savedCard = { token, fingerprint, brand: brands[brand] ?? 'Card', last4, expMonth, expYear }
  return isSavableCard(savedCard) ? savedCard : undefined
}

/** Returns whether the bank requires authentication of the payer; the payment then continues on a hosted page. */
const needsPayer = (intent: Stripe.PaymentIntent): boolean =>
  intent.last_payment_error?.code === 'authentication_required' ||
  intent.last_payment_error?.decline_code === 'authentication_required'

function readDecline({ last_payment_error: error }: Stripe.PaymentIntent): DeclineReason {
  if (error?.code === 'insufficient_funds' || error?.decline_code === 'insufficient_funds') return 'insufficient_funds'
  return error?.type === 'card_error' ? 'declined' : 'failed'
}

const openState = (paymentId: string, intent: Stripe.PaymentIntent | undefined): ReadState =>
  intent?.status === 'processing' ? { status: 'open', paymentId, isProcessing: true } : { status: 'open', paymentId }

/** Builds the state of a payment whose money the card's bank has reserved. */
function authorizedState(paymentId: string, intent: Stripe.PaymentIntent): ReadState {
  const amount = fromStripeAmount(intent.amount_capturable, intent.currency)
  const cardFingerprint = expandedObject(intent.payment_method)?.card?.fingerprint
  return amount && { status: 'authorized', paymentId, amount, ...(cardFingerprint ? { cardFingerprint } : {}) }
}

/** Parses a payment intent: a charge of a saved card, a debit, or a checkout that was captured or released. */
export function readIntent(intent: Stripe.PaymentIntent): ReadState {
  const paymentId = intent.metadata.payment_id
  if (paymentId === undefined) return undefined
  if (intent.status === 'succeeded') {
    const amount = fromStripeAmount(intent.amount_received, intent.currency)
    return amount && { status: 'settled', paymentId, amount, captureId: intent.id }
  }
  if (intent.status === 'requires_capture') return authorizedState(paymentId, intent)
  if (intent.status === 'canceled') return { status: 'declined', paymentId, reason: 'canceled' }
  if (intent.status === 'requires_payment_method' && !needsPayer(intent)) {
    return { status: 'declined', paymentId, reason: readDecline(intent) }
  }
  return openState(paymentId, intent)
}

/** Parses a checkout session. Authorizations and saved cards are recognized only if the payment intent is expanded. */
export function readSession(session: Stripe.Checkout.Session): ReadState {
  const paymentId = session.metadata?.payment_id
  if (paymentId === undefined || session.mode !== 'payment') return undefined
  if (session.status === 'expired') return { status: 'declined', paymentId, reason: 'expired' }
  const intent = expandedObject(session.payment_intent)
  // A later capture settles the intent, and the session may not reflect it.
  const isPaid = session.payment_status === 'paid' || intent?.status === 'succeeded'
  if (session.status === 'complete' && isPaid) {
    const amount = fromStripeAmount(session.amount_total, session.currency)
    const captureId = readId(session.payment_intent)
    const card = intent && readCard(intent)
    return amount && captureId !== undefined
      ? { status: 'settled', paymentId, amount, captureId, ...(card && { card }) }
      : undefined
  }
  if (session.status === 'complete' && intent?.status === 'requires_capture') {
    return authorizedState(paymentId, intent)
  }
  // A completed page accepts no other card.
  const isAbandoned = session.status === 'complete' && intent !== undefined
  if (isAbandoned && (intent.status === 'canceled' || intent.status === 'requires_payment_method')) {
    return { status: 'declined', paymentId, reason: 'failed' }
  }
  return openState(paymentId, intent)
}

const isCheckout = (sessionId: string): boolean => sessionId.startsWith('cs_')

/** Returns the state of a payment at Stripe, whether started by a checkout, a charge or a debit. */
export function lookupCollection(connection: StripeConnection, sessionId: string): Promise<CollectionState> {
  const { checkout, paymentIntents } = connection.stripe
  return callStripe(connection, async () => {
    const state = isCheckout(sessionId)
      ? readSession(await checkout.sessions.retrieve(sessionId, { expand: ['payment_intent.payment_method'] }))
      : readIntent(await paymentIntents.retrieve(sessionId))
    return state ?? unreadable('a payment')
  })
}

/** Cancels a payment if still possible, and returns the resulting state. */
export async function cancelCollection(connection: StripeConnection, sessionId: string): Promise<CollectionState> {
  const { checkout, paymentIntents } = connection.stripe
  const state = await order(connection, async () =>
    isCheckout(sessionId)
      ? readSession(await checkout.sessions.expire(sessionId))
      : readIntent(await paymentIntents.cancel(sessionId)),
  )
  if (!state) return unreadable('a payment')
  // If Stripe refuses, the current state counts; authorized money of a completed page is released.
  if (state.status === 'refused') {
    const current = await lookupCollection(connection, sessionId)
    return current.status === 'authorized' && isCheckout(sessionId)
      ? releaseAuthorization(connection, sessionId)
      : current
  }
  return state.status === 'declined' ? { ...state, reason: 'canceled' } : state
}

/** Applies an action to the payment intent of a session, and returns the resulting state. */
async function withIntent(
  connection: StripeConnection,
  sessionId: string,
  operate: (intentId: string) => Promise<Stripe.PaymentIntent>,
): Promise<CollectionState> {
  const { sessions } = connection.stripe.checkout
  const orderResult = await order(connection, async () => {
    const intentId = isCheckout(sessionId) ? readId((await sessions.retrieve(sessionId)).payment_intent) : sessionId
    return intentId === undefined ? amountRefused : readIntent(await operate(intentId))
  })
  if (!orderResult) return unreadable('a payment')
  return orderResult.status === 'refused' ? lookupCollection(connection, sessionId) : orderResult
}

const releaseAuthorization = (connection: StripeConnection, sessionId: string): Promise<CollectionState> =>
  withIntent(connection, sessionId, (id) => connection.stripe.paymentIntents.cancel(id))

/** Captures authorized money, and returns the resulting state. */
export const captureCollection = (connection: StripeConnection, sessionId: string): Promise<CollectionState> =>
  withIntent(connection, sessionId, (id) =>
    connection.stripe.paymentIntents.capture(id, {}, { idempotencyKey: `${id}:capture` }),
  )

/** Detaches a payment method from its customer. Returns true if it has no customer now, or does not exist. */
export async function detach(connection: StripeConnection, paymentMethod: string): Promise<boolean> {
  const { paymentMethods } = connection.stripe
  try {
    await paymentMethods.detach(paymentMethod)
    return true
  } catch (error) {
    const { status, code } = toFailure(connection, error)
    if (status === 'unknown') return false
    if (code === 'resource_missing') return true
  }
  try {
    const savedMethod = await paymentMethods.retrieve(paymentMethod)
    return savedMethod.customer === null && !savedMethod.customer_account
  } catch (error) {
    return toFailure(connection, error).code === 'resource_missing'
  }
}

/** Builds the page of one payment. Repeated calls must be identical, as they are while `findCheckoutExpiry` gives a time. */
function buildPage(
  { paymentId, description, returnUrl, capturesLater }: Omit<CheckoutRequest, 'saveCard' | 'idempotencyKey'>,
  amount: StripeAmount,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { payment_id: paymentId, method: 'card' }
  const expiry = findCheckoutExpiry(paymentId)
  return {
    mode: 'payment',
    allowed_payment_method_types: ['card'],
    line_items: [
      {
        quantity: 1,
        price_data: { currency: amount.currency, unit_amount: amount.value, product_data: { name: description } },
      },
    ],
    // Charges the agreed currency rather than that of the card's country.
    adaptive_pricing: { enabled: false },
    // Without one, Stripe's default is a day.
    ...(expiry && { expires_at: Math.floor(expiry.getTime() / 1000) }),
    client_reference_id: paymentId,
    metadata,
    payment_intent_data: {
      description,
      metadata: { ...metadata, checkout: 'yes' },
      ...(capturesLater ? { capture_method: 'manual' as const } : {}),
    },
    success_url: addQuery(returnUrl, { payment_success: 'true', payment_id: paymentId }),
    cancel_url: addQuery(returnUrl, { payment_canceled: 'true', payment_id: paymentId }),
  }
}

const openPage = (
  connection: StripeConnection,
  page: Stripe.Checkout.SessionCreateParams,
  idempotencyKey: string,
): Promise<CheckoutResult> =>
  order(connection, async () => {
    const { id: sessionId, url } = await connection.stripe.checkout.sessions.create(page, { idempotencyKey })
    return url ? { status: 'created', sessionId, url } : unreadable('a new checkout')
  })

/** Returns the payment intent of a charge, whether accepted or declined. */
async function chargeCard(
  { paymentIntents, errors }: Stripe,
  { paymentId, description, idempotencyKey, capturesLater }: ChargeRequest,
  card: { customer: string; paymentMethod: string },
  amount: StripeAmount,
): Promise<Stripe.PaymentIntent> {
  try {
    return await paymentIntents.create(
      {
        amount: amount.value,
        currency: amount.currency,
        customer: card.customer,
        payment_method: card.paymentMethod,
        allowed_payment_method_types: ['card'],
        confirm: true,
        off_session: true,
        error_on_requires_action: true,
        description,
        metadata: { payment_id: paymentId, method: 'card' },
        ...(capturesLater ? { capture_method: 'manual' as const } : {}),
      },
      { idempotencyKey },
    )
  } catch (error) {
    if (error instanceof errors.StripeCardError && error.payment_intent) return error.payment_intent
    throw error
  }
}

/** Card payments on Stripe's hosted Checkout, and charges of cards saved there. */
export const createStripeCardProvider = (connection: StripeConnection): CardProvider => ({
  async createCheckout(request) {
    const amount = toStripe(request.amount)
    if (!amount) return amountRefused
    const page = buildPage(request, amount)
    if (!request.saveCard) return openPage(connection, page, request.idempotencyKey)
    const saving = {
      ...page,
      customer_creation: 'always',
      metadata: { ...page.metadata, save_card: 'yes' },
      payment_intent_data: { ...page.payment_intent_data, setup_future_usage: 'off_session' },
    } as const
    return openPage(connection, saving, request.idempotencyKey)
  },

  async charge(request) {
    const amount = toStripe(request.amount)
    const card = readToken(request.cardToken)
    if (!amount || !card) return amountRefused
    const intent = await order(connection, () => chargeCard(connection.stripe, request, card, amount))
    if (!('id' in intent)) return intent
    if (!needsPayer(intent)) return { status: 'created', sessionId: intent.id, url: null }
    // Stripe hosts no page for confirming a charge alone, so the payer confirms the same payment in a checkout.
    const page = { ...buildPage(request, amount), customer: card.customer }
    return openPage(connection, page, `${request.idempotencyKey}:confirm`)
  },

  lookup: (sessionId) => lookupCollection(connection, sessionId),
  capture: (sessionId) => captureCollection(connection, sessionId),
  cancel: (sessionId) => cancelCollection(connection, sessionId),

  async forgetCard(token) {
    const card = readToken(token)
    return card === undefined || detach(connection, card.paymentMethod)
  },
})
