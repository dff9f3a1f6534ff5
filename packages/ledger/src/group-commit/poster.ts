import assert from 'node:assert'
import { setImmediate as nextTick, setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { assertMovement, type Movement, type Outcome, type Stripes } from '../movement.ts'
import { createLanes, type Lane, type Lanes } from './lane.ts'
import { createQueue, type Queue, type Waiting } from './queue.ts'
import { type Answer, settle } from './settle.ts'
import { endTurn } from './turn.ts'

// Group commit over a few connections, called lanes. Movements requested while all are busy form the next batch; there
// is no timer, so a single movement goes at once. Batches under way share no account, so lanes do not block each other.
// Beside many posters, batches take turns.

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
  const working = { options, lanes, queue, active, wakeLane, retryLater }

  /** Wakes an idle lane, if any. */
  function wakeLane(): void {
    const idle = lanes.usable().find((lane) => !active.has(lane))
    if (!idle) return
    active.add(idle)
    const work = workOn(idle).finally(() => running.delete(work))
    running.add(work)
  }

  async function workOn(lane: Lane): Promise<void> {
    const settling = { lane, disk: lanes.disk, options, retrySoon: queue.addAgain, retryLater }
    let answerLast: Answer | undefined
    for (;;) {
      // Answer first, so that follow-up requests make the next batch.
      if (!answerLast || !queue.isFull()) {
        answerLast?.()
        answerLast = undefined
        await nextTick()
      }
      const usable = lanes.usable()
      if (!usable.includes(lane)) {
        wakeLane()
        break
      }
      if (lanes.takesTurns() && (queue.hasFresh() || queue.hasBusy())) {
        answerLast?.()
        return workInTurn(working, lane)
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

interface Working<Request> {
  readonly options: PosterOptions<Request>
  readonly lanes: Lanes
  readonly queue: Queue<Request>
  /** Lanes at work. */
  readonly active: Set<Lane>
  readonly wakeLane: () => void
  readonly retryLater: (waiting: Waiting<Request>, account?: bigint) => void
}

/** Posts one batch in a turn. Once the turn is over the lane takes the next batch, while this one reaches the disk. */
async function workInTurn<Request>(working: Working<Request>, lane: Lane): Promise<void> {
  const { options, lanes, queue, active, wakeLane, retryLater } = working
  const turn = await lanes.claimTurn(lane)
  // The batch includes movements that arrived while waiting for the turn.
  const { batch, kind } = queue.take(lane.stripes(), { patient: false, takers: 1 })
  function turnEnded(): void {
    queue.release(batch)
    active.delete(lane)
    if (queue.hasFresh()) wakeLane()
  }
  let answer: Answer | undefined
  if (batch.length > 0) {
    const settling = { lane, disk: lanes.disk, options, retrySoon: queue.addAgain, retryLater, turn, turnEnded }
    answer = await settle(settling, batch, kind === 'fresh' && turn !== undefined)
  }
  if (!turn?.isOver) {
    if (turn) await endTurn(turn).catch(lane.drop)
    queue.release(batch)
    active.delete(lane)
  }
  answer?.()
  if (queue.hasBusy()) setTimeout(wakeLane, retryBusyMs)
  if (batch.length > 0 && queue.hasFresh()) wakeLane()
}
