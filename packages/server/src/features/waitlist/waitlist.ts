import { emailAddress } from '@tern/contract/protocol/wire'
import type pg from 'pg'
import { transact } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'

/** Keeps the addresses of those who wait for their country, and passes them on to a form service. */
export interface Waitlist {
  /** Stores an address, once. Gives false, and stores nothing, for what is not an address. */
  join(email: string): Promise<boolean>
  /** The job of an entry: passes it on if that is still to be done. Throws when the service did not take it. */
  forward(id: string): Promise<void>
  /** Sees to it that every entry that was not passed on has a job. */
  resumeForwarding(): Promise<void>
}

export interface WaitlistOptions {
  readonly pool: pg.Pool
  /** Where entries go, as JSON `{"email": …}`; without it they stay here. */
  readonly formUrl: string | undefined
  readonly realNow?: () => Date
}

const forwardTimeoutMs = 10_000
const attempts = 100

// A job is only lost with the queue; the entry is what counts.
const addJob = `graphile_worker.add_job('forward_waitlist', json_build_object('waitlistId', waitlist.id),
  job_key => waitlist.id::text, job_key_mode => 'unsafe_dedupe', max_attempts => ${attempts})`

/** A waitlist over the database; `formUrl` comes from WAITLIST_FORM_URL. */
export function createWaitlist({ pool, formUrl, realNow = () => new Date() }: WaitlistOptions): Waitlist {
  return {
    async join(text) {
      const { success, data: email } = emailAddress.safeParse(text)
      if (!success) return false
      const at = realNow()
      const id = newId(at)
      await transact(pool, async (tx) => {
        const entry = { id, email, joined_at: at }
        const isNew = await insertRow(tx, 'waitlist', entry, 'on conflict (email) do nothing')
        if (isNew && formUrl !== undefined) await tx.query(`select ${addJob} from waitlist where id = $1`, [id])
      })
      return true
    },
    async forward(id) {
      if (formUrl === undefined) return
      const { rows } = await pool.query<{ email: string }>(
        'select email from waitlist where id = $1 and forwarded_at is null',
        [id],
      )
      const [entry] = rows
      if (!entry) return
      await deliver(formUrl, entry.email)
      await pool.query('update waitlist set forwarded_at = $2 where id = $1', [id, realNow()])
    },
    async resumeForwarding() {
      if (formUrl === undefined) return
      await pool.query(
        `select ${addJob} from waitlist
          where forwarded_at is null
            and not exists (select from graphile_worker._private_jobs where key = waitlist.id::text)`,
      )
    },
  }
}

/** Errors name no address: the queue stores and logs them. */
async function deliver(formUrl: string, email: string): Promise<void> {
  const response = await fetch(formUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ email }),
    redirect: 'error',
    signal: AbortSignal.timeout(forwardTimeoutMs),
  }).catch(() => undefined)
  await response?.body?.cancel()
  if (!response) throw new Error('the form service did not answer')
  if (!response.ok) throw new Error(`the form service answered ${response.status}`)
}
