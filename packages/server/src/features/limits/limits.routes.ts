import { setOwnLimit, userLimits } from '@tern/contract/limits'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { serve } from '../../platform/http/serve.ts'
import type { OwnLimits } from './own-limits.ts'

// Per minute.
const changesPerUser = 30

/** `/user/limits`: the caller's own and nobody else's. */
export function limitsRoutes(app: FastifyInstance, ownLimits: OwnLimits): void {
  const limitChanges = limitPerUser(app, 'own_limits', changesPerUser)

  serve(app, userLimits, ({ caller }) => ownLimits.view(caller.userId))

  serve(app, setOwnLimit, async ({ caller, body, confirmation, request }) => {
    await limitChanges(request)
    return ownLimits.set(caller, body, confirmation)
  })
}
