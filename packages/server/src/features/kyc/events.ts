import { type EventHeaders, SignatureError } from '@tern/providers/events/port'
import type { IdentityEvent, IdentityProvider } from '@tern/providers/kyc/port'
import type pg from 'pg'
import { insertRow } from '../../platform/database/rows.ts'
import type { ProviderRegistry } from '../../platform/providers/provider-registry.ts'
import type { Seal } from '../../platform/seal.ts'
import { readToAsk, type Submission } from './submission.ts'

/**
 * What an event was. `unhandled`: authentic, and about something else; `not_authentic` by what this provider signs with;
 * `not_ours`: no identity provider of this name is configured.
 */
export type EventOutcome = 'taken_in' | 'unhandled' | 'not_authentic' | 'not_ours'

interface EventContext {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly providers: ProviderRegistry<IdentityProvider>
  readonly now: () => Date
  readonly log: { warn(details: object, message: string): void }
  readonly decide: (submission: Submission) => Promise<'changed' | 'unchanged' | 'unknown'>
}

/**
 * Takes in an event: it only says that something changed. How the verification stands is asked, so events may be repeated,
 * late, or in any order. Throws when the provider did not answer: it has to be sent again.
 */
export async function receiveEvent(
  context: EventContext,
  name: string,
  rawBody: Buffer,
  headers: EventHeaders,
): Promise<EventOutcome> {
  const { pool, seal, log } = context
  const provider = context.providers.find(name)
  if (!provider) return 'not_ours'
  const event = authentic(provider, rawBody, headers)
  if (!event) return 'not_authentic'
  if (event.about === 'unhandled') return 'unhandled'
  const { id, reference } = event
  const known = await pool.query('select from kyc_event where provider = $1 and id = $2', [name, id])
  if (known.rowCount !== 0) return 'taken_in'
  const submission = await readToAsk(pool, seal, name, reference)
  if (!submission) {
    log.warn({ eventId: id }, 'nothing follows from an event about an identity check')
    return 'taken_in'
  }
  const asked = await context.decide(submission)
  if (asked === 'unknown') throw new Error(`what the event ${id} is about is not known`)
  const row = { provider: name, id, received_at: context.now() }
  await insertRow(pool, 'kyc_event', row, 'on conflict do nothing')
  return 'taken_in'
}

function authentic(provider: IdentityProvider, rawBody: Buffer, headers: EventHeaders): IdentityEvent | undefined {
  try {
    // By the machine's own time: the product's clock may be moved in sandbox mode.
    return provider.verifyEvent(rawBody, headers, new Date())
  } catch (error) {
    if (error instanceof SignatureError) return undefined
    throw error
  }
}
