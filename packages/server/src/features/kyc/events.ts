import { type EventHeaders, SignatureError } from '@tern/providers/events/port'
import type { IdentityEvent, IdentityProvider } from '@tern/providers/verify/port'
import type pg from 'pg'
import { insertRow } from '../../platform/database/rows.ts'
import { runCheck } from './checks.ts'
import type { KycContext } from './context.ts'
import { readForPoll } from './records/submission.ts'

/**
 * Outcome of an event. `unhandled`: authentic, but of a kind that is not handled. `not_authentic`: wrong signature.
 * `not_ours`: its identity provider is not configured.
 */
export type EventOutcome = 'taken_in' | 'unhandled' | 'not_authentic' | 'not_ours'

export interface ProviderEvent {
  readonly provider: string
  readonly rawBody: Buffer
  readonly headers: EventHeaders
}

/**
 * Receives a provider's event. An event only signals a change and the state is then polled, so events may be repeated,
 * late or out of order. Throws if the provider does not answer the poll, so that it sends the event again.
 */
export async function receiveEvent(
  ctx: KycContext,
  pool: pg.Pool,
  { provider: name, rawBody, headers }: ProviderEvent,
): Promise<EventOutcome> {
  const provider = ctx.providers.find(name)
  if (!provider) return 'not_ours'
  const event = verifyEvent(provider, rawBody, headers)
  if (!event) return 'not_authentic'
  if (event.about === 'unhandled') return 'unhandled'
  const { id, reference } = event
  const storedEvent = await pool.query('select from kyc_event where provider = $1 and id = $2', [name, id])
  if (storedEvent.rowCount !== 0) return 'taken_in'
  const submission = await readForPoll(ctx, pool, { provider: name, id: reference })
  if (!submission) {
    ctx.log.warn({ eventId: id }, 'nothing follows from an event about an identity check')
    return 'taken_in'
  }
  if ((await runCheck(ctx, pool, submission)) === 'unknown')
    throw new Error(`what the event ${id} is about is not known`)
  const row = { provider: name, id, received_at: ctx.now() }
  await insertRow(pool, 'kyc_event', row, 'on conflict do nothing')
  return 'taken_in'
}

function verifyEvent(provider: IdentityProvider, rawBody: Buffer, headers: EventHeaders): IdentityEvent | undefined {
  try {
    // Machine clock, because the product's clock can be shifted in sandbox mode.
    return provider.verifyEvent(rawBody, headers, new Date())
  } catch (error) {
    if (error instanceof SignatureError) return undefined
    throw error
  }
}
