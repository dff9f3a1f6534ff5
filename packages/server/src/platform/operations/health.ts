import type { FastifyInstance } from 'fastify'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import type { DatabaseWatch } from '../database/database-watch.ts'
import { Refusal } from '../refuse.ts'
import { sendProblem } from '../http/problem.ts'

export type NotReady = 'starting' | 'stopping' | 'database_unavailable' | 'schema_unusable' | 'rates_unknown'

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

/** Something that operators have to mend although the process serves. */
export type HealthWarning = 'screening_lists_not_current'

export interface Health {
  /** Why the process should get no traffic; undefined where it should. */
  readonly whyNotReady: () => Promise<NotReady | undefined>
  readonly warnings: () => Promise<HealthWarning[]>
}

/** The lists that names are compared with are too old, so nobody is verified and no payment moves. */
export async function warningsOf(lists: { tooOld(): Promise<readonly string[]> }): Promise<HealthWarning[]> {
  return (await lists.tooOld()).length > 0 ? ['screening_lists_not_current'] : []
}

/**
 * Serves `/healthz`, 200 while the process lives, and `/readyz`, 503 with a reason while it should get no traffic. A warning takes
 * it from no load balancer: the answer is 200 and names it.
 */
export function addHealth(http: FastifyInstance, { whyNotReady, warnings }: Health): void {
  http.get('/healthz', { schema: { hide: true } }, () => ({ status: 'ok' }))
  http.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const reason = await whyNotReady()
    if (reason !== undefined) return sendProblem(request, reply, 'not_ready', { reason })
    const found = await warnings()
    return found.length > 0 ? { status: 'ready', warnings: found } : { status: 'ready' }
  })
}
