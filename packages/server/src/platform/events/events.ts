import type { UserEvent } from '@tern/contract/events'
import type { Transaction } from '@tern/contract/transactions'
import type { FastifyBaseLogger } from 'fastify'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import { listen } from '../database/listen.ts'
import { type Waker, wakeChannel } from './wake.ts'

/** What a stream needs to know of one user, read in one snapshot. */
export interface UserChanges {
  readonly wallet: Extract<UserEvent, { type: 'balance' }>['wallet']
  /** Oldest first. */
  readonly transactions: readonly Transaction[]
  /** Nobody can say from the position what changed since, or it is too much: everything has to be read again. */
  readonly isIncomplete: boolean
  /** There is more than was read: the next reading goes on at `position`. */
  readonly more: boolean
  /** Where the next reading must begin so that nothing is missed; opaque, fit for `Last-Event-ID`. */
  readonly position: string
}

/** A user's stream and where it stands. */
export interface Standing {
  readonly userId: bigint
  readonly position: string
}

export interface ChangeReader {
  /** Reads what changed for a user since `position`; without one, only the wallet as it stands. */
  read(userId: bigint, position: string | undefined): Promise<UserChanges>
  /**
   * Those of the streams that have to read, by one cheap question for all: something new lies behind them, or they stand
   * before `from`. The others have everything up to the position that is given back, which is the next `from`. Without `from`, all have to.
   */
  findBehind<S extends Standing>(
    streams: readonly S[],
    from: string | undefined,
  ): Promise<{ readonly behind: ReadonlySet<S>; readonly position: string }>
}

export interface Subscriber {
  readonly userId: bigint
  /** Whether the session behind the stream still lives; asked before anything is told. */
  readonly isLive: () => Promise<boolean>
  readonly send: (event: UserEvent, position: string) => void
  /** The stream has everything up to this position, without anything new. */
  readonly moveOn: (position: string) => void
  /** Ends the stream; called once at most. */
  readonly close: () => void
}

interface Stream extends Subscriber {
  /** Where the last whole reading ended; undefined until the first. */
  position: string | undefined
  ended: boolean
  reading: boolean
  again: boolean
  sent: Map<string, string>
}

export interface UserEvents {
  /** Begins a stream at `lastEventId`; gives the function that ends it. */
  subscribe(subscriber: Subscriber, lastEventId: string | undefined): () => void
  close(): Promise<void>
  /** How many streams are open. */
  size(): number
}

/** More than one reading can repeat: one ledger batch is the most that shares a position. */
const rememberedTransactions = 1000
/** Windows and devices of one person; the one opened first gives way. */
const mostStreamsOfUser = 10
/** The longest that a stream stays without what nobody woke it for. */
const lookMs = 15_000

interface Options {
  readonly databaseUrl: string
  readonly changes: ChangeReader
  readonly waker: Pick<Waker, 'onWake' | 'usersOf'>
  readonly log: FastifyBaseLogger
  /** How often all streams are compared with the database; 15 seconds unless told. */
  readonly lookEveryMs?: number
}

/**
 * Tells open streams what happened to their users. After a commit the waker of this process or a notification from another
 * says who is concerned, and the stream then reads from the database what it has not seen. A lost wake-up therefore only
 * delays: once the listening connection is back every stream reads, and every 15 seconds those that are behind do.
 */
