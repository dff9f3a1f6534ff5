import { setOwnLimit, userLimits } from '@tern/contract/limits'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { serve } from '../../platform/http/serve.ts'
import { type LimitsContext, changeOwnLimit, viewLimits } from './own-limits.ts'

const maxChangesPerMinute = 30

/** Registers `/user/limits`, for the caller's own limits. */
export function limitsRoutes(app: FastifyInstance, context: LimitsContext & { readonly pool: pg.Pool }): void {
  const { pool } = context
  const limitChanges = limitPerUser(app, 'own_limits', maxChangesPerMinute)

  serve(app, userLimits, ({ caller }) => viewLimits(context, pool, caller.userId))

  serve(app, setOwnLimit, async ({ caller, body, confirmation, request }) => {
    await limitChanges(request)
    await changeOwnLimit(context, pool, { caller, requested: body, confirmation })
    return viewLimits(context, pool, caller.userId)
  })
}
