import type { Stripe } from 'stripe'
import { createStripeLinkProvider } from '../link/stripe.ts'
import { lookupCollection, readIntent, readSession } from '../collect/stripe-card.ts'
import { payoutEventTypes, snapshotEventTypes } from './stripe-event-types.ts'
import { readText } from '../json.ts'
import type { KnownOutcome, UnknownOutcome } from '../outcome.ts'
import { lookupOutbound } from '../payout/stripe.ts'
import { disputeLine, type FoundLine, refundLine } from '../report/stripe-lines.ts'
import { lookupDispute, lookupFraudWarning } from './stripe-warnings.ts'
import { callStripe, fromUnixSeconds, type StripeConnection } from '../stripe-connection.ts'
import {
  type EventHeaders,
  type EventContent,
  type EventQuestion,
  type ProviderEvent,
  type ProviderEvents,
  SignatureError,
} from './port.ts'

const toleranceSeconds = 5 * 60

type ContentOrQuestion = EventContent | EventQuestion

/** Verifies the signature against each secret: every event destination has its own, and rotated secrets overlap. */
export function checkStripeSignature(
  { stripe, webhookSecrets }: StripeConnection,
  body: Buffer,
  headers: EventHeaders,
  now: Date,
): void {
  const header = headers['stripe-signature']
  const { signature } = stripe.webhooks
  if (typeof header !== 'string' || !signature) throw new SignatureError('The event has no signature')
  let problem = 'The event is signed with a secret that is not known here'
  for (const secret of webhookSecrets) {
    try {
      signature.verifyHeader(body, header, secret, toleranceSeconds, undefined, now.getTime())
      return
    } catch (error) {
      if (!(error instanceof stripe.errors.StripeSignatureVerificationError)) throw error
      problem = error.message.split('\n', 1)[0] ?? problem
    }
  }
  throw new SignatureError(problem)
}

/** Builds an event question that queries Stripe for the current state. */
const fetchState = <State extends { status: string }>(
  lookup: () => Promise<State | UnknownOutcome>,
  news: (state: KnownOutcome<State>) => EventContent,
): EventQuestion => ({
  about: 'ask',
  async ask() {
    const state = await lookup()
    return isUnknown(state) ? { about: 'unknown', reason: state.reason } : news(state as KnownOutcome<State>)
  },
})

const isUnknown = (state: { status: string }): state is UnknownOutcome => state.status === 'unknown'

const fetchPayment = (connection: StripeConnection, sessionId: string): EventQuestion =>
  fetchState(
    () => lookupCollection(connection, sessionId),
    (state) => ({ about: 'payment', sessionId, state }),
  )

const fetchLine = (connection: StripeConnection, type: string, find: () => Promise<FoundLine>): EventQuestion =>
  fetchState(
    () => callStripe(connection, async () => ({ status: 'found', line: await find() })),
    ({ line }) => (line ? { about: 'reversal', line } : { about: 'unhandled', type }),
  )

const fetchWarning = (type: string, lookup: () => ReturnType<typeof lookupDispute>): EventQuestion =>
  fetchState(lookup, ({ warning }) => (warning ? { about: 'warning', warning } : { about: 'unhandled', type }))

/**
 * Parses a checkout event. Bank links, open sessions and cards to be saved need a query; other sessions are complete.
 */
function readSessionNews(
  connection: StripeConnection,
  type: string,
  session: Stripe.Checkout.Session,
): ContentOrQuestion {
  const linkId = session.metadata?.link_id
  if (linkId !== undefined) {
    return fetchState(
      () => createStripeLinkProvider(connection).lookupLink(session.id),
      (state) => ({ about: 'link', sessionId: session.id, state }),
    )
  }
  if (session.metadata?.payment_id === undefined) return { about: 'unhandled', type }
  const state = readSession(session)
  if (!state || state.status === 'open' || session.metadata.save_card === 'yes') {
    return fetchPayment(connection, session.id)
  }
  return { about: 'payment', sessionId: session.id, state }
}

/**
 * Parses a payment intent event of our charges and debits. Intents of a checkout are covered by its session events,
 * except a later capture, for which the session has no event.
 */
function readIntentNews(type: string, intent: Stripe.PaymentIntent): ContentOrQuestion {
  const isCaptured = intent.status === 'succeeded' && intent.capture_method === 'manual'
  const state = intent.metadata.checkout === 'yes' && !isCaptured ? undefined : readIntent(intent)
  return state ? { about: 'payment', sessionId: intent.id, state } : { about: 'unhandled', type }
}

/** Builds the query for the report line of a refund, or of its failure. */
function readRefundNews(connection: StripeConnection, event: Stripe.Event, refund: Stripe.Refund): EventQuestion {
  const { id, status } = refund
  const hasFailed = status === 'failed' || status === 'canceled'
  const refundResult = hasFailed ? { hasFailed, at: fromUnixSeconds(event.created) } : { hasFailed }
  return fetchLine(connection, event.type, () => refundLine(connection, id, refundResult))
}

