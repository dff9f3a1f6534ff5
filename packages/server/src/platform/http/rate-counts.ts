import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { onlyRow } from '../database/db.ts'
import { Refusal } from '../refuse.ts'

const minuteSeconds = 60
const pollMs = 100
const longestWaitMs = 5000
const sweepEveryMs = 60_000
const sweepAtOnce = 10_000
const maxSpentKeys = 10_000

/** Place reserved for a call that may count against a limit. */
export interface LimitPlace {
  /** Releases the place at the end of the call, stating whether it counted. */
  release(isCounted: boolean): void
}

/**
 * Counts calls by key in the database, for all processes: at most `max` per window, which lasts a minute unless given
 * and begins with the first call. Refuses `rate_limited` with the seconds to wait. If the limit is reached
 * only together with calls in progress, waits up to five seconds for them first.
 */
export interface RateCounts {
  /** Counts a call. Calls for one key must have the same `max` and window. */
  count(key: string, max: number, windowSeconds?: number): Promise<void>
  /** Reserves a place for a call that counts depending on its outcome, until it is released or the window ends. */
  hold(key: string, max: number): Promise<LimitPlace>
}

type Kind = 'count' | 'hold'

interface PlaceRequest {
  readonly kind: Kind
  readonly giveUpAt: number
  readonly resolve: (windowEndsAt: Date) => void
  readonly reject: (error: unknown) => void
}

/** Places released in a window. */
interface ReleasedPlaces {
  readonly endsAt: Date
  count: number
}

/** State of a key in this process, whose calls for the key share one statement at a time. */
interface Bucket {
  readonly key: string
  readonly max: number
  readonly windowSeconds: number
  queue: PlaceRequest[]
  released: ReleasedPlaces | undefined
  counted: number
  isWorking: boolean
  wake: () => void
}

