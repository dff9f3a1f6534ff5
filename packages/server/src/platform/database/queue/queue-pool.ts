import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseUnavailable } from '../database-errors.ts'
import { connect } from '../db.ts'

/**
 * Each of four runners listens on one connection, and one connection holds the presence locks; the rest run statements.
 */
const queueConnections = 9
const retryMs = 200

/**
 * The queue writes ids of failed jobs as JSON, which fails for a bigint: the process would end with the job still
 * locked.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? String : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
}

type Statement = pg.QueryConfig<unknown[]>

/** Matches statements that record completed or failed jobs. Repeating one changes nothing. */
const isJobResult = (statement: unknown): statement is Statement =>
  typeof statement === 'object' &&
  statement !== null &&
  'name' in statement &&
  /^(complete|fail)_job/.test(String(statement.name))

export const connectQueue = (databaseUrl: string): pg.Pool => connect(databaseUrl, queueConnections, { types })

/**
 * Returns the pool for a runner. It retries the statement that records a job's end until it succeeds: after two
 * failures of it, as in a database restart, graphile-worker's runner would neither work nor end.
 */
export function runnerPool(pool: pg.Pool): pg.Pool {
  let last: Promise<unknown> = Promise.resolve()

  /**
   * Retries a statement on separate connections until it succeeds or the pool ends; then other workers free the jobs.
   */
  async function repeat(statement: Statement): Promise<pg.QueryResult> {
    for (;;) {
      await delay(retryMs)
      if (pool.ending) return { command: '', rowCount: 0, oid: 0, fields: [], rows: [] }
      const client = new pg.Client({ connectionString: pool.options.connectionString, application_name: 'tern', types })
      client.on('error', () => {})
      try {
        await client.connect()
        return await client.query(statement)
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
      } finally {
        await client.end().catch(() => {})
      }
    }
  }

  /** Runs retries one at a time, so that jobs that end together need only one connection. */
  function retryOnNextClient(statement: Statement): Promise<pg.QueryResult> {
    const next = last.then(() => repeat(statement))
    last = next.catch(() => {})
    return next
  }

  /**
   * Returns a client that connects with its first statement, so that a failed connection is retried like a failed
   * statement.
   */
  function createLateClient() {
    let client: Promise<pg.PoolClient> | undefined
    return {
      async query(statement: Statement, values?: unknown[]): Promise<pg.QueryResult> {
        try {
          client ??= pool.connect()
          return await (await client).query(statement, values)
        } catch (error) {
          if (!isJobResult(statement) || !isDatabaseUnavailable(error)) throw error
          return retryOnNextClient(statement)
        }
      },
      release: (): void => void client?.then((poolClient) => poolClient.release()).catch(() => {}),
    }
  }

  type Callback = Parameters<pg.Pool['connect']>[0]
  const connectLater = (callback?: Callback) =>
    callback ? pool.connect(callback) : Promise.resolve(createLateClient())
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connectLater
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}