/** Parses an event that contains its whole object. */
function readSnapshotNews(connection: StripeConnection, event: Stripe.Event): ContentOrQuestion {
  const { type } = event
  if (
    event.type === 'checkout.session.completed' ||
    event.type === 'checkout.session.async_payment_succeeded' ||
    event.type === 'checkout.session.async_payment_failed' ||
    event.type === 'checkout.session.expired'
  ) {
    return readSessionNews(connection, type, event.data.object)
  }
  if (
    event.type === 'payment_intent.succeeded' ||
    event.type === 'payment_intent.payment_failed' ||
    event.type === 'payment_intent.canceled'
  ) {
    return readIntentNews(type, event.data.object)
  }
  if (event.type === 'refund.created' || event.type === 'refund.updated' || event.type === 'refund.failed') {
    return readRefundNews(connection, event, event.data.object)
  }
  if (event.type === 'charge.dispute.funds_withdrawn' || event.type === 'charge.dispute.funds_reinstated') {
    const { id } = event.data.object
    const isReinstated = event.type === 'charge.dispute.funds_reinstated'
    return fetchLine(connection, type, () => disputeLine(connection, id, { isReinstated }))
  }
  if (
    event.type === 'charge.dispute.created' ||
    event.type === 'charge.dispute.updated' ||
    event.type === 'charge.dispute.closed'
  ) {
    const { id } = event.data.object
    return fetchWarning(type, () => lookupDispute(connection, id))
  }
  if (event.type === 'radar.early_fraud_warning.created' || event.type === 'radar.early_fraud_warning.updated') {
    const { id } = event.data.object
    return fetchWarning(type, () => lookupFraudWarning(connection, id))
  }
  return { about: 'unhandled', type }
}

const snapshotEvents: ReadonlySet<string> = new Set(snapshotEventTypes)

type EventObject = Stripe.Checkout.Session | Stripe.PaymentIntent | Stripe.Refund

/** Retrieves the object of an event in the version of this program. */
async function retrieveObject({ stripe }: StripeConnection, type: string, id: string): Promise<EventObject> {
  if (type.startsWith('checkout.session.')) return stripe.checkout.sessions.retrieve(id)
  return type.startsWith('refund.') ? stripe.refunds.retrieve(id) : stripe.paymentIntents.retrieve(id)
}

/**
 * Parses an event of another API version, whose payload may have another form: only its type and the id of its object
 * are read, and the object is queried.
 */
function readOtherVersion(connection: StripeConnection, event: Stripe.Event): ContentOrQuestion {
  const { type } = event
  const id = readText(event.data.object, 'id')
  if (!snapshotEvents.has(type) || id === undefined) return { about: 'unhandled', type }
  // These are queried by their id anyway.
  if (type.startsWith('charge.dispute.') || type.startsWith('radar.')) return readSnapshotNews(connection, event)
  return {
    about: 'ask',
    async ask() {
      const found = await callStripe(connection, async () => ({
        status: 'found',
        object: await retrieveObject(connection, type, id),
      }))
      if (isUnknown(found)) return { about: 'unknown', reason: found.reason }
      const current = { ...event, data: { object: found.object } } as Stripe.Event
      const news = readSnapshotNews(connection, current)
      return news.about === 'ask' ? news.ask() : news
    },
  }
}

const payoutEvents: ReadonlySet<string> = new Set(payoutEventTypes)

/** Parses an event that contains only its object's id, as all payout events do. */
function readNotificationNews(
  connection: StripeConnection,
  event: Stripe.V2.Core.EventNotification,
): ContentOrQuestion {
  const relatedObject: unknown = 'related_object' in event ? event.related_object : undefined
  const id = readText(relatedObject, 'id')
  if (!payoutEvents.has(event.type) || id === undefined) return { about: 'unhandled', type: event.type }
  return fetchState(
    () => lookupOutbound(connection, id),
    (state) => ({ about: 'payout', providerPayoutId: id, state }),
  )
}

const isNotification = (text: string): boolean => readText(JSON.parse(text), 'object') === 'v2.core.event'

/** Events posted by Stripe, both with the whole object and with only its id. */
export function createStripeEvents(connection: StripeConnection): ProviderEvents {
  const { stripe } = connection
  const ourVersion = stripe.getApiField('version')
  return {
    verify(rawBody, headers, now): ProviderEvent {
      const body = typeof rawBody === 'string' ? Buffer.from(rawBody) : rawBody
      checkStripeSignature(connection, body, headers, now)
      const text = body.toString('utf8')
      if (isNotification(text)) {
        const event = stripe.parseEventNotificationWithoutVerification(text)
        return { id: event.id, ...readNotificationNews(connection, event) }
      }
      const event = stripe.webhooks.constructEventWithoutVerification(text)
      const { id, api_version: version } = event
      if (version === ourVersion) return { id, ...readSnapshotNews(connection, event) }
      return { id, otherVersion: version ?? 'none', ...readOtherVersion(connection, event) }
    },
  }
}
