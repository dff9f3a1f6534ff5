import assert from 'node:assert'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { createLanes, isConflict, isConnectionLoss, isLockTimeout, type Lane, type Lanes } from './lane.ts'
import { LedgerError, ledgerErrorOf } from '../ledger.ts'
import { assertMovement, type Movement, type Outcome, outcomeOf, type Stripes } from '../movement.ts'
import { createQueue, type Queue, type Waiting } from './queue.ts'

// Group commit over a few connections, called lanes. Movements requested while all are busy form the next batch; there
// is no timer, so a single movement goes at once. Batches under way share no account, so lanes do not block each other,
// and retry rather than wait for other posters.

export interface PosterMetrics {
  /** Called per committed batch. */
  batch(movements: number, durationMs: number): void
  /** Called when a batch is resent. `lock`: an account it needs is locked. */
  retry(cause: 'conflict' | 'connection' | 'lock'): void
}

export interface PostingMode {
  readonly stripes: Stripes
  /** Whether to wait for locked accounts; otherwise movements that need them return as busy. */
  readonly waits: boolean
}

export interface PosterOptions<Request> {
  readonly databaseUrl: string
  readonly movementOf: (request: Request) => Movement
  /** The call that posts a batch: one row with the column `statuses text[]`. */
  readonly encode: (requests: readonly Request[], mode: PostingMode) => pg.QueryConfig
  /** Called after the commit with the posted requests and the `encode` call's row. */
  readonly onPosted?: (requests: readonly Request[], row: PostedRow) => void
  readonly metrics?: PosterMetrics
  /** How long a movement waits for an unreachable database or account. */
  readonly patienceMs?: number
  /** Number of posting connections. */
  readonly lanes?: number
}

export interface Poster<Request> {
  /**
   * Posts in the next batch. Rejects with LedgerError `unavailable` when the outcome is unknown or it did not begin
   * before `deadlineAt` (by `performance.now()`).
   */
  post(request: Request, deadlineAt?: number): Promise<Outcome>
  /** Posts what is pending, then closes the connections. */
  close(): Promise<void>
}

/** The result of the `encode` call: a status per movement, plus anything else. */
export interface PostedRow {
  readonly statuses: readonly string[]
  readonly [column: string]: unknown
}

/** Tells a batch's callers the outcome. */
type Answer = () => void

const mostConflicts = 10
const defaultPatienceMs = 15_000
const defaultLanes = 2
const retryBusyMs = 50

/** A poster with its own connections. Any number may share a database. */
export function createPoster<Request>(options: PosterOptions<Request>): Poster<Request> {
  const patienceMs = options.patienceMs ?? defaultPatienceMs
  const lanes = createLanes(options.databaseUrl, options.lanes ?? defaultLanes)
  const queue = createQueue<Request>()
  const work = createWork(options, lanes, queue)
  let closed = false
  return {
    post(request, deadlineAt = Number.POSITIVE_INFINITY) {
      return new Promise((resolve, reject) => {
        assert(!closed, 'the poster is closed')
        const movement = options.movementOf(request)
        assertMovement(movement)
        const giveUpAt = performance.now() + patienceMs
        queue.add({ request, movement, giveUpAt, deadlineAt, callers: [{ resolve, reject }] })
        work.wakeLane()
      })
    },
    async close() {
      closed = true
      await work.end()
      await lanes.end()
    },
  }
}

/** Lanes working through the queue. */
function createWork<Request>(options: PosterOptions<Request>, lanes: Lanes, queue: Queue<Request>) {
  const active = new Set<Lane>()
  const running = new Set<Promise<void>>()
  let waitingLane: Lane | undefined
  let busyLanes = 0

  /** Wakes an idle lane, if any. */
  function wakeLane(): void {
    const idle = lanes.usable().find((lane) => !active.has(lane))
    if (!idle) return
    active.add(idle)
    const work = workOn(idle).finally(() => running.delete(work))
    running.add(work)
  }

  async function workOn(lane: Lane): Promise<void> {
    const settling = { lane, options, retrySoon: queue.addAgain, retryLater }
    let answerLast: Answer | undefined
    for (;;) {
      // Answer first, so that follow-up requests make the next batch.
      if (!answerLast || !queue.isFull()) {
        answerLast?.()
        answerLast = undefined
        await nextTurn()
      }
      const usable = lanes.usable()
      if (!usable.includes(lane)) {
        wakeLane()
        break
      }
      // At most one lane waits for locks; the others continue.
      const { batch, kind } = queue.take(lane.stripes(), {
        patient: usable.length > 1 && waitingLane === undefined,
        takers: Math.max(1, usable.length - busyLanes),
      })
      if (batch.length > 0) {
        if (kind === 'awaited') waitingLane = lane
        busyLanes += 1
        const waits = kind === 'awaited' || (kind === 'fresh' && lanes.isAlone())
        const underWay = settle(settling, batch, waits)
        answerLast?.()
        if (queue.hasFresh()) wakeLane()
        answerLast = await underWay
        busyLanes -= 1
        queue.release(batch)
        if (kind === 'awaited') waitingLane = undefined
      } else if (answerLast) {
        answerLast()
        answerLast = undefined
      } else break
    }
    // The rest waits for another lane, which checks again when done, or for a busy account.
    answerLast?.()
    active.delete(lane)
    if (queue.hasBusy()) setTimeout(wakeLane, retryBusyMs)
  }

  /** Sets a movement that needs a locked account aside, without delaying others. */
  function retryLater(waiting: Waiting<Request>, account?: bigint): void {
    queue.addBusy(waiting, account)
    setTimeout(wakeLane, retryBusyMs)
  }

  return {
    wakeLane,
    /** Waits until the queue is empty. */
    async end() {
      for (;;) {
        await Promise.all(running)
        if (!queue.hasBusy() && running.size === 0) break
        await delay(retryBusyMs)
      }
    },
  }
}