export function createUserEvents({ databaseUrl, changes, waker, log, lookEveryMs = lookMs }: Options): UserEvents {
  const streams = new Map<bigint, Set<Stream>>()
  let mayHaveMissed = false

  const wake = (userId: bigint) => {
    for (const stream of streams.get(userId) ?? []) void deliver(stream, changes, log)
  }
  const wakeAll = (userIds: readonly bigint[]) => userIds.forEach(wake)
  const stopWaking = waker.onWake(wakeAll)
  const stopLooking = lookAgain({ streams, changes, log, everyMs: lookEveryMs })
  const listener = listen({
    databaseUrl,
    channel: wakeChannel,
    log,
    onNotice: (payload) => wakeAll(waker.usersOf(payload)),
    onLost: () => {
      mayHaveMissed = true
    },
    onHeard: () => {
      if (mayHaveMissed) for (const userId of streams.keys()) wake(userId)
      mayHaveMissed = false
    },
  })

  return {
    subscribe(subscriber, lastEventId) {
      const stream: Stream = {
        ...subscriber,
        position: lastEventId,
        ended: false,
        reading: false,
        again: false,
        sent: new Map(),
      }
      const own = streams.get(stream.userId) ?? new Set()
      for (const oldest of own) {
        if (own.size < mostStreamsOfUser) break
        own.delete(oldest)
        endStream(oldest)
      }
      own.add(stream)
      streams.set(stream.userId, own)
      void deliver(stream, changes, log)
      return () => {
        stream.ended = true
        own.delete(stream)
        if (own.size === 0 && streams.get(stream.userId) === own) streams.delete(stream.userId)
      }
    },
    size: () => [...streams.values()].reduce((sum, own) => sum + own.size, 0),
    async close() {
      stopWaking()
      stopLooking()
      await listener.close()
      for (const own of streams.values()) for (const stream of own) endStream(stream)
    },
  }
}

interface Looking {
  readonly streams: ReadonlyMap<bigint, ReadonlySet<Stream>>
  readonly changes: ChangeReader
  readonly log: FastifyBaseLogger
  readonly everyMs: number
}

/**
 * Asks again and again which streams are behind. Those read, and the others are moved on, so that no position becomes
 * old. Gives the function that ends it.
 */
function lookAgain({ streams, changes, log, everyMs }: Looking): () => void {
  let lookedUpTo: string | undefined
  let isLooking = false
  let hasFailed = false

  async function look(): Promise<void> {
    // A stream without a position is still at its first reading.
    const open = [...streams.values()].flatMap((own) =>
      [...own].flatMap((stream) =>
        stream.position === undefined ? [] : [{ stream, userId: stream.userId, position: stream.position }],
      ),
    )
    if (open.length === 0) return void (lookedUpTo = undefined)
    const { behind, position } = await changes.findBehind(open, lookedUpTo)
    lookedUpTo = position
    for (const standing of open) {
      const { stream } = standing
      if (behind.has(standing)) void deliver(stream, changes, log)
      else if (!stream.reading && !stream.ended && stream.position === standing.position) {
        stream.position = position
        stream.moveOn(position)
      }
    }
  }

  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .then(
        () => (hasFailed = false),
        (error: unknown) => {
          if (!hasFailed) log.warn({ err: error }, 'nobody knows which user streams are behind')
          hasFailed = true
        },
      )
      .finally(() => (isLooking = false))
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

function endStream(stream: Stream): void {
  if (stream.ended) return
  stream.ended = true
  stream.close()
}

/** Reads and sends until nothing new was announced meanwhile; one reading at a time for each stream. */
async function deliver(stream: Stream, reader: ChangeReader, log: FastifyBaseLogger): Promise<void> {
  stream.again = true
  if (stream.reading) return
  stream.reading = true
  try {
    while (stream.again && !stream.ended) {
      stream.again = false
      const changes = await reader.read(stream.userId, stream.position)
      if (!(await stream.isLive())) return endStream(stream)
      if (stream.ended) return
      tell(stream, changes)
      stream.again ||= changes.more
    }
  } catch (error) {
    // An outage of the database is told once, by whoever watches it.
    if (!isDatabaseUnavailable(error)) log.error({ err: error }, 'a user stream could not be read')
    endStream(stream)
  } finally {
    stream.reading = false
  }
}

/** Until all of a reading has been sent, its events carry the position before it: whoever breaks off gets all of it again. */
function tell(stream: Stream, changes: UserChanges): void {
  for (const transaction of changes.transactions) {
    // A position may lie before what was already sent, when an older transaction was still open: send once.
    if (stream.sent.get(transaction.id) === transaction.status) continue
    stream.sent.set(transaction.id, transaction.status)
    stream.send({ type: 'transaction', transaction }, stream.position ?? changes.position)
  }
  forgetOldest(stream.sent)
  if (changes.isIncomplete) stream.send({ type: 'refetch' }, changes.position)
  stream.position = changes.position
  stream.send({ type: 'balance', wallet: changes.wallet }, changes.position)
}

function forgetOldest(sent: Map<string, string>): void {
  for (const id of sent.keys()) {
    if (sent.size <= rememberedTransactions) return
    sent.delete(id)
  }
}
