import type { DeskEndpoint } from '@tern/contract/desk/desk-endpoint'
import { type DeskAct, type DeskQueue, deskQueues, isPermitted } from '@tern/contract/desk/roles'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { Db } from '../../platform/database/db.ts'
import { type Call, type HandlerResult, serve } from '../../platform/http/serve.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { DeskContext, Operator } from './context.ts'
import { writeLine } from './log.ts'
import { authenticateOperator } from './operators/sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Signed-in operator of the desk; null on public calls. */
    operator: Operator | null
  }
}

/** Endpoints by method and full path. */
type EndpointsByRoute = Map<string, DeskEndpoint>

/**
 * Refuses `cross_site_request` unless the request comes from the desk's own origin. A same-site check is not enough,
 * since customers' pages may be on another port of the same host. Browsers send `Origin` with every request that
 * changes data.
 */
function requireDeskOrigin({ method, headers }: FastifyRequest, deskUrl: string): void {
  const { origin, 'sec-fetch-site': fetchSite } = headers
  if (fetchSite !== undefined && fetchSite !== 'same-origin') refuse('cross_site_request')
  if (origin === undefined ? method !== 'GET' : origin !== new URL(deskUrl).origin) refuse('cross_site_request')
}

const readQueue = ({ params }: FastifyRequest): DeskQueue | undefined => {
  const { queue } = (params ?? {}) as { queue?: string }
  return deskQueues.find((deskQueue) => deskQueue === queue)
}

/** Refuses `desk_not_permitted`, which is logged, or `not_found` for an unknown queue. */
async function requirePermitted(
  { realNow }: DeskContext,
  db: Db,
  { request, operator, act }: { request: FastifyRequest; operator: Operator; act: DeskEndpoint['act'] },
): Promise<void> {
  if (act === 'any') return
  const requiredAct: DeskAct = act === 'queue' ? (readQueue(request) ?? refuse('not_found')) : act
  if (isPermitted(operator.roles, requiredAct)) return
  await writeLine(db, operator, { act: 'refused', subject: requiredAct }, realNow())
  refuse('desk_not_permitted')
}

/** Authorizes every endpoint that `serveDesk` registers in `api`, before the request is validated. */
export function guardDesk(
  api: FastifyInstance,
  { context, pool }: { readonly context: DeskContext; readonly pool: pg.Pool },
): EndpointsByRoute {
  const endpointsByRoute: EndpointsByRoute = new Map()
  api.decorateRequest('operator', null)
  api.addHook('preValidation', async (request) => {
    requireDeskOrigin(request, context.deskUrl)
    const endpoint = endpointsByRoute.get(`${request.method} ${request.routeOptions.url}`)
    if (!endpoint) return refuse('not_found')
    if (endpoint.access === 'public') return
    const operator = await authenticateOperator(context, pool, { request, isAutomatic: endpoint.isAutomatic === true })
    request.operator = operator
    await requirePermitted(context, pool, { request, operator, act: endpoint.act })
  })
  return endpointsByRoute
}

type DeskCall<E extends DeskEndpoint> = Call<E> & {
  readonly operator: E['access'] extends 'operator' ? Operator : null
}

export function serveDesk<E extends DeskEndpoint>(
  api: FastifyInstance,
  endpointsByRoute: EndpointsByRoute,
  endpoint: E,
  handler: (call: DeskCall<E>) => Promise<HandlerResult<Reply<E>>>,
): void {
  endpointsByRoute.set(`${endpoint.method} ${api.prefix}${endpoint.path}`, endpoint)
  serve(api, endpoint, (call) => handler({ ...call, operator: call.request.operator } as DeskCall<E>))
}
