import assert from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import { LedgerError, toLedgerError } from '../ledger.ts'
import { type Outcome, toOutcome } from '../movement.ts'
import { isConflict, isConnectionLoss, isLockTimeout } from './failure.ts'
import type { Disk, Lane } from './lane.ts'
import type { PostedRow, PosterOptions } from './poster.ts'
import type { QueuedMovement } from './queue.ts'
import { type Turn, withinTurn } from './turn.ts'

const maxConflicts = 10

/** Answers the callers of a batch. */
export type Answer = () => void

export interface SettleContext<Request> {
  readonly lane: Lane
  readonly disk: Disk
  /** Turn to post in, if batches take turns. */
  readonly turn?: Turn | undefined
  /** Called when a batch has ended its turn; callers get their answers once the batch is durable. */
  readonly turnEnded?: () => void
  readonly options: PosterOptions<Request>
  /** Requeues a movement that met a lock; false after too many attempts. */
  readonly retrySoon: (waiting: QueuedMovement<Request>) => boolean
  /** Sets aside a movement that needs a locked account. */
  readonly retryLater: (waiting: QueuedMovement<Request>, account?: bigint) => void
}

/** Posts a batch and requeues its busy movements; returns the function that answers the other callers. */
export async function settle<Request>(
  context: SettleContext<Request>,
  batch: readonly QueuedMovement<Request>[],
  waits: boolean,
): Promise<Answer> {
  const { options, retryLater } = context
  try {
    const row = await sendUntilAnswered(context, batch, waits)
    const { statuses } = row
    const posted = batch.filter((_, index) => statuses[index] === 'posted').map(({ request }) => request)
    if (posted.length > 0) options.onPosted?.(posted, row)
    return conclude(context, batch, statuses)
  } catch (error) {
    if (isLockTimeout(error) && waits) {
      options.metrics?.retry('lock')
      // In a turn, an immediate retry would keep the other posters waiting.
      return settle(context.turn ? { ...context, retrySoon: () => false } : context, batch, false)
    }
    const isUnavailable = error instanceof LedgerError && error.problem === 'unavailable'
    if (isUnavailable || batch.length === 1) {
      const [first] = batch
      if (first && isLockTimeout(error)) return () => retryLater(first)
      return () => batch.forEach(({ callers }) => callers.forEach((caller) => caller.reject(toLedgerError(error))))
    }
    // At least one movement cannot be posted: halve the batch until that movement fails alone.
    const middle = batch.length >> 1
    const halves = [
      await settle(context, batch.slice(0, middle), waits),
      await settle(context, batch.slice(middle), waits),
    ]
    return () => halves.forEach((answerHalf) => answerHalf())
  }
}

/** Requeues busy movements; returns the function that answers the other callers. */
function conclude<Request>(
  { options, retrySoon, retryLater }: SettleContext<Request>,
  batch: readonly QueuedMovement<Request>[],
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
      if (!status.startsWith('busy')) answer(waiting, toOutcome(status))
    })
}

/** Sends a batch until it is answered. A batch is atomic and keyed by movement ids, so resending is always safe. */
async function sendUntilAnswered<Request>(
  context: SettleContext<Request>,
  batch: readonly QueuedMovement<Request>[],
  waits: boolean,
): Promise<PostedRow> {
  const { lane, options } = context
  const giveUpAt = Math.min(...batch.map((waiting) => waiting.giveUpAt))
  for (let conflicts = 0, losses = 0; ;) {
    try {
      const start = performance.now()
      // After a conflict, waiting for the other batch's commit would end in the same conflict.
      const post = () => send(context, batch, waits && conflicts === 0)
      const { trace } = options
      const queued = trace && batch.map((waiting) => waiting.trace)
      const row = await (trace && queued ? trace.batch(queued, post) : post())
      options.metrics?.batch(batch.length, performance.now() - start)
      return row
    } catch (error) {
      if (isConflict(error) && conflicts < maxConflicts) {
        conflicts += 1
        options.metrics?.retry('conflict')
      } else if (isConnectionLoss(error)) {
        if (!(error instanceof UnconfirmedCommit)) lane.drop()
        if (performance.now() >= giveUpAt) {
          throw new LedgerError('unavailable', 'The database cannot be reached', { cause: error })
        }
        options.metrics?.retry('connection')
        await delay(Math.min(10 * 2 ** losses, 500))
        losses += 1
      } else throw error
    }
  }
}

/** Thrown if a commit may not be durable; resending the batch shows whether it is. */
class UnconfirmedCommit extends Error {}

/** Posts a batch durably. In a turn, it ends the turn before it waits for the disk. */
async function send<Request>(
  { lane, disk, options, turn, turnEnded }: SettleContext<Request>,
  batch: readonly QueuedMovement<Request>[],
  waits: boolean,
): Promise<PostedRow> {
  const { client, stripes, server } = await lane.connect()
  const requests = batch.map((waiting) => waiting.request)
  const call = options.encode(requests, { stripes, waits })
  const isInTurn = turn?.client === client && !turn.isOver
  const sentAt = performance.now()
  const { rows } = await client.query<PostedRow>(isInTurn ? withinTurn(call, turn) : call)
  const [row] = rows
  assert(row, 'a batch is answered by one row')
  if (isInTurn) {
    turn.isOver = true
    turnEnded?.()
    const written = await (options.trace ? options.trace.commit(() => disk.confirm()) : disk.confirm())
    // One of the two connections leads to a server that has been replaced.
    if (written && written.startedAt !== server.startedAt) lane.drop()
    if (written?.startedAt !== server.startedAt || written.connectedAt > sentAt) {
      throw new UnconfirmedCommit('It is unknown whether the batch is on disk')
    }
  }
  return row
}

/** Answers concurrent duplicates: one as posted, the others as replayed. */
function answer<Request>({ callers }: QueuedMovement<Request>, outcome: Outcome): void {
  callers.forEach((caller, index) => {
    caller.resolve(index > 0 && outcome.status === 'posted' ? { status: 'replayed' } : outcome)
  })
}