interface Settling<Request> {
  readonly lane: Lane
  readonly options: PosterOptions<Request>
  /** Requeues a movement that met a lock; false after too many tries. */
  readonly retrySoon: (waiting: Waiting<Request>) => boolean
  /** Sets aside a movement that needs a locked account. */
  readonly retryLater: (waiting: Waiting<Request>, account?: bigint) => void
}

/** Gives each movement an outcome or error; returns the function that answers callers. */
async function settle<Request>(
  how: Settling<Request>,
  batch: readonly Waiting<Request>[],
  waits: boolean,
): Promise<Answer> {
  const { lane, options, retryLater } = how
  try {
    const row = await sendUntilAnswered(lane, batch, { ...options, waits })
    const { statuses } = row
    const posted = batch.filter((_, index) => statuses[index] === 'posted').map(({ request }) => request)
    if (posted.length > 0) options.onPosted?.(posted, row)
    return conclude(how, batch, statuses)
  } catch (error) {
    if (isLockTimeout(error) && waits) {
      options.metrics?.retry('lock')
      return settle(how, batch, false)
    }
    const isUnavailable = error instanceof LedgerError && error.problem === 'unavailable'
    if (isUnavailable || batch.length === 1) {
      const [first] = batch
      if (first && isLockTimeout(error)) return () => retryLater(first)
      return () => batch.forEach(({ callers }) => callers.forEach((caller) => caller.reject(ledgerErrorOf(error))))
    }
    // Some movement cannot be posted: halve, so that it fails alone.
    const middle = batch.length >> 1
    const halves = [await settle(how, batch.slice(0, middle), waits), await settle(how, batch.slice(middle), waits)]
    return () => halves.forEach((answerHalf) => answerHalf())
  }
}

/** Takes back busy movements; returns the function that answers the other callers. */
function conclude<Request>(
  { options, retrySoon, retryLater }: Settling<Request>,
  batch: readonly Waiting<Request>[],
  statuses: readonly string[],
): Answer {
  let hasBusy = false
  batch.forEach((waiting, index) => {
    const account = /^busy ?(\d*)$/.exec(statuses[index] ?? '')?.[1]
    if (account === undefined) return
    hasBusy = true
    if (!retrySoon(waiting)) retryLater(waiting, account === '' ? undefined : BigInt(account))
  })
  if (hasBusy) options.metrics?.retry('lock')
  return () =>
    batch.forEach((waiting, index) => {
      const status = statuses[index] ?? 'missing'
      if (!status.startsWith('busy')) answer(waiting, outcomeOf(status))
    })
}

/** A batch is atomic and keyed by movement ids, so resending is always safe. */
async function sendUntilAnswered<Request>(
  lane: Lane,
  batch: readonly Waiting<Request>[],
  { encode, metrics, waits }: PosterOptions<Request> & { readonly waits: boolean },
): Promise<PostedRow> {
  const requests = batch.map((waiting) => waiting.request)
  const giveUpAt = Math.min(...batch.map((waiting) => waiting.giveUpAt))
  for (let conflicts = 0, losses = 0; ;) {
    try {
      const { client, stripes } = await lane.connect()
      const start = performance.now()
      const { rows } = await client.query<PostedRow>(encode(requests, { stripes, waits }))
      metrics?.batch(batch.length, performance.now() - start)
      const [row] = rows
      assert(row, 'a batch is answered by one row')
      return row
    } catch (error) {
      if (isConflict(error) && conflicts < mostConflicts) {
        conflicts += 1
        metrics?.retry('conflict')
      } else if (isConnectionLoss(error)) {
        lane.drop()
        if (performance.now() >= giveUpAt) {
          throw new LedgerError('unavailable', 'The database cannot be reached', { cause: error })
        }
        metrics?.retry('connection')
        await delay(Math.min(10 * 2 ** losses, 500))
        losses += 1
      } else throw error
    }
  }
}

/** Answers concurrent duplicates: one posted, the others replayed. */
function answer<Request>({ callers }: Waiting<Request>, outcome: Outcome): void {
  callers.forEach((caller, index) => {
    caller.resolve(index > 0 && outcome.status === 'posted' ? { status: 'replayed' } : outcome)
  })
}
