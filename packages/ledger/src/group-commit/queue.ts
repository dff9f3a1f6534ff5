import { LedgerError } from '../ledger.ts'
import type { Movement, Outcome, Stripes } from '../movement.ts'

// Movements waiting to be posted. Concurrent batches share no token, and no account except striped ones.

export interface Caller {
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** Queued movement, with the callers of all its repetitions. */
export interface QueuedMovement<Request> {
  readonly request: Request
  readonly movement: Movement
  /** Deadline, by `performance.now()`, for an unreachable database or a locked account. */
  readonly giveUpAt: number
  /** Latest time to begin posting, by `performance.now()`. */
  readonly deadlineAt: number
  readonly callers: Caller[]
  /** Result of `PosterTrace.queued`. */
  readonly trace?: unknown
  /** Account that was locked at the last attempt. */
  lockedAccount?: bigint | undefined
  lockedAttemptCount?: number
}

interface QueueBatch<Request> {
  readonly batch: readonly QueuedMovement<Request>[]
  readonly kind: 'fresh' | 'busy' | 'awaited'
}

const largestBatch = 256
/** Minimum share of a lane: each batch has a fixed cost, so smaller shares are not worthwhile. */
const smallestShare = 32
/** Maximum number of movements examined to fill one batch. */
const maxExamined = 2048
const retryBusyMs = 45
/**
 * Number of immediate retries. Another poster's batch takes milliseconds, so a lock that outlasts them is held for
 * longer.
 */
const soonRetries = 3
/** Number of batches taken undivided after a lane found its share empty. */
const unsharedBatches = 8
const knownBusyMs = 500

const noStripes: Stripes = new Map()

/** Lists the accounts and the token that only one batch may use at a time, without the lane's striped accounts. */
const listLocks = ({ legs, once }: Movement, stripes = noStripes): (bigint | string)[] => [
  ...legs.flatMap(({ from, to }) => [from, to]).filter((account) => !stripes.has(account)),
  ...(once === undefined ? [] : [once]),
]

/** Tracks the ids, accounts and tokens used by running batches. */
function createInUse() {
  const ids = new Set<string>()
  const needs = new Set<bigint | string>()
  return {
    ids,
    needs,
    take<Request>(batch: readonly QueuedMovement<Request>[], stripes: Stripes): void {
      for (const { movement } of batch) {
        ids.add(movement.id)
        for (const need of listLocks(movement, stripes)) needs.add(need)
      }
    },
    release<Request>(batch: readonly QueuedMovement<Request>[]): void {
      for (const { movement } of batch) {
        ids.delete(movement.id)
        for (const need of listLocks(movement)) needs.delete(need)
      }
    },
  }
}

/** Rejects a movement that has waited too long; returns whether it did. */
function rejectExpired<Request>(waiting: QueuedMovement<Request>, now: number): boolean {
  if (now < waiting.giveUpAt && now < waiting.deadlineAt) return false
  const error = new LedgerError('unavailable', 'The movement waited too long and was not begun')
  for (const caller of waiting.callers) caller.reject(error)
  return true
}

/** Takes movements with distinct ids that share no account or token with a running batch. */
function takeIndependent<Request>(
  sources: readonly Map<string, QueuedMovement<Request>>[],
  inUse: ReturnType<typeof createInUse>,
  stripes: Stripes,
  { now, account, most = largestBatch }: { now: number; account?: bigint | undefined; most?: number },
): QueuedMovement<Request>[] {
  const batch: QueuedMovement<Request>[] = []
  const ids = new Set<string>()
  // Accounts and tokens of skipped movements: later movements that need one are skipped too, to keep the order.
  const awaited = new Set<bigint | string>()
  let examinedCount = 0
  for (const source of sources) {
    for (const [key, waiting] of source) {
      if (batch.length === most || examinedCount === maxExamined) break
      if (account !== undefined && waiting.lockedAccount !== account) continue
      examinedCount += 1
      if (rejectExpired(waiting, now)) {
        source.delete(key)
        continue
      }
      const { id } = waiting.movement
      const needs = listLocks(waiting.movement, stripes)
      const mustWait =
        ids.has(id) || inUse.ids.has(id) || needs.some((need) => inUse.needs.has(need) || awaited.has(need))
      if (mustWait) {
        for (const need of needs) awaited.add(need)
        continue
      }
      source.delete(key)
      ids.add(id)
      batch.push(waiting)
    }
  }
  return batch
}

export function createQueue<Request>() {
  const fresh = new Map<string, QueuedMovement<Request>>()
  /** Movements to retry at once, before fresh ones. */
  const retries = new Map<string, QueuedMovement<Request>>()
  const busy = new Map<string, QueuedMovement<Request>>()
  const inUse = createInUse()
  /** Accounts found locked, with the time until which they are assumed to stay locked. */
  const lockedAccounts = new Map<bigint, number>()
  let retryAt = 0
  /** Number of batches still to be taken undivided. */
  let unshared = 0

  function enter(to: Map<string, QueuedMovement<Request>>, waiting: QueuedMovement<Request>): void {
    const key = `${waiting.movement.id} ${waiting.movement.requestHash.toString('hex')}`
    const duplicate = retries.get(key) ?? fresh.get(key) ?? busy.get(key)
    if (duplicate) duplicate.callers.push(...waiting.callers)
    else to.set(key, waiting)
  }

  const findLocked = ({ movement }: QueuedMovement<Request>, now: number): bigint | undefined =>
    movement.legs.flatMap(({ from, to }) => [from, to]).find((account) => (lockedAccounts.get(account) ?? 0) > now)

  /** Sets aside fresh movements that need locked accounts; returns the others. */
  function deferLocked(batch: readonly QueuedMovement<Request>[], now: number): QueuedMovement<Request>[] {
    if (lockedAccounts.size === 0) return [...batch]
    return batch.filter((waiting) => {
      waiting.lockedAccount = findLocked(waiting, now)
      if (waiting.lockedAccount !== undefined) enter(busy, waiting)
      return waiting.lockedAccount === undefined
    })
  }

  return {
    add: (waiting: QueuedMovement<Request>): void => enter(fresh, waiting),
    /** Requeues a movement that met a lock, ahead of fresh ones; false after too many attempts. */
    addAgain(waiting: QueuedMovement<Request>): boolean {
      waiting.lockedAttemptCount = (waiting.lockedAttemptCount ?? 0) + 1
      if (waiting.lockedAttemptCount > soonRetries) return false
      enter(retries, waiting)
      return true
    },
    /** Sets aside a movement that found `account` locked, to retry after a pause. */
    addBusy(waiting: QueuedMovement<Request>, account: bigint | undefined): void {
      waiting.lockedAccount = account
      const now = performance.now()
      if (account !== undefined) lockedAccounts.set(account, now + knownBusyMs)
      retryAt = now + retryBusyMs
      enter(busy, waiting)
    },
    /**
     * Returns the next batch, of either busy or fresh movements. `stripes` are those of the caller's lane. Rejects
     * expired movements with LedgerError `unavailable`. A `patient` caller gets the busy movements of one account and
     * waits for its lock; other callers must not wait for locks. Fresh movements are divided between `takers` idle
     * lanes.
     */
    take(stripes: Stripes, { patient, takers }: { patient: boolean; takers: number }): QueueBatch<Request> {
      const now = performance.now()
      let batch: QueuedMovement<Request>[] = []
      let kind: QueueBatch<Request>['kind'] = 'fresh'
      if (busy.size > 0 && now >= retryAt) {
        retryAt = now + retryBusyMs
        for (const [account, until] of lockedAccounts) if (until <= now) lockedAccounts.delete(account)
        // Movements set aside again join the end, so that each locked account is tried.
        const account = patient ? busy.values().next().value?.lockedAccount : undefined
        batch = takeIndependent([busy], inUse, stripes, { now, account })
        if (batch.length > 0) kind = account === undefined ? 'busy' : 'awaited'
      }
      if (batch.length === 0) {
        const waitingCount = retries.size + fresh.size
        // not money: a count of movements
        const share = unshared > 0 ? largestBatch : Math.max(smallestShare, Math.ceil(waitingCount / takers))
        const most = Math.min(largestBatch, share)
        batch = deferLocked(takeIndependent([retries, fresh], inUse, stripes, { now, most }), now)
        if (batch.length > 0) unshared = Math.max(0, unshared - 1)
        else if (waitingCount >= smallestShare) unshared = unsharedBatches
      }
      inUse.take(batch, stripes)
      return { batch, kind }
    },
    release: (batch: readonly QueuedMovement<Request>[]): void => inUse.release(batch),
    hasFresh: () => retries.size + fresh.size > 0,
    /** Returns whether a whole batch is waiting. */
    isFull: () => retries.size + fresh.size >= largestBatch,
    hasBusy: () => busy.size > 0,
  }
}

export type Queue<Request> = ReturnType<typeof createQueue<Request>>
