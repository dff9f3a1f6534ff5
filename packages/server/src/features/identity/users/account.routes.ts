import { saveMetadata, updateProfile } from '@tern/contract/identity'
import { changePassword } from '@tern/contract/security'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type Caller, serve } from '../../../platform/http/serve.ts'
import type { SignInRouteHelpers } from '../sign-in/sign-in-replies.ts'
import type { Identity } from '../identity.ts'

// Per minute. Also limits probing for usernames.
const changesPerUser = 60

/** Routes for people's own accounts. */
export function accountRoutes(app: FastifyInstance, identity: Identity, kit: SignInRouteHelpers): void {
  const limitChanges = limitPerUser(app, 'profile', changesPerUser)

  serve(app, updateProfile, async ({ params, body, caller, confirmation, request, reply }) => {
    requireOwn(params.id, caller)
    await limitChanges(request)
    if (body.email !== undefined) await kit.limitSensitiveActions(request)
    return identity.updateProfile(caller, body, { confirmation, client: identity.clientOf(request, reply) })
  })

  serve(app, saveMetadata, ({ params, body, caller }) => {
    requireOwn(params.id, caller)
    return identity.saveMetadata(caller.userId, body.metadata)
  })

  serve(app, changePassword, async ({ body, caller, confirmation, request, reply }) => {
    await kit.limitSensitiveActions(request)
    await identity.changePassword(caller, body.password, { confirmation, client: identity.clientOf(request, reply) })
    return { success: true as const }
  })
}

function requireOwn(id: number, { userId }: Caller): void {
  if (BigInt(id) !== userId) refuse('not_found')
}
