import * as contract from '@tern/contract/transfers/street-mode'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { Identity } from '../../identity/identity.ts'
import type { StreetModes } from '../risk.ts'

const maxChangesPerMinute = 30

/** Registers `/user/street-mode`, for the caller's own settings and places. */
export function streetModeRoutes(
  app: FastifyInstance,
  streetMode: StreetModes,
  { describeClient }: Pick<Identity, 'describeClient'>,
): void {
  const limitChanges = limitPerUser(app, 'street-mode', maxChangesPerMinute)

  serve(app, contract.streetMode, ({ caller, request, reply }) =>
    streetMode.read({ caller, client: describeClient(request, reply) }),
  )

  serve(app, contract.setStreetMode, async ({ caller, confirmation, body, request, reply }) => {
    await limitChanges(request)
    return streetMode.set({ caller, client: describeClient(request, reply), confirmation, body })
  })

  serve(app, contract.addStreetPlace, async ({ caller, confirmation, body, request, reply }) => {
    await limitChanges(request)
    return streetMode.addPlace({ caller, client: describeClient(request, reply), confirmation, name: body.name })
  })

  serve(app, contract.removeStreetPlace, async ({ caller, params, request, reply }) => {
    await limitChanges(request)
    return streetMode.removePlace({ caller, client: describeClient(request, reply), placeId: params.id })
  })
}
