import type { UserEvent } from '@tern/contract/events'
import type { Transaction } from '@tern/contract/transactions'
import type { FastifyBaseLogger } from 'fastify'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import { listen } from '../database/listen.ts'
import type { ChangedTopic } from './topics.ts'
import { type Waker, wakeChannel } from './waker.ts'

/** Changes for one user, complete up to `position`; later ones may be included. */
export interface UserChanges {
  readonly wallet: Extract<UserEvent, { type: 'balance' }>['wallet']
  /** Oldest first. */
  readonly transactions: readonly Transaction[]
  readonly topics: readonly ChangedTopic[]
  /** True if the changes cannot be determined or are too many: the client must reload everything. */
  readonly isIncomplete: boolean
  /** True if more changes remain: continue from `position`. */
  readonly more: boolean
  /** Opaque position to resume at without missing changes; usable as `Last-Event-ID`. */
  readonly position: string
}

export interface StreamPosition {
  readonly userId: bigint
  readonly position: string
}

export interface ChangeReader {
  /** Reads a user's changes since `position`; without one, only the current wallet. */
  read(userId: bigint, position: string | undefined): Promise<UserChanges>
  /**
   * Finds the streams that must read, with a few queries for all of them: those with changes, or positioned before
   * `from`. All others are current up to the returned position, which is the next `from`. Without `from`, all must
   * read.
   */
  findBehind<S extends StreamPosition>(
    streams: readonly S[],
    from: string | undefined,
  ): Promise<{ readonly behind: ReadonlySet<S>; readonly position: string }>
}

export interface Subscriber {
  readonly userId: bigint
  /** Returns whether the session is still live; checked before each delivery. */
  readonly isLive: () => Promise<boolean>
  readonly send: (event: UserEvent, position: string) => void
  /** Reports that the stream is current up to this position, without events. */
  readonly advance: (position: string) => void
  readonly close: () => void
}

interface Stream extends Subscriber {
  /** Position after the last complete read; before the first, the client's `Last-Event-ID`, if any. */
  position: string | undefined
  ended: boolean
  reading: boolean
  again: boolean
  sent: Map<string, string>
  /** Last version sent of each topic. */
  topics: Map<string, string>
}

/**
 * Number of transactions remembered per stream, so that reads from the same position do not send them again. A position
 * is shared by at most one ledger batch.
 */
const rememberedTransactions = 1000
/** Maximum number of open windows and devices per person; beyond it, the oldest stream is closed. */
const maxStreamsPerUser = 10
/** Poll interval, and so the maximum delay if a wake-up is lost. */
const pollMs = 15_000

interface EventsOptions {
  readonly databaseUrl: string
  readonly changes: ChangeReader
  readonly waker: Pick<Waker, 'onWake' | 'parseUserIds'>
  readonly log: FastifyBaseLogger
  /** Poll interval; default 15 seconds. */
  readonly pollEveryMs?: number
}

/**
 * Streams changes to users. After a commit, a wake-up names the users, whose streams then read new changes from the
 * database. A lost wake-up only causes a delay: all streams read when the listening connection is restored, and polling
 * finds those behind every 15 seconds.
 */
export function createUserEvents({ databaseUrl, changes, waker, log, pollEveryMs = pollMs }: EventsOptions) {
  const streams = new Map<bigint, Set<Stream>>()
  let mayHaveMissed = false

  const wake = (userId: bigint) => {
    for (const stream of streams.get(userId) ?? []) void deliver(stream, changes, log)
  }
  const wakeAll = (userIds: readonly bigint[]) => userIds.forEach(wake)
  const stopWaking = waker.onWake(wakeAll)
  const stopPolling = startPolling({ streams, changes, log, everyMs: pollEveryMs })
  const listener = listen({
    databaseUrl,
    channel: wakeChannel,
    log,
    onNotice: (payload) => wakeAll(waker.parseUserIds(payload)),
    onLost: () => {
      mayHaveMissed = true
    },
    onHeard: () => {
      if (mayHaveMissed) for (const userId of streams.keys()) wake(userId)
      mayHaveMissed = false
    },
  })

  return {
    /** Starts a stream at `lastEventId`; returns the function that ends it. */
    subscribe(subscriber: Subscriber, lastEventId: string | undefined): () => void {
      const idle = { ended: false, reading: false, again: false }
      const stream: Stream = { ...subscriber, ...idle, position: lastEventId, sent: new Map(), topics: new Map() }
      const userStreams = streams.get(stream.userId) ?? new Set()
      for (const oldest of userStreams) {
        if (userStreams.size < maxStreamsPerUser) break
        userStreams.delete(oldest)
        endStream(oldest)
      }
      userStreams.add(stream)
      streams.set(stream.userId, userStreams)
      void deliver(stream, changes, log)
      return () => {
        stream.ended = true
        userStreams.delete(stream)
        if (userStreams.size === 0 && streams.get(stream.userId) === userStreams) streams.delete(stream.userId)
      }
    },
    size: (): number => [...streams.values()].reduce((sum, userStreams) => sum + userStreams.size, 0),
    async close() {
      stopWaking()
      stopPolling()
      await listener.close()
      for (const userStreams of streams.values()) for (const stream of userStreams) endStream(stream)
    },
  }
}

