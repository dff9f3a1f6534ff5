// Checks after each failover.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { audit } from '../../packages/server/src/commands/audit/audit.ts'
import type { Harness } from '../long/harness.ts'
import { markTable } from './cluster.ts'
import { type Acknowledgement, type Probe, probeMinor, type Stream } from './probes.ts'

/** Limits in milliseconds, from the moment at which money moves again. */
const maxJobMs = 10_000
const maxStreamMs = 20_000
const pollMs = 50
const repeatedSends = 20
const splitBrainMs = 5000

/** Task of the worker that is harmless at any time. */
const taskName = 'end_due_requests'

/** Returns the milliseconds until the worker has run a job added now; undefined if it takes too long. */
export async function measureJob({ pool }: Harness): Promise<number | undefined> {
  const startedAt = Date.now()
  let id: string | undefined
  while (Date.now() - startedAt < 3 * maxJobMs) {
    try {
      id ??= await addJob(pool)
      const { rowCount } = await pool.query('select from graphile_worker._private_jobs where id = $1', [id])
      if (rowCount === 0) return Date.now() - startedAt
    } catch {
      // The pool of the harness may still hold connections to the old primary.
    }
    await delay(pollMs)
  }
  return undefined
}

async function addJob(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(`select id::text from graphile_worker.add_job($1, '{}'::json)`, [
    taskName,
  ])
  return rows[0]?.id
}

/** Returns a sentence if the job took too long. */
export const judgeJob = (jobMs: number | undefined): string[] =>
  jobMs !== undefined && jobMs <= maxJobMs ? [] : [`a job waited for ${jobMs ?? `more than ${3 * maxJobMs}`} ms`]

/** Returns the milliseconds from `since` until every stream has reported a send acknowledged after it. */
export async function measureStreams(
  streams: readonly Stream[],
  probes: readonly Probe[],
  since: number,
): Promise<number | undefined> {
  const arrivedAt = ({ arrivals, refetchedAt }: Stream): number | undefined => {
    const later = probes.flatMap(({ acknowledged }) => acknowledged.filter(({ at }) => at >= since))
    const times = later.flatMap(({ id }) => arrivals.get(id) ?? [])
    return [...times, ...refetchedAt.filter((at) => at >= since)].toSorted((a, b) => a - b)[0]
  }
  for (const end = Date.now() + maxStreamMs; Date.now() < end; await delay(pollMs)) {
    const times = streams.map(arrivedAt)
    if (times.every((time) => time !== undefined)) return Math.max(0, ...times.map((time) => (time ?? 0) - since))
  }
  return undefined
}

/** Returns a sentence for each acknowledged send that is missing. */
export async function findLost({ pool }: Harness, probes: readonly Probe[]): Promise<string[]> {
  const faults = probes.map(async ({ sender, acknowledged }) => {
    const ids = acknowledged.map(({ id }) => id)
    const { rows } = await pool.query<{ id: string }>(
      `select id::text from unnest($1::uuid[]) as id where not exists (
         select from transaction t join ledger.posting p on p.id = t.posting_id where t.id = id.id and t.user_id = $2)`,
      [ids, sender.id],
    )
    return rows.map(({ id }) => `LOST: the send ${id} was acknowledged`)
  })
  return (await Promise.all(faults)).flat()
}

/** Returns a sentence for each sender whose sends are more or fewer than those acknowledged. Only at rest. */
export async function findDoubled({ pool }: Harness, probes: readonly Probe[]): Promise<string[]> {
  const faults = probes.map(async ({ sender, acknowledged }) => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from transaction where user_id = $1 and kind = 'SEND' and source_amount = $2`,
      [sender.id, probeMinor],
    )
    const count = rows[0]?.count ?? 0
    return count === acknowledged.length
      ? []
      : [
          `DOUBLED or LOST: ${acknowledged.length} sends of ${sender.username} were acknowledged and ${count} carried out`,
        ]
  })
  return (await Promise.all(faults)).flat()
}

/** Repeats the last acknowledged sends before `at`; returns a sentence for each other answer. */
export async function findDifferentAnswers(probes: readonly Probe[], at: number): Promise<string[]> {
  const checks = probes.map(async (probe) => {
    const last = probe.acknowledged.filter((sent) => sent.at <= at).slice(-repeatedSends)
    const answers = await Promise.all(last.map((sent) => probe.repeat(sent)))
    return last.flatMap(({ id }: Acknowledgement, index) =>
      answers[index] === id ? [] : [`a repeated request got ${answers[index]} instead of ${id}`],
    )
  })
  return (await Promise.all(checks)).flat()
}

/** Returns a sentence for each check of the audit that fails. */
export async function findBrokenBooks({ pool }: Harness): Promise<string[]> {
  const { checks } = await audit(pool)
  return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `audit: ${name}: ${detail}`)
}

export interface SplitBrain {
  /** False if the old primary had already stopped. */
  readonly isReached: boolean
  readonly isAcknowledged: boolean
  readonly mark: string
}

/**
 * Writes to a database that still believes to be primary while another one has taken its place. The write must not be
 * acknowledged, since no standby confirms it.
 */
export async function writeToOldPrimary(url: string): Promise<SplitBrain> {
  const mark = randomUUID()
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    const written = rows[0]?.standby === false && client.query(`insert into ${markTable} values ($1)`, [mark])
    if (written === false) return { isReached: false, isAcknowledged: false, mark }
    const isAcknowledged = await Promise.race([
      written.then(
        () => true,
        () => false,
      ),
      delay(splitBrainMs, false),
    ])
    return { isReached: true, isAcknowledged, mark }
  } catch {
    return { isReached: false, isAcknowledged: false, mark }
  } finally {
    client.connection.stream.destroy()
  }
}