const rateLimited = (remainingMs: number): Refusal =>
  // not money: seconds
  new Refusal('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1000)) })

/** Counts in the database of `pool`; passes database errors to the caller. */
export function createRateCounts(pool: pg.Pool): RateCounts {
  const buckets = new Map<string, Bucket>()
  const spentKeys = createSpentKeys()
  const sweep = createSweeper(pool)

  function openBucket(key: string, max: number, windowSeconds = minuteSeconds): Bucket {
    const bucket = buckets.get(key) ?? {
      key,
      max,
      windowSeconds,
      queue: [],
      released: undefined,
      counted: 0,
      isWorking: false,
      wake: () => {},
    }
    buckets.set(key, bucket)
    return bucket
  }

  async function requestPlace(kind: Kind, key: string, max: number, windowSeconds?: number): Promise<Date> {
    spentKeys.requireLeft(key)
    return new Promise((resolve, reject) => {
      const bucket = openBucket(key, max, windowSeconds)
      bucket.queue.push({ kind, giveUpAt: performance.now() + longestWaitMs, resolve, reject })
      void work(bucket)
    })
  }

  async function work(bucket: Bucket): Promise<void> {
    bucket.wake()
    if (bucket.isWorking) return
    bucket.isWorking = true
    while (bucket.queue.length > 0 || bucket.released || bucket.counted > 0) {
      const requests = collectBatch(bucket)
      try {
        const answer = await reportAndRequest(pool, bucket, requests)
        for (const { resolve } of requests.splice(0, answer.granted)) resolve(answer.endsAt)
        if (requests.length === 0) continue
        const isSpent = answer.counted >= bucket.max
        if (isSpent) spentKeys.note(bucket.key, answer.leftMs)
        bucket.queue.unshift(...requests)
        const isOver = ({ giveUpAt }: PlaceRequest) => isSpent || giveUpAt <= performance.now()
        for (const { reject } of bucket.queue.filter(isOver)) reject(rateLimited(answer.leftMs))
        bucket.queue = bucket.queue.filter((request) => !isOver(request))
        if (bucket.queue.length > 0) await awaitChange(bucket)
      } catch (error) {
        for (const { reject } of [...requests, ...bucket.queue.splice(0)]) reject(error)
      }
    }
    bucket.isWorking = false
    buckets.delete(bucket.key)
    sweep()
  }

  return {
    async count(key, max, windowSeconds) {
      await requestPlace('count', key, max, windowSeconds)
    },
    async hold(key, max) {
      const endsAt = await requestPlace('hold', key, max)
      return {
        release(isCounted) {
          const bucket = openBucket(key, max)
          recordRelease(bucket, endsAt, isCounted)
          void work(bucket)
        },
      }
    },
  }
}

/** Caches keys that have reached their limit. Counts never decrease within a window, so these keys need no query. */
function createSpentKeys() {
  const spentUntil = new Map<string, number>()
  return {
    note(key: string, remainingMs: number): void {
      if (spentUntil.size >= maxSpentKeys) spentUntil.clear()
      spentUntil.set(key, performance.now() + remainingMs)
    },
    /** Refuses `rate_limited` for a key in the cache. */
    requireLeft(key: string): void {
      const until = spentUntil.get(key)
      if (until === undefined) return
      const leftMs = until - performance.now()
      if (leftMs > 0) throw rateLimited(leftMs)
      spentUntil.delete(key)
    },
  }
}

function collectBatch({ queue }: Bucket): PlaceRequest[] {
  const end = queue.findIndex(({ kind }) => kind !== queue[0]?.kind)
  return queue.splice(0, end === -1 ? queue.length : end)
}

function recordRelease(bucket: Bucket, endsAt: Date, isCounted: boolean): void {
  if (isCounted) bucket.counted += 1
  const { released } = bucket
  if (released?.endsAt.getTime() === endsAt.getTime()) released.count += 1
  // Places of an ended window no longer exist.
  else if (!released || released.endsAt < endsAt) bucket.released = { endsAt, count: 1 }
}

/** Resolves when the bucket has changed, or after a pause in which other processes may have released places. */
async function awaitChange(bucket: Bucket): Promise<void> {
  const wakeSignal = new Promise<void>((resolve) => (bucket.wake = resolve))
  await Promise.race([wakeSignal, delay(pollMs)])
  bucket.wake = () => {}
}

interface LimitAnswer {
  readonly granted: number
  readonly counted: number
  readonly endsAt: Date
  readonly leftMs: number
}

/**
 * Reports released places and requests new ones in one statement. If it fails, the released places stay taken until the
 * window ends.
 */
async function reportAndRequest(
  pool: pg.Pool,
  bucket: Bucket,
  requests: readonly PlaceRequest[],
): Promise<LimitAnswer> {
  const { key, max, released, counted } = bucket
  bucket.released = undefined
  bucket.counted = 0
  const { rows } = await pool.query<LimitAnswer>({
    name: 'rate_limit',
    text: `insert into rate_limit as known (key, counted, held, granted, ends_at)
     values ($1, $7::int + case when $4 then 0 else least($3::int, $2::int) end, case when $4 then least($3::int, $2::int) else 0 end,
             least($3::int, $2::int), date_trunc('milliseconds', now()) + make_interval(secs => $8))
     on conflict (key) do update set (counted, held, granted, ends_at) = (
       select counted + case when $4 then 0 else fresh end, held + case when $4 then fresh else 0 end, fresh, ends_at
         from (select *, least($3::int, greatest(0, $2::int - counted - held)) as fresh
                 from (select $7::int + case when is_over then 0 else known.counted end as counted,
                              case when is_over then 0
                                   when known.ends_at = $6::timestamptz then greatest(0, known.held - $5::int)
                                   else known.held end as held,
                              case when is_over then excluded.ends_at else known.ends_at end as ends_at
                         from (select known.ends_at <= now() as is_over) as present) as present) as present)
     returning granted, counted, ends_at as "endsAt", (extract(epoch from ends_at - now()) * 1000)::int as "leftMs"`,
    values: [
      key,
      max,
      requests.length,
      requests[0]?.kind === 'hold',
      released?.count ?? 0,
      released?.endsAt ?? null,
      counted,
      bucket.windowSeconds,
    ],
  })
  return onlyRow(rows)
}

/** Deletes ended windows, at most once a minute. */
function createSweeper(pool: pg.Pool): () => void {
  let sweptAt = performance.now()
  return () => {
    if (performance.now() - sweptAt < sweepEveryMs) return
    sweptAt = performance.now()
    pool
      .query(
        `delete from rate_limit where key in
           (select key from rate_limit where ends_at < now() limit $1 for update skip locked)`,
        [sweepAtOnce],
      )
      // The next sweep retries.
      .catch(() => {})
  }
}
