import assert from 'node:assert'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { createLanes, isConflict, isConnectionLoss, isLockTimeout, type Lane, type Lanes } from './lane.ts'
import { LedgerError, ledgerErrorOf } from '../ledger.ts'
import { assertMovement, type Movement, type Outcome, outcomeOf, type Stripes } from '../movement.ts'
import { createQueue, type Queue, type Waiting } from './queue.ts'

// Group commit on a few connections, called lanes. What is asked for while all lanes are busy forms the next batch. There
// is no timer: a single movement goes at once, and under load the batches grow by themselves. No two batches under way
// touch the same account, so lanes do not wait for each other; and they do not wait for other posters either, but try again.

export interface PosterMetrics {
  /** Called once per batch that was committed. */
  batch(movements: number, durationMs: number): void
  /** Called when a batch has to be sent again. `lock`: somebody else holds an account that it needs. */
  retry(cause: 'conflict' | 'connection' | 'lock'): void
}

/** How a batch is to be posted. */
export interface PostingMode {
  readonly stripes: Stripes
  /** Whether to wait for accounts that are locked; otherwise the movements that need them come back as busy. */
  readonly waits: boolean
}

export interface PosterOptions<Request> {
  readonly databaseUrl: string
  readonly movementOf: (request: Request) => Movement
  /** The call that posts a batch and writes all that belongs to it: one row with the column `statuses text[]`. */
  readonly encode: (requests: readonly Request[], mode: PostingMode) => pg.QueryConfig
  /** Called after the commit with the requests that moved money, and the row that `encode`'s call gave. */
  readonly onPosted?: (requests: readonly Request[], row: PostedRow) => void
  readonly metrics?: PosterMetrics
  /** How long a movement waits for a database, or an account, that cannot be reached. */
  readonly patienceMs?: number
  /** How many connections post at the same time. */
  readonly lanes?: number
}

export interface Poster<Request> {
  /**
   * Posts in the next batch. Rejects with LedgerError `unavailable` when the outcome is not known, or when `deadlineAt`
   * (by `performance.now()`) had passed before it was begun.
   */
  post(request: Request, deadlineAt?: number): Promise<Outcome>
  /** Posts what was asked for so far, then ends the connections. */
  close(): Promise<void>
}

/** What the call of `encode` gives: a status for each movement, and whatever else. */
export interface PostedRow {
  readonly statuses: readonly string[]
  readonly [column: string]: unknown
}

/** Tells the callers of a batch what became of it. */
type Answer = () => void

const mostConflicts = 10
const defaultPatienceMs = 15_000
const defaultLanes = 2
const retryBusyMs = 50

/** A poster with connections of its own. Any number may run, in any number of processes, on the same database. */
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

/** Lets the lanes work off the queue. */
function createWork<Request>(options: PosterOptions<Request>, lanes: Lanes, queue: Queue<Request>) {
  const active = new Set<Lane>()
  const running = new Set<Promise<void>>()
  let waitingLane: Lane | undefined
  let busyLanes = 0

  /** Lets one more lane look for work, if any is idle. */
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
      // Whoever learns the outcome and asks for the next thing at once travels in the next batch, unless that is full anyway.
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
      // One lane at most waits for what somebody else has locked; the others go on.
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
    // What is left waits for accounts that another lane has, which looks again when it is done, or for a busy one.
    answerLast?.()
    active.delete(lane)
    if (queue.hasBusy()) setTimeout(wakeLane, retryBusyMs)
  }

  /** Somebody else holds what a movement needs: it waits beside the queue, and keeps nobody else waiting. */
  function retryLater(waiting: Waiting<Request>, account?: bigint): void {
    queue.addBusy(waiting, account)
    setTimeout(wakeLane, retryBusyMs)
  }

  return {
    wakeLane,
    /** Waits until everything that was asked for has been worked off. */
    async end() {
      for (;;) {
        await Promise.all(running)
        if (!queue.hasBusy() && running.size === 0) break
        await delay(retryBusyMs)
      }
    },
  }
}

/** What a batch is settled with. */
interface Settling<Request> {
  readonly lane: Lane
  readonly options: PosterOptions<Request>
  /** Lets a movement go again that needs what somebody else holds at this moment; false when it did so too often. */
  readonly retrySoon: (waiting: Waiting<Request>) => boolean
  /** Sets a movement aside that needs what somebody else holds. */
  readonly retryLater: (waiting: Waiting<Request>, account?: bigint) => void
}

/** Gets every movement of the batch an outcome or an error, whatever happens, and gives what tells the callers. */
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
    // One of them cannot be posted at all: halve, so that it fails alone.
    const middle = batch.length >> 1
    const halves = [await settle(how, batch.slice(0, middle), waits), await settle(how, batch.slice(middle), waits)]
    return () => halves.forEach((answerHalf) => answerHalf())
  }
}

/** Takes the busy movements of a batch back, and gives what tells the callers of the others. */
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

/** The batch is all or nothing and keyed by its movements' ids, so sending it again is always safe. */
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

/** Those who asked for the same movement at the same time: one posted it, the others replayed it. */
function answer<Request>({ callers }: Waiting<Request>, outcome: Outcome): void {
  callers.forEach((caller, index) => {
    caller.resolve(index > 0 && outcome.status === 'posted' ? { status: 'replayed' } : outcome)
  })
}
