import * as contract from '@tern/contract/transfers/street-mode'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { type Call, serve } from '../../../platform/http/serve.ts'
import type { Identity } from '../../identity/identity.ts'
import type { StreetModes } from './street-mode.ts'

type Asking = Pick<Call<typeof contract.setStreetMode>, 'caller' | 'confirmation' | 'request' | 'reply'>

// Per minute.
const changesPerUser = 30

/** `/user/street-mode`: the caller's own and nobody else's. */
export function streetModeRoutes(
  app: FastifyInstance,
  streetMode: StreetModes,
  { clientOf }: Pick<Identity, 'clientOf'>,
): void {
  const limitChanges = limitPerUser(app, 'street-mode', changesPerUser)
  const askedOf = ({ caller, confirmation, request, reply }: Asking) => ({
    ...{ caller, confirmation },
    client: clientOf(request, reply),
  })

  serve(app, contract.streetMode, ({ caller, request, reply }) => streetMode.view(caller, clientOf(request, reply)))

  serve(app, contract.setStreetMode, async (call) => {
    await limitChanges(call.request)
    return streetMode.set(askedOf(call), call.body)
  })

  serve(app, contract.addStreetPlace, async (call) => {
    await limitChanges(call.request)
    return streetMode.addPlace(askedOf(call), call.body.name)
  })

  serve(app, contract.removeStreetPlace, async ({ caller, params, request, reply }) => {
    await limitChanges(request)
    return streetMode.removePlace(caller, clientOf(request, reply), params.id)
  })
}
