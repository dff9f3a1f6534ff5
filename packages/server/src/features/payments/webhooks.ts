import {
  type EventHeaders,
  type EventContent,
  type ProviderEvent,
  type ProviderEvents,
  SignatureError,
} from '@tern/providers/events/port'
import type pg from 'pg'
import type { Tx } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { refuse } from '../../platform/refuse.ts'
import { type PaymentContext, transactWithRetry } from './context.ts'
import { lookUpUnknownHolder } from './instruments/holders.ts'
import { applyLinkState } from './links/bank-links.ts'
import { applyPaymentState } from './outcomes/payment-states.ts'
import { completePayment } from './pay-ins/settlement.ts'
import { findLineOwner } from './records/payment-rows.ts'
import { applyPayoutState } from './payouts/payout-outcomes.ts'
import { applyReversal, checkBeforeReversal } from './reversals/reversals.ts'
import { applyIssuerWarning } from './warnings/issuer-warnings.ts'

export interface DeliveredEvent {
  readonly provider: string
  readonly rawBody: Buffer
  readonly headers: EventHeaders
}

/**
 * Receives an event: verifies its signature, queries the provider for missing facts, and applies it once. Refuses
 * `not_found` and `signature_invalid`; throws if the provider has to deliver it again.
 */
export async function receiveEvent(
  ctx: PaymentContext,
  pool: pg.Pool,
  { provider, rawBody, headers }: DeliveredEvent,
): Promise<void> {
  const events = ctx.providers.find(provider)?.events ?? refuse('not_found')
  const event = verifyEvent(events, rawBody, headers)
  if (event.about !== 'batch') return receiveOne(ctx, pool, provider, event)
  return receiveBatch(ctx, pool, provider, event.events)
}

/** Applies each event, even if another one fails. Throws the first failure and logs the others. */
async function receiveBatch(
  ctx: PaymentContext,
  pool: pg.Pool,
  provider: string,
  events: readonly ProviderEvent[],
): Promise<void> {
  const failures: unknown[] = []
  for (const event of events) {
    await receiveOne(ctx, pool, provider, event).catch((error: unknown) => failures.push(error))
  }
  for (const err of failures.slice(1)) ctx.log.error({ err, provider }, 'another event of a request failed')
  if (failures.length > 0) throw failures[0]
}

async function receiveOne(ctx: PaymentContext, pool: pg.Pool, provider: string, event: ProviderEvent): Promise<void> {
  const { id: eventId, otherVersion } = event
  if (otherVersion !== undefined)
    ctx.log.warn({ provider, eventId, otherVersion }, 'an event has another API version, so its object is queried')
  const news = await nameSubject(pool, provider, await completeEvent(event))
  if (news.about === 'unhandled') return
  if (news.about === 'payment') await lookUpUnknownHolder(ctx, pool, news.state)
  if (news.about === 'reversal') await checkBeforeReversal(ctx, pool, { provider, line: news.line })
  const outcome = await transactWithRetry(pool, (tx, tried) =>
    applyEvent(ctx, tx, { id: event.id, provider, news, tried }),
  )
  if (news.about === 'payment') await completePayment(ctx, pool, { ...news, provider, outcome })
}

function verifyEvent(events: ProviderEvents, rawBody: Buffer, headers: EventHeaders): ProviderEvent {
  try {
    // The real clock, since a sandbox may move the product's.
    return events.verify(rawBody, headers, new Date())
  } catch (error) {
    if (error instanceof SignatureError) refuse('signature_invalid')
    throw error
  }
}

/** Queries the provider for facts that an event leaves out. Throws while they are unknown. */
async function completeEvent(event: ProviderEvent): Promise<EventContent> {
  if (event.about === 'batch') throw new Error(`the event ${event.id} contains events`)
  if (event.about !== 'ask') return event
  const news = await event.ask()
  if (news.about === 'unknown') throw new Error(`what the event ${event.id} is about is not known: ${news.reason}`)
  return news
}

/** Finds the payment by its capture, if the event names it: references of refunds and disputes may be the operator's. */
async function nameSubject(pool: pg.Pool, provider: string, news: EventContent): Promise<EventContent> {
  if (news.about !== 'reversal' && news.about !== 'warning') return news
  const { captureId } = news.about === 'reversal' ? news.line : news.warning
  const reference = captureId === undefined ? undefined : await findLineOwner(pool, provider, captureId)
  if (reference === undefined) return news
  return news.about === 'reversal'
    ? { ...news, line: { ...news.line, reference } }
    : { ...news, warning: { ...news.warning, reference } }
}

interface EventToApply {
  readonly id: string
  readonly provider: string
  readonly news: Exclude<EventContent, { about: 'unhandled' }>
  /** Number of this attempt, from 1. */
  readonly tried: number
}

/**
 * Applies an event and records it. Undefined if it was applied before, or has no effect, in which case it is not
 * recorded.
 */
async function applyEvent(ctx: PaymentContext, tx: Tx, { id, provider, news, tried }: EventToApply) {
  const { rowCount } = await tx.query('select from provider_event where provider = $1 and id = $2', [provider, id])
  if (rowCount === 1) return undefined
  const outcome = await applyEventContent(ctx, tx, { provider, news, tried })
  if (outcome === undefined) {
    ctx.log.warn({ eventId: id, about: news.about }, 'nothing follows from an event')
    return undefined
  }
  const event = { provider, id, subject_id: findSubject(news), received_at: ctx.now(), outcome }
  return (await insertRow(tx, 'provider_event', event, 'on conflict do nothing')) ? outcome : undefined
}

/** Applies the content of an event. Each kind is idempotent, and returns undefined if there is no effect. */
function applyEventContent(ctx: PaymentContext, tx: Tx, { provider, news, tried }: Omit<EventToApply, 'id'>) {
  switch (news.about) {
    case 'payment':
      return applyPaymentState(ctx, tx, { provider, sessionId: news.sessionId, state: news.state })
    case 'reversal':
      return applyReversal(ctx, tx, { provider, line: news.line, isLocked: tried > 1 })
    case 'payout':
      return applyPayoutState(ctx, tx, { provider, state: news.state })
    case 'link':
      return applyLinkState(ctx, tx, { provider, state: news.state })
    case 'warning':
      return applyIssuerWarning(ctx, tx, { provider, warning: news.warning })
  }
}

function findSubject(news: EventToApply['news']): string | null {
  switch (news.about) {
    case 'payment':
      return news.state.paymentId
    case 'reversal':
      return news.line.reference
    case 'payout':
      return news.state.payoutId
    case 'link':
      return news.state.linkId
    case 'warning':
      return news.warning.reference
  }
}
