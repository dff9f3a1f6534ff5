import assert from 'node:assert'
import { setImmediate as waitForImmediate, setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { assertMovement, type Movement, type Outcome, type Stripes } from '../movement.ts'
import { createLanes, type Lane, type Lanes } from './lane.ts'
import { createQueue, type Queue, type QueuedMovement } from './queue.ts'
import { type Answer, settle } from './settle.ts'
import { endTurn } from './turn.ts'

// Group commit over a few connections, called lanes. Movements requested while all lanes are busy form the next batch;
// there is no timer, so a single movement is sent immediately. Concurrent batches share no account except striped ones,
// so lanes do not block each other. With more than two posters, batches take turns.

export interface PosterMetrics {
  /** Called after each answered batch. */
  batch(movements: number, durationMs: number): void
  /** Called when a batch or some of its movements are retried. `lock`: an account or quota is locked. */
  retry(cause: 'conflict' | 'connection' | 'lock'): void
}

export interface PostingMode {
  readonly stripes: Stripes
  /** True to wait for locked accounts; otherwise movements that need them return as busy. */
  readonly waits: boolean
}

/** Traces movements and their batches. */
export interface PosterTrace {
  /** Called for each movement in the context of its caller; `batch` gets the results. */
  queued(): unknown
  /** Runs the sending of a batch. */
  batch<T>(queued: readonly unknown[], work: () => Promise<T>): Promise<T>
  /** Runs a wait for the disk. */
  commit<T>(work: () => Promise<T>): Promise<T>
  /** Runs work that concerns no single caller. */
  detached<T>(work: () => T): T
}

export interface PosterOptions<Request> {
  readonly databaseUrl: string
  readonly movementOf: (request: Request) => Movement
  /** Builds the query that posts a batch: one row with the column `statuses text[]`. */
  readonly encode: (requests: readonly Request[], mode: PostingMode) => pg.QueryConfig
  /** Called after the commit with the posted requests and the row returned by the `encode` query. */
  readonly onPosted?: (requests: readonly Request[], row: PostedRow) => void
  readonly metrics?: PosterMetrics
  readonly trace?: PosterTrace | undefined
  /** Milliseconds for which a movement waits for an unreachable database or a locked account. */
  readonly patienceMs?: number
  readonly lanes?: number
}

export interface Poster<Request> {
  /**
   * Posts in the next batch. Rejects with LedgerError `unavailable` if the outcome is unknown, or if posting did not
   * begin before `deadlineAt` (by `performance.now()`).
   */
  post(request: Request, deadlineAt?: number): Promise<Outcome>
  /** Posts pending movements, then closes the connections. */
  close(): Promise<void>
}

/** Result of the `encode` query: a status per movement, and any other columns. */
export interface PostedRow {
  readonly statuses: readonly string[]
  readonly [column: string]: unknown
}

const defaultPatienceMs = 15_000
const defaultLanes = 2
const retryBusyMs = 50

/** Creates a poster with its own connections. Any number of posters may share a database. */
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
        queue.add({
          request,
          movement,
          giveUpAt,
          deadlineAt,
          callers: [{ resolve, reject }],
          trace: options.trace?.queued(),
        })
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

/** Runs the lanes that work through the queue. */
function createWork<Request>(options: PosterOptions<Request>, lanes: Lanes, queue: Queue<Request>) {
  const active = new Set<Lane>()
  const running = new Set<Promise<void>>()
  let waitingLane: Lane | undefined
  let busyLanes = 0
  const workContext = { options, lanes, queue, active, wakeLane, retryLater }

  function wakeLane(): void {
    const idle = lanes.usable().find((lane) => !active.has(lane))
    if (!idle) return
    active.add(idle)
    const begin = () => workOn(idle).finally(() => running.delete(work))
    const work: Promise<void> = options.trace ? options.trace.detached(begin) : begin()
    running.add(work)
  }

  async function workOn(lane: Lane): Promise<void> {
    const settleContext = { lane, disk: lanes.disk, options, retrySoon: queue.addAgain, retryLater }
    let answerPrevious: Answer | undefined
    for (;;) {
      // Answer first, so that follow-up requests join the next batch.
      if (!answerPrevious || !queue.isFull()) {
        answerPrevious?.()
        answerPrevious = undefined
        await waitForImmediate()
      }
      const usable = lanes.usable()
      if (!usable.includes(lane)) {
        wakeLane()
        break
      }
      if (lanes.takesTurns() && (queue.hasFresh() || queue.hasBusy())) {
        answerPrevious?.()
        return runTurn(workContext, lane)
      }
      // At most one lane waits for an account that was found locked; the others continue.
      const { batch, kind } = queue.take(lane.stripes(), {
        patient: usable.length > 1 && waitingLane === undefined,
        takers: Math.max(1, usable.length - busyLanes),
      })
      if (batch.length > 0) {
        if (kind === 'awaited') waitingLane = lane
        busyLanes += 1
        const waits = kind === 'awaited' || (kind === 'fresh' && lanes.isAlone())
        const pendingAnswer = settle(settleContext, batch, waits)
        answerPrevious?.()
        if (queue.hasFresh()) wakeLane()
        answerPrevious = await pendingAnswer
        busyLanes -= 1
        queue.release(batch)
        if (kind === 'awaited') waitingLane = undefined
      } else if (answerPrevious) {
        answerPrevious()
        answerPrevious = undefined
      } else break
    }
    // Remaining movements wait for another lane, which checks again when done, or for a locked account.
    answerPrevious?.()
    active.delete(lane)
    if (queue.hasBusy()) setTimeout(wakeLane, retryBusyMs)
  }

  /** Sets aside a movement that needs a locked account, without delaying others. */
  function retryLater(waiting: QueuedMovement<Request>, account?: bigint): void {
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

interface WorkContext<Request> {
  readonly options: PosterOptions<Request>
  readonly lanes: Lanes
  readonly queue: Queue<Request>
  readonly active: Set<Lane>
  readonly wakeLane: () => void
  readonly retryLater: (waiting: QueuedMovement<Request>, account?: bigint) => void
}

/**
 * Posts one batch in a turn. Once the turn ends, the lane takes the next batch while this one is written to the disk.
 */
async function runTurn<Request>(workContext: WorkContext<Request>, lane: Lane): Promise<void> {
  const { options, lanes, queue, active, wakeLane, retryLater } = workContext
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
    const settleContext = { lane, disk: lanes.disk, options, retrySoon: queue.addAgain, retryLater, turn, turnEnded }
    answer = await settle(settleContext, batch, kind === 'fresh' && turn !== undefined)
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
