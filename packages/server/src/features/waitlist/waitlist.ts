import { emailAddress } from '@tern/contract/protocol/email-address'
import { isClosedCountry } from '@tern/contract/site/closed-countries'
import type pg from 'pg'
import { transact } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import type { WaitlistRow } from './row-types.ts'

export interface WaitlistContext {
  /**
   * WAITLIST_FORM_URL: form service that receives entries as JSON `{"email": …, "country": …}`. If undefined, entries
   * are only stored.
   */
  readonly formUrl: string | undefined
}

type WaitlistEntry = Pick<WaitlistRow, 'email' | 'country'>

/** An address that joins again keeps its entry. If it adds the missing country, the entry is forwarded again. */
const addCountry = `on conflict (email) do update set country = excluded.country, forwarded_at = null
  where waitlist.country is null and excluded.country is not null`

const forwardTimeoutMs = 10_000
const maxAttempts = 100

// The entry is authoritative: `resumeForwarding` adds a lost job again.
const addJob = `graphile_worker.add_job('forward_waitlist', json_build_object('waitlistId', waitlist.id),
  job_key => waitlist.id::text, job_key_mode => 'unsafe_dedupe', max_attempts => ${maxAttempts})`

/**
 * Stores an address, once, with the country if that is one of the closed ones. Returns false, and stores nothing, if
 * `email` is not an address.
 */
export async function addEntry(
  { formUrl }: WaitlistContext,
  pool: pg.Pool,
  { email: text, country = '' }: { readonly email: string; readonly country?: string | undefined },
): Promise<boolean> {
  const { success, data: email } = emailAddress.safeParse(text)
  if (!success) return false
  const at = new Date()
  await transact(pool, async (tx) => {
    const entry = { id: newId(at), email, joined_at: at, country: isClosedCountry(country) ? country : null }
    const isChanged = await insertRow(tx, 'waitlist', entry, addCountry)
    if (isChanged && formUrl !== undefined) await tx.query(`select ${addJob} from waitlist where email = $1`, [email])
  })
  return true
}

/** Forwards an entry to the form service unless it was accepted before. Throws if the service does not accept it. */
export async function forwardEntry({ formUrl }: WaitlistContext, pool: pg.Pool, id: string): Promise<void> {
  if (formUrl === undefined) return
  const { rows } = await pool.query<WaitlistEntry>(
    'select email, country from waitlist where id = $1 and forwarded_at is null',
    [id],
  )
  const [entry] = rows
  if (!entry) return
  await deliver(formUrl, entry)
  // An entry that got its country meanwhile stays to be forwarded.
  await pool.query('update waitlist set forwarded_at = $2 where id = $1 and country is not distinct from $3', [
    id,
    new Date(),
    entry.country,
  ])
}

/** Adds a job for every entry that is not forwarded and has none. */
export async function resumeForwarding({ formUrl }: WaitlistContext, pool: pg.Pool): Promise<void> {
  if (formUrl === undefined) return
  await pool.query(
    `select ${addJob} from waitlist
      where forwarded_at is null
        and not exists (select from graphile_worker._private_jobs where key = waitlist.id::text)`,
  )
}

/** Posts an entry to the form service. Errors contain no address, since the queue stores and logs them. */
async function deliver(formUrl: string, { email, country }: WaitlistEntry): Promise<void> {
  const response = await fetch(formUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(country === null ? { email } : { email, country }),
    redirect: 'error',
    signal: AbortSignal.timeout(forwardTimeoutMs),
  }).catch(() => undefined)
  await response?.body?.cancel()
  if (!response) throw new Error('the form service did not answer')
  if (!response.ok) throw new Error(`the form service answered ${response.status}`)
}
