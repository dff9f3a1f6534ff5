import assert from 'node:assert'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { LedgerError, ledgerErrorOf, sqlStateOf } from './ledger.ts'
import { assertMovement, type Movement, type Outcome, outcomeOf } from './movement.ts'

// Group commit. One batch is under way at a time; whatever is asked for meanwhile forms the next one. There is no timer:
// a single movement goes at once, and under load the batches grow by themselves.

export interface PosterMetrics {
  /** Called once per batch that was committed. */
  batch(movements: number, durationMs: number): void
  /** Called when a batch has to be sent again. */
  retry(cause: 'conflict' | 'connection'): void
}

export interface PosterOptions<Request> {
  readonly databaseUrl: string
  readonly movementOf: (request: Request) => Movement
  /** The call that posts a batch and writes all that belongs to it: one row with the column `statuses text[]`. */
  readonly encode: (requests: readonly Request[]) => pg.QueryConfig
  readonly metrics?: PosterMetrics
  /** How long a movement waits for a database that cannot be reached. */
  readonly patienceMs?: number
}

export interface Poster<Request> {
  /** Posts in the next batch. Rejects with LedgerError `unavailable` when the outcome is not known. */
  post(request: Request): Promise<Outcome>
  /** Posts what was asked for so far, then ends the connection. */
  close(): Promise<void>
}

interface Caller {
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

interface Waiting<Request> {
  readonly request: Request
  readonly movement: Movement
  readonly since: number
  readonly callers: Caller[]
}

/** By movement id and request hash, in the order of asking. */
type Queue<Request> = Map<string, Waiting<Request>>

/** Tells the callers of a batch what became of it. */
type Answer = () => void

const largestBatch = 256
const mostConflicts = 10
const connectTimeoutMs = 5_000
const answerTimeoutMs = 30_000
const lockTimeoutMs = 2_000
const defaultPatienceMs = 15_000

/** A poster with a connection of its own. Any number may run, in any number of processes, on the same database. */
export function createPoster<Request>(options: PosterOptions<Request>): Poster<Request> {
  const connection = createConnection(options.databaseUrl)
  const queue: Queue<Request> = new Map()
  let working: Promise<void> | undefined
  let closed = false

  function post(request: Request): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      assert(!closed, 'the poster is closed')
      const movement = options.movementOf(request)
      assertMovement(movement)
      const key = `${movement.id} ${movement.requestHash.toString('hex')}`
      const same = queue.get(key)
      if (same) same.callers.push({ resolve, reject })
      else queue.set(key, { request, movement, since: Date.now(), callers: [{ resolve, reject }] })
      working ??= work()
    })
  }

  async function work(): Promise<void> {
    let answerLast: Answer = () => {}
    // Deferred by one turn, so that all who wake up together travel together.
    await nextTurn()
    while (queue.size > 0) {
      const underWay = settle(takeBatch(queue))
      // The next batch goes first: those of the last one learn their outcome while the database is busy again.
      answerLast()
      answerLast = await underWay
      if (queue.size > 0) continue
      answerLast()
      answerLast = () => {}
      await nextTurn()
    }
    working = undefined
  }

  /** Gets every movement of the batch an outcome or an error, whatever happens, and gives what tells the callers. */
  async function settle(batch: readonly Waiting<Request>[]): Promise<Answer> {
    try {
      const statuses = await sendUntilAnswered(connection, batch, options)
      const outcomes = batch.map((_, index) => outcomeOf(statuses[index] ?? 'missing'))
      return () => batch.forEach((waiting, index) => answer(waiting, outcomes[index]))
    } catch (error) {
      const failed = error instanceof LedgerError && error.problem === 'unavailable'
      if (failed || batch.length === 1) {
        return () => batch.forEach(({ callers }) => callers.forEach((caller) => caller.reject(ledgerErrorOf(error))))
      }
      // One of them cannot be posted at all: halve, so that it fails alone.
      const middle = batch.length >> 1
      const halves = [await settle(batch.slice(0, middle)), await settle(batch.slice(middle))]
      return () => halves.forEach((answerHalf) => answerHalf())
    }
  }

  async function close(): Promise<void> {
    closed = true
    await working
    await connection.end()
  }

  return { post, close }
}

/** Takes the next batch out of the queue. It never holds one id twice: of two requests with one id, the second waits. */
function takeBatch<Request>(queue: Queue<Request>): Waiting<Request>[] {
  const ids = new Set<string>()
  const batch: Waiting<Request>[] = []
  for (const [key, waiting] of queue) {
    if (batch.length === largestBatch) break
    if (ids.has(waiting.movement.id)) continue
    ids.add(waiting.movement.id)
    batch.push(waiting)
    queue.delete(key)
  }
  return batch
}

/** The batch is all or nothing and keyed by its movements' ids, so sending it again is always safe. */
async function sendUntilAnswered<Request>(
  connection: Connection,
  batch: readonly Waiting<Request>[],
  { encode, metrics, patienceMs = defaultPatienceMs }: PosterOptions<Request>,
): Promise<string[]> {
  const query = encode(batch.map((waiting) => waiting.request))
  const giveUpAt = Math.min(...batch.map((waiting) => waiting.since)) + patienceMs
  for (let conflicts = 0, losses = 0; ;) {
    try {
      const start = performance.now()
      const client = await connection.get()
      const { rows } = await client.query<{ statuses: string[] }>(query)
      metrics?.batch(batch.length, performance.now() - start)
      return rows[0]?.statuses ?? []
    } catch (error) {
      if (isConflict(error) && conflicts < mostConflicts) {
        conflicts += 1
        metrics?.retry('conflict')
      } else if (isConnectionLoss(error)) {
        connection.drop()
        if (Date.now() >= giveUpAt) {
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
function answer<Request>({ callers }: Waiting<Request>, outcome: Outcome | undefined): void {
  assert(outcome)
  callers.forEach((caller, index) => {
    caller.resolve(index > 0 && outcome.status === 'posted' ? { status: 'replayed' } : outcome)
  })
}

// Deadlock, serialization failure, and a unique id or token that another process wrote in the same moment.
const conflictStates: ReadonlySet<string> = new Set(['40P01', '40001', '23505'])

const isConflict = (error: unknown): boolean => conflictStates.has(sqlStateOf(error) ?? '')

/** Without an SQLSTATE the network failed; classes 08 and 57P say that the server is going, gone or not yet there. */
function isConnectionLoss(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === undefined ? error instanceof Error : /^(08|57P0[1235]|53300)/.test(state)
}

interface Connection {
  get(): Promise<pg.Client>
  /** Forgets the connection; the next `get` makes a new one. */
  drop(): void
  end(): Promise<void>
}

function createConnection(connectionString: string): Connection {
  let current: pg.Client | undefined
  function drop(): void {
    void current?.end().catch(() => {})
    current = undefined
  }
  return {
    async get() {
      if (current) return current
      const client = new pg.Client({
        connectionString,
        application_name: 'tern poster',
        keepAlive: true,
        connectionTimeoutMillis: connectTimeoutMs,
        query_timeout: answerTimeoutMs,
      })
      client.on('error', () => {
        if (current === client) drop()
      })
      try {
        await client.connect()
        // A plan cached while tables were small must not scan them when they are large; and a batch must not wait for
        // ever for an account that somebody else forgot to let go.
        await client.query(`set enable_seqscan = off; set lock_timeout = ${lockTimeoutMs}`)
      } catch (error) {
        void client.end().catch(() => {})
        throw error
      }
      current = client
      return client
    },
    drop,
    async end() {
      await current?.end()
      current = undefined
    },
  }
}
