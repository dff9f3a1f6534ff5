import type { UserEvent } from '@tern/contract/events'
import type { Transaction } from '@tern/contract/transactions'
import type { FastifyBaseLogger } from 'fastify'
import { listen } from './listen.ts'

/** What a stream needs to know of one user, read in one snapshot. */
export interface UserChanges {
  readonly wallet: Extract<UserEvent, { type: 'balance' }>['wallet']
  /** Oldest first. */
  readonly transactions: readonly Transaction[]
  /** There is more than was read: the next reading goes on at `position`. */
  readonly more: boolean
  /** Where the next reading must begin so that nothing is missed; opaque, fit for `Last-Event-ID`. */
  readonly position: string
}

/** Reads what changed for a user since `position`; without one, only the wallet as it stands. */
export type ReadChanges = (userId: bigint, position: string | undefined) => Promise<UserChanges>

export interface Subscriber {
  readonly userId: bigint
  /** Whether the session behind the stream still lives; asked before anything is told. */
  readonly isLive: () => Promise<boolean>
  readonly send: (event: UserEvent, position: string) => void
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

interface Options {
  readonly databaseUrl: string
  readonly read: ReadChanges
  readonly log: FastifyBaseLogger
}

/**
 * Tells open streams what happened to their users. Movements raise NOTIFY `tern_user` in their own transaction; a
 * notification says only who is concerned, and the stream then reads from the database what it has not seen. A lost
 * connection therefore loses nothing: once it is back, every stream reads.
 */
export function createUserEvents({ databaseUrl, read, log }: Options): UserEvents {
  const streams = new Map<bigint, Set<Stream>>()
  let mayHaveMissed = false

  const wake = (userId: bigint) => {
    for (const stream of streams.get(userId) ?? []) void deliver(stream, read, log)
  }
  const listener = listen({
    databaseUrl,
    channel: 'tern_user',
    log,
    onNotice: (payload) => {
      for (const id of payload.split(',')) if (/^\d+$/.test(id)) wake(BigInt(id))
    },
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
      const position = lastEventId !== undefined && /^\d{1,19}$/.test(lastEventId) ? lastEventId : undefined
      const stream: Stream = { ...subscriber, position, ended: false, reading: false, again: false, sent: new Map() }
      const own = streams.get(stream.userId) ?? new Set()
      for (const oldest of own) {
        if (own.size < mostStreamsOfUser) break
        own.delete(oldest)
        endStream(oldest)
      }
      own.add(stream)
      streams.set(stream.userId, own)
      void deliver(stream, read, log)
      return () => {
        stream.ended = true
        own.delete(stream)
        if (own.size === 0 && streams.get(stream.userId) === own) streams.delete(stream.userId)
      }
    },
    size: () => [...streams.values()].reduce((sum, own) => sum + own.size, 0),
    async close() {
      await listener.close()
      for (const own of streams.values()) for (const stream of own) endStream(stream)
    },
  }
}

function endStream(stream: Stream): void {
  if (stream.ended) return
  stream.ended = true
  stream.close()
}

/** Reads and sends until nothing new was announced meanwhile; one reading at a time for each stream. */
async function deliver(stream: Stream, read: ReadChanges, log: FastifyBaseLogger): Promise<void> {
  stream.again = true
  if (stream.reading) return
  stream.reading = true
  try {
    while (stream.again && !stream.ended) {
      stream.again = false
      const changes = await read(stream.userId, stream.position)
      if (!(await stream.isLive())) return endStream(stream)
      if (stream.ended) return
      tell(stream, changes)
      stream.again ||= changes.more
    }
  } catch (error) {
    log.error({ err: error }, 'a user stream could not be read')
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
  stream.position = changes.position
  stream.send({ type: 'balance', wallet: changes.wallet }, changes.position)
}

function forgetOldest(sent: Map<string, string>): void {
  for (const id of sent.keys()) {
    if (sent.size <= rememberedTransactions) return
    sent.delete(id)
  }
}
