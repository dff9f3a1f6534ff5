import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseUnavailable } from '../database-errors.ts'
import { connect } from '../db.ts'

/** Four runners listen on one connection each, one holds the presence locks, the others work. */
const queueConnections = 9
const retryMs = 200

/** The queue writes failed job ids as JSON, where a bigint would end the process and leave the job locked. */
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
 * Returns the connections for a runner. A lost connection or a database restart must not fail the record of a job's
 * end: after two such failures graphile-worker's runner neither works nor ends. The record is therefore retried until
 * it is stored.
 */
export function runnerPool(pool: pg.Pool): pg.Pool {
  let last: Promise<unknown> = Promise.resolve()

  /**
   * Retries a statement on separate connections until it succeeds or the pool ends; other workers then free the jobs.
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

  /** Serializes retries, so that jobs ending together need only one connection. */
  function retryOnNextClient(statement: Statement): Promise<pg.QueryResult> {
    const next = last.then(() => repeat(statement))
    last = next.catch(() => {})
    return next
  }

  /**
   * Returns a client that connects with its first statement, so that a failed connection can be retried with that
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
