import { LedgerError } from '../ledger.ts'
import type { Movement, Outcome, Stripes } from '../movement.ts'

// What waits to be posted. A batch is taken so that it shares no account and no token with another one under way, and in
// the order of asking wherever two movements do.

export interface Caller {
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** A movement that was asked for, once or several times. */
export interface Waiting<Request> {
  readonly request: Request
  readonly movement: Movement
  /** By `performance.now()`: until then it waits for a database or an account that cannot be reached. */
  readonly giveUpAt: number
  /** By `performance.now()`: it is not begun after that. */
  readonly deadlineAt: number
  readonly callers: Caller[]
  /** The account that somebody else held when it was tried last. */
  lockedAccount?: bigint | undefined
  /** How often it has been tried in vain. */
  busyCount?: number
}

export interface Queue<Request> {
  add(waiting: Waiting<Request>): void
  /** Takes back a movement that found something locked, to go first in the next batch; false when it did so too often. */
  addAgain(waiting: Waiting<Request>): boolean
  /** Takes back a movement that found `account` locked; it is tried again after a pause, apart from the others. */
  addBusy(waiting: Waiting<Request>, account: bigint | undefined): void
  /**
   * The next batch: movements that were busy before, or fresh ones, never both. Accounts in `stripes` are the caller's own.
   * Those who waited too long are rejected with LedgerError `unavailable`. A caller that is `patient` gets of the busy ones
   * those that need one account, for which it waits; or else it must not wait for anything that is locked. Of the fresh
   * ones it leaves their shares to the other `takers` that are free too.
   */
  take(stripes: Stripes, asked: { patient: boolean; takers: number }): Taken<Request>
  /** Lets go of the accounts of a batch that has ended. */
  release(batch: readonly Waiting<Request>[]): void
  hasFresh(): boolean
  /** Whether a whole batch is waiting. */
  isFull(): boolean
  hasBusy(): boolean
}

export interface Taken<Request> {
  readonly batch: readonly Waiting<Request>[]
  readonly kind: 'fresh' | 'busy' | 'awaited'
}

const largestBatch = 256
/** Fewer are not worth dividing: each batch has its own cost. */
const smallestShare = 32
/** How far a lane looks for movements that share nothing with the batches under way. */
const farthest = 2048
const retryBusyMs = 45
/** A batch of another poster takes a few milliseconds; who is busy after so many batches is so for longer. */
const soonRetries = 3
/** So many batches are not shared out after a lane found nothing in its share. */
const unsharedBatches = 8
const knownBusyMs = 500

const noStripes: Stripes = new Map()

/** What only one batch at a time may touch; not the accounts of which a lane has stripes. */
const needsOf = ({ legs, once }: Movement, stripes = noStripes): (bigint | string)[] => [
  ...legs.flatMap(({ from, to }) => [from, to]).filter((account) => !stripes.has(account)),
  ...(once === undefined ? [] : [once]),
]

/** What the batches under way touch, and nobody else may meanwhile. */
function createInUse() {
  const ids = new Set<string>()
  const needs = new Set<bigint | string>()
  return {
    ids,
    needs,
    take<Request>(batch: readonly Waiting<Request>[], stripes: Stripes): void {
      for (const { movement } of batch) {
        ids.add(movement.id)
        for (const need of needsOf(movement, stripes)) needs.add(need)
      }
    },
    release<Request>(batch: readonly Waiting<Request>[]): void {
      for (const { movement } of batch) {
        ids.delete(movement.id)
        for (const need of needsOf(movement)) needs.delete(need)
      }
    },
  }
}

/** Rejects a movement that has waited too long. */
function hasExpired<Request>(waiting: Waiting<Request>, now: number): boolean {
  if (now < waiting.giveUpAt && now < waiting.deadlineAt) return false
  const error = new LedgerError('unavailable', 'The movement waited too long and was not begun')
  for (const caller of waiting.callers) caller.reject(error)
  return true
}

/** Takes a batch out of the sources that shares nothing with what is in use. It never holds one id twice. */
function takeFree<Request>(
  sources: readonly Map<string, Waiting<Request>>[],
  inUse: ReturnType<typeof createInUse>,
  stripes: Stripes,
  { now, account, most = largestBatch }: { now: number; account?: bigint | undefined; most?: number },
): Waiting<Request>[] {
  const batch: Waiting<Request>[] = []
  const ids = new Set<string>()
  // What those need that have to wait: whoever comes later does not overtake them.
  const awaited = new Set<bigint | string>()
  let looked = 0
  for (const source of sources) {
    for (const [key, waiting] of source) {
      if (batch.length === most || looked === farthest) break
      if (account !== undefined && waiting.lockedAccount !== account) continue
      looked += 1
      if (hasExpired(waiting, now)) {
        source.delete(key)
        continue
      }
      const { id } = waiting.movement
      const needs = needsOf(waiting.movement, stripes)
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

/** An empty queue. */
export function createQueue<Request>(): Queue<Request> {
  const fresh = new Map<string, Waiting<Request>>()
  /** Those that were busy a moment ago, and go first. */
  const again = new Map<string, Waiting<Request>>()
  const busy = new Map<string, Waiting<Request>>()
  const inUse = createInUse()
  /** Accounts that somebody else holds, and until when that is believed. */
  const lockedAccounts = new Map<bigint, number>()
  let retryAt = 0
  /** Batches to go until work is shared out again: those who wait touch what another lane has in use. */
  let unshared = 0

  function enter(to: Map<string, Waiting<Request>>, waiting: Waiting<Request>): void {
    const key = `${waiting.movement.id} ${waiting.movement.requestHash.toString('hex')}`
    const same = again.get(key) ?? fresh.get(key) ?? busy.get(key)
    if (same) same.callers.push(...waiting.callers)
    else to.set(key, waiting)
  }

  const lockedOf = ({ movement }: Waiting<Request>, now: number): bigint | undefined =>
    movement.legs.flatMap(({ from, to }) => [from, to]).find((account) => (lockedAccounts.get(account) ?? 0) > now)

  /** Fresh movements that need what somebody else holds wait apart at once. */
  function setApart(batch: readonly Waiting<Request>[], now: number): Waiting<Request>[] {
    if (lockedAccounts.size === 0) return [...batch]
    return batch.filter((waiting) => {
      waiting.lockedAccount = lockedOf(waiting, now)
      if (waiting.lockedAccount !== undefined) enter(busy, waiting)
      return waiting.lockedAccount === undefined
    })
  }

  return {
    add: (waiting) => enter(fresh, waiting),
    addAgain(waiting) {
      waiting.busyCount = (waiting.busyCount ?? 0) + 1
      if (waiting.busyCount > soonRetries) return false
      enter(again, waiting)
      return true
    },
    addBusy(waiting, account) {
      waiting.lockedAccount = account
      const now = performance.now()
      if (account !== undefined) lockedAccounts.set(account, now + knownBusyMs)
      retryAt = now + retryBusyMs
      enter(busy, waiting)
    },
    take(stripes, { patient, takers }) {
      const now = performance.now()
      let batch: Waiting<Request>[] = []
      let kind: Taken<Request>['kind'] = 'fresh'
      if (busy.size > 0 && now >= retryAt) {
        retryAt = now + retryBusyMs
        for (const [account, until] of lockedAccounts) if (until <= now) lockedAccounts.delete(account)
        // Those who come back go to the end, so that each account has its turn.
        const account = patient ? busy.values().next().value?.lockedAccount : undefined
        batch = takeFree([busy], inUse, stripes, { now, account })
        if (batch.length > 0) kind = account === undefined ? 'busy' : 'awaited'
      }
      if (batch.length === 0) {
        const waitingCount = again.size + fresh.size
        // not money: a count of movements
        const share = unshared > 0 ? largestBatch : Math.max(smallestShare, Math.ceil(waitingCount / takers))
        const most = Math.min(largestBatch, share)
        batch = setApart(takeFree([again, fresh], inUse, stripes, { now, most }), now)
        if (batch.length > 0) unshared = Math.max(0, unshared - 1)
        else if (waitingCount >= smallestShare) unshared = unsharedBatches
      }
      inUse.take(batch, stripes)
      return { batch, kind }
    },
    release: inUse.release,
    hasFresh: () => again.size + fresh.size > 0,
    isFull: () => again.size + fresh.size >= largestBatch,
    hasBusy: () => busy.size > 0,
  }
}
