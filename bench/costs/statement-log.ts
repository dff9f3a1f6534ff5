// Records statements that the product sends to a database from this process.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

export interface StatementLog {
  /** Returns the statements sent since the last call, in order, once `quietMs` have passed without another. */
  take(): Promise<string[]>
  /** Flushes the pending statistics of the recorded connections' backends. */
  flushStatistics(): Promise<void>
  close(): void
}

/** Application names of connections that watch the database or listen on a channel; their heartbeats are ignored. */
const clockConnection = /^tern (?:watch|tern_\w+)$/

/** Statements of the job queue, which run on a timer and are ignored. */
const queueStatement = /graphile_worker|from pg_locks/

/** Longer than the interval between two notifications of one process. */
const quietMs = 40

/** Returns a prepared statement's name, otherwise its text on one line. */
function describeStatement(query: unknown): string {
  const { name, text = '' } = typeof query === 'string' ? { text: query } : (query as { name?: string; text?: string })
  return name ?? text.replaceAll(/\s+/g, ' ').trim()
}

const readConnection = (client: pg.Client): string | undefined =>
  (client as unknown as { connectionParameters: { application_name?: string } }).connectionParameters.application_name

/** Records statements for the database `name` from now on, except those of the pool `excludedPool`. */
export function recordStatements(name: string, excludedPool: pg.Pool): StatementLog {
  const original = pg.Client.prototype.query
  const clients = new Set<pg.Client>()
  const excludedClients = new WeakSet<pg.Client>()
  excludedPool.on('acquire', (client) => excludedClients.add(client))
  let statements: string[] = []

  function record(client: pg.Client, query: unknown): void {
    const statement = describeStatement(query)
    if (client.database !== name || excludedClients.has(client) || queueStatement.test(statement)) return
    if (clockConnection.test(readConnection(client) ?? '')) return
    statements.push(statement)
    if (clients.has(client)) return
    clients.add(client)
    client.once('end', () => clients.delete(client))
  }
  pg.Client.prototype.query = function query(this: pg.Client, ...queryArguments: unknown[]) {
    record(this, queryArguments[0])
    return Reflect.apply(original, this, queryArguments) as never
  }

  return {
    async take() {
      for (let lastCount = -1; lastCount !== statements.length; await delay(quietMs)) lastCount = statements.length
      const takenStatements = statements
      statements = []
      return takenStatements
    },
    async flushStatistics() {
      const flush = ['select pg_stat_force_next_flush()']
      await Promise.all(Array.from(clients, (client) => Reflect.apply(original, client, flush) as unknown))
    },
    close() {
      pg.Client.prototype.query = original
    },
  }
}
