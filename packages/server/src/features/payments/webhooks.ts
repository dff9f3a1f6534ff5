import {
  type EventHeaders,
  type EventNews,
  type ProviderEvent,
  type ProviderEvents,
  SignatureError,
} from '@tern/providers/events/port'
import { retryOnConflict } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { refuse } from '../../platform/refuse.ts'
import type { PaymentContext } from './context.ts'
import { reversalTransition } from './reversals/reversals.ts'
import { linkTransition } from './links/bank-links.ts'
import { paymentTransition, settleAuthorized } from './pay-ins/settlement.ts'
import { findPayment } from './records/payment-rows.ts'
import { payoutTransition } from './payouts/payout-outcomes.ts'

/**
 * Takes in an event: checks that it is authentic, completes it, finds what follows, and applies that once. Refuses
 * `not_found` and `signature_invalid`; throws when the event has to be sent again.
 */
export async function receiveEvent(context: PaymentContext, provider: string, rawBody: Buffer, headers: EventHeaders) {
  const { events } = context.providers.find(provider) ?? refuse('not_found')
  const event = authentic(events, rawBody, headers)
  const news = await completed(event)
  if (news.about === 'unhandled') return
  const { id } = event
  const { subject, transition } = await readNews(context, provider, news)
  if (!transition) return context.log.warn({ eventId: id, about: news.about }, 'nothing follows from an event')
  const outcome = await retryOnConflict(context.pool, async (tx) => {
    const row = { provider, id, subject_id: subject, received_at: context.now(), outcome: 'received' }
    if (!(await insertRow(tx, 'provider_event', row, 'on conflict do nothing'))) return undefined
    const result = await transition(tx)
    await tx.query('update provider_event set outcome = $3 where provider = $1 and id = $2', [provider, id, result])
    return result
  })
  if (news.about !== 'payment' || news.state.status !== 'authorized') return
  const payment = await findPayment(context.pool, news.state.paymentId)
  if (payment) await settleAuthorized(context, payment, news.sessionId, outcome)
}

function authentic(events: ProviderEvents, rawBody: Buffer, headers: EventHeaders): ProviderEvent {
  try {
    // By the machine's own time: the product's clock may be moved in sandbox mode.
    return events.verify(rawBody, headers, new Date())
  } catch (error) {
    if (error instanceof SignatureError) refuse('signature_invalid')
    throw error
  }
}

/** What an event tells; the provider is asked for what it leaves out. Throws when that stays unknown. */
async function completed(event: ProviderEvent): Promise<EventNews> {
  if (event.about !== 'ask') return event
  const news = await event.ask()
  if (news.about === 'unknown') throw new Error(`what the event ${event.id} is about is not known: ${news.reason}`)
  return news
}

type Handled = Exclude<EventNews, { about: 'unhandled' }>

/** What an event is about by our ids, and what follows from it. */
async function readNews(context: PaymentContext, provider: string, news: Handled) {
  switch (news.about) {
    case 'payment':
      return {
        subject: news.state.paymentId,
        transition: await paymentTransition(context, provider, news.sessionId, news.state),
      }
    case 'reversal':
      return { subject: news.line.reference, transition: await reversalTransition(context, provider, news.line) }
    case 'payout':
      return { subject: news.state.payoutId, transition: await payoutTransition(context, provider, news.state) }
    case 'link':
      return { subject: news.state.linkId, transition: await linkTransition(context, provider, news.state) }
  }
}
