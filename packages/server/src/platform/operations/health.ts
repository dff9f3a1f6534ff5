import type { FastifyInstance } from 'fastify'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import type { DatabaseWatch } from '../database/database-watch.ts'
import { Refusal } from '../refuse.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { sendProblem } from '../http/problem.ts'

export type NotReady =
  | 'starting'
  | 'stopping'
  | 'database_unavailable'
  | 'schema_unusable'
  | 'rates_unknown'
  | 'jobs_stuck'

/** Whether the database answers and its tables can be read; the reason if not. */
export async function whyDatabaseIsNotReady(
  watch: DatabaseWatch,
  pool: { query(text: string): Promise<unknown> },
): Promise<NotReady | undefined> {
  try {
    await watch.whileThere(() => pool.query('select 1 from ledger.account limit 1'))
    return undefined
  } catch (error) {
    const isAway = error instanceof Refusal || isDatabaseUnavailable(error)
    return isAway ? 'database_unavailable' : 'schema_unusable'
  }
}

/** Names the kinds of providers that do not accept our key or calls, such as `provider_fault:money`. */
export async function readProviderWarnings({ providerFaults }: Pick<Metrics, 'providerFaults'>): Promise<string[]> {
  const { values } = await providerFaults.get()
  return values.flatMap(({ value, labels: { kind } }) => (value === 1 ? [`provider_fault:${kind}`] : []))
}

/**
 * Serves `/healthz`, 200 while the process lives, and `/readyz`: 503 with a reason while it should get no traffic, and otherwise 200
 * with the `warnings` of what does not work although traffic can come.
 */
export function addHealth(
  http: FastifyInstance,
  whyNotReady: () => Promise<NotReady | undefined>,
  readWarnings: () => Promise<string[]>,
): void {
  http.get('/healthz', { schema: { hide: true } }, () => ({ status: 'ok' }))
  http.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const reason = await whyNotReady()
    if (reason === undefined) return { status: 'ready', warnings: await readWarnings() }
    return sendProblem(request, reply, 'not_ready', { reason })
  })
}
