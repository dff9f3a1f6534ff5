import { type EventHeaders, type EventNews, type ProviderEvent, SignatureError } from '@tern/providers/events/port'
import type { MoneyProvider } from '@tern/providers/money'
import { retryOnConflict } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { refuse } from '../../platform/refuse.ts'
import type { PaymentContext, Transition } from './context.ts'
import { reversalTransition } from './disputes/reversals.ts'
import { linkTransition } from './instruments/bank-links.ts'
import { paymentTransition } from './pay-ins/settlement.ts'
import { payoutTransition } from './payouts/payout-outcomes.ts'

/**
 * Takes in an event: checks that it is authentic, completes it, finds what follows, and applies that once. Refuses
 * `not_found` and `signature_invalid`; throws when the event has to be sent again.
 */
export async function receiveEvent(
  context: PaymentContext,
  providerName: string,
  rawBody: Buffer,
  headers: EventHeaders,
): Promise<void> {
  const provider = context.providers.find(providerName) ?? refuse('not_found')
  const event = await completed(authentic(provider, rawBody, headers))
  if (event.about === 'unhandled') return
  const transition = await transitionOf(context, providerName, event)
  if (transition) await applyOnce(context, providerName, event, transition)
  else context.log.warn({ eventId: event.id, about: event.about }, 'nothing follows from an event')
}

function authentic({ events }: MoneyProvider, rawBody: Buffer, headers: EventHeaders): ProviderEvent {
  try {
    // By the machine's own time: the product's clock may be moved in sandbox mode.
    return events.verify(rawBody, headers, new Date())
  } catch (error) {
    if (error instanceof SignatureError) refuse('signature_invalid')
    throw error
  }
}

type News = EventNews & { readonly id: string }
type Handled = Exclude<News, { about: 'unhandled' }>

/** What an event tells; the provider is asked for what it leaves out. Throws when that stays unknown. */
async function completed(event: ProviderEvent): Promise<News> {
  if (event.about !== 'ask') return event
  const { id } = event
  const news = await event.ask()
  if (news.about === 'unknown') throw new Error(`what the event ${id} is about is not known: ${news.reason}`)
  return { ...news, id }
}

function transitionOf(context: PaymentContext, provider: string, event: Handled): Promise<Transition | undefined> {
  switch (event.about) {
    case 'payment':
      return paymentTransition(context, provider, event.sessionId, event.state)
    case 'reversal':
      return reversalTransition(context, provider, event.line)
    case 'payout':
      return payoutTransition(context, provider, event.state)
    case 'link':
      return linkTransition(context, provider, event.state)
  }
}

async function applyOnce(
  { pool, now }: PaymentContext,
  provider: string,
  event: Handled,
  transition: Transition,
): Promise<void> {
  const { id } = event
  await retryOnConflict(pool, async (tx) => {
    const row = { provider, id, subject_id: subjectOf(event), received_at: now(), outcome: 'received' }
    if (!(await insertRow(tx, 'provider_event', row, 'on conflict do nothing'))) return
    const outcome = await transition(tx)
    await tx.query('update provider_event set outcome = $3 where provider = $1 and id = $2', [provider, id, outcome])
  })
}

function subjectOf(event: Handled): string | null {
  if (event.about === 'reversal') return event.line.reference
  if (event.about === 'payment') return event.state.paymentId
  return event.about === 'payout' ? event.state.payoutId : event.state.linkId
}
