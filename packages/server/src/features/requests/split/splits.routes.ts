import * as contract from '@tern/contract/requests/splits'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../../platform/database/db.ts'
import type { Limit } from '../../../platform/http/rate-limits.ts'
import { serve, serveReading } from '../../../platform/http/serve.ts'
import { haveTransacted } from '../../identity/identity.ts'
import type { LimitedLookup } from '../../wallets/wallets.ts'
import type { Requests } from '../requests.ts'

interface RouteParts {
  readonly requests: Requests
  readonly pool: Db
  readonly lookUp: LimitedLookup
  /** Limits shared with single requests, so that splits cannot evade them. */
  readonly limits: { readonly newRequests: Limit; readonly strangers: Limit; readonly decisions: Limit }
}

/** `/splits`: the caller's split bills. */
export function splitsRoutes(app: FastifyInstance, { requests: { splits }, pool, lookUp, limits }: RouteParts): void {
  serve(app, contract.createSplit, async ({ caller, body, idempotencyKey, request }) => {
    const plan = await splits.plan({ caller, body })
    const { userId } = caller
    const planned = { userId, plan, idempotencyKey }
    // A retry after a lost answer is not counted again.
    const existingSplit = await splits.findExisting(planned)
    if (existingSplit !== undefined) return splits.details(pool, { userId, id: existingSplit })
    for (const [index, payerId] of plan.payerIds.entries()) {
      await lookUp(request, payerId, () => splits.requirePayer({ plan, index }))
    }
    for (const payerId of plan.payerIds) {
      await limits.newRequests(request)
      if (!(await haveTransacted(pool, { userId: caller.userId, otherId: payerId }))) await limits.strangers(request)
    }
    return splits.create(planned)
  })
  serveReading(app, contract.ownSplits, ({ caller, query, db }) =>
    splits.list(db, { userId: caller.userId, cursor: query.cursor }),
  )
  serveReading(app, contract.splitDetails, ({ caller, params, db }) =>
    splits.details(db, { userId: caller.userId, id: params.id }),
  )
  serve(app, contract.remindSplit, async ({ caller, params, request }) => {
    await limits.decisions(request)
    return splits.remind({ userId: caller.userId, id: params.id })
  })
  serve(app, contract.cancelSplit, async ({ caller, params, request }) => {
    await limits.decisions(request)
    return splits.cancel({ userId: caller.userId, id: params.id })
  })
}
