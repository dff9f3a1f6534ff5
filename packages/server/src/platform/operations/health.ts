import type { FastifyInstance } from 'fastify'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import type { DatabaseWatch } from '../database/database-watch.ts'
import { Refusal } from '../refuse.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { sendProblem } from '../http/problem.ts'

export type ReadinessProblem =
  | 'starting'
  | 'stopping'
  | 'database_unavailable'
  | 'schema_unusable'
  | 'rates_unknown'
  | 'jobs_stuck'

/** Returns why the database is not ready; undefined if it answers and its tables can be read. */
export async function findDatabaseProblem(
  watch: DatabaseWatch,
  pool: { query(text: string): Promise<unknown> },
): Promise<ReadinessProblem | undefined> {
  try {
    await watch.whileThere(() => pool.query('select 1 from ledger.account limit 1'))
    return undefined
  } catch (error) {
    const isUnavailable = error instanceof Refusal || isDatabaseUnavailable(error)
    return isUnavailable ? 'database_unavailable' : 'schema_unusable'
  }
}

/** Fault that operators must fix while the process still serves, such as `provider_fault:money`. */
export type HealthWarning = 'screening_lists_not_current' | `provider_fault:${string}`

export interface Health {
  /** Returns why the process should get no traffic; undefined while ready. */
  readonly findReadinessProblem: () => Promise<ReadinessProblem | undefined>
  readonly warnings: () => Promise<readonly HealthWarning[]>
}

/** Returns a fault for each kind of provider that does not accept our key or calls. */
export async function readProviderFaults({
  providerFaults,
}: Pick<Metrics, 'providerFaults'>): Promise<HealthWarning[]> {
  const { values } = await providerFaults.get()
  const faults = values.filter(({ value }) => value === 1)
  return faults.map(({ labels: { kind } }): HealthWarning => `provider_fault:${kind}`)
}

/**
 * Serves `/healthz`, which answers 200 while the process runs, and `/readyz`, which answers 503 with a reason while the
 * process should get no traffic. If there are only warnings, `/readyz` answers 200 and lists them.
 */
export function addHealth(http: FastifyInstance, { findReadinessProblem, warnings }: Health): void {
  http.get('/healthz', { schema: { hide: true } }, () => ({ status: 'ok' }))
  http.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const reason = await findReadinessProblem()
    if (reason !== undefined) return sendProblem(request, reply, 'not_ready', { reason })
    return { status: 'ready', warnings: await warnings() }
  })
}