export type UserEvents = ReturnType<typeof createUserEvents>

interface PollOptions {
  readonly streams: ReadonlyMap<bigint, ReadonlySet<Stream>>
  readonly changes: ChangeReader
  readonly log: FastifyBaseLogger
  readonly everyMs: number
}

/**
 * Polls for streams that are behind, which then read; all others advance their positions. Returns the function that
 * stops polling.
 */
function startPolling({ streams, changes, log, everyMs }: PollOptions): () => void {
  let checkedUpTo: string | undefined
  let isPolling = false
  let hasFailed = false

  async function pollStreams(): Promise<void> {
    // A stream without a position has not finished its first read.
    const open = [...streams.values()].flatMap((userStreams) =>
      [...userStreams].flatMap((stream) =>
        stream.position === undefined ? [] : [{ stream, userId: stream.userId, position: stream.position }],
      ),
    )
    if (open.length === 0) return void (checkedUpTo = undefined)
    const { behind, position } = await changes.findBehind(open, checkedUpTo)
    checkedUpTo = position
    for (const entry of open) {
      const { stream } = entry
      if (behind.has(entry)) void deliver(stream, changes, log)
      else if (!stream.reading && !stream.ended && stream.position === entry.position) {
        stream.position = position
        stream.advance(position)
      }
    }
  }

  const timer = setInterval(() => {
    if (isPolling) return
    isPolling = true
    pollStreams()
      .then(
        () => (hasFailed = false),
        (error: unknown) => {
          if (!hasFailed) log.warn({ err: error }, 'nobody knows which user streams are behind')
          hasFailed = true
        },
      )
      .finally(() => (isPolling = false))
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

function endStream(stream: Stream): void {
  if (stream.ended) return
  stream.ended = true
  stream.close()
}

/** Reads and sends until no further wake-up has arrived. Each stream has at most one read at a time. */
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
      notifyStream(stream, changes)
      stream.again ||= changes.more
    }
  } catch (error) {
    // The database watch logs outages.
    if (!isDatabaseUnavailable(error)) log.error({ err: error }, 'a user stream could not be read')
    endStream(stream)
  } finally {
    stream.reading = false
  }
}

/**
 * Sends a read's events with the previous position until all are sent, so that an interrupted reader receives all of
 * them again.
 */
function notifyStream(stream: Stream, changes: UserChanges): void {
  for (const transaction of changes.transactions) {
    // If an older transaction was open, the position precedes transactions already sent.
    if (stream.sent.get(transaction.id) === transaction.status) continue
    stream.sent.set(transaction.id, transaction.status)
    stream.send({ type: 'transaction', transaction }, stream.position ?? changes.position)
  }
  evictOldest(stream.sent)
  const topics = changes.topics.filter(({ topic, version }) => stream.topics.get(topic) !== version)
  for (const { topic, version } of topics) stream.topics.set(topic, version)
  if (topics.length > 0) {
    const event: UserEvent = { type: 'changed', topics: topics.map(({ topic }) => topic) }
    stream.send(event, stream.position ?? changes.position)
  }
  if (changes.isIncomplete) stream.send({ type: 'refetch' }, changes.position)
  stream.position = changes.position
  stream.send({ type: 'balance', wallet: changes.wallet }, changes.position)
}

function evictOldest(sentStatuses: Map<string, string>): void {
  for (const id of sentStatuses.keys()) {
    if (sentStatuses.size <= rememberedTransactions) return
    sentStatuses.delete(id)
  }
}
