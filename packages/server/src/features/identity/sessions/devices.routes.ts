import * as contract from '@tern/contract/security'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { AccountSecurity } from '../users/account-security.ts'

/** Routes for account protection and sessions. */
export function devicesRoutes(app: FastifyInstance, identity: AccountSecurity): void {
  serve(app, contract.securityOverview, ({ caller }) => identity.securityOverview(caller.userId))
  serve(app, contract.listSessions, ({ caller }) => identity.listSessions(caller))
  serve(app, contract.endSession, async ({ caller, params }) => {
    await identity.endSession(caller, params.id)
    return undefined
  })
  serve(app, contract.endOtherSessions, async ({ caller }) => {
    await identity.endOtherSessions(caller)
    return undefined
  })
}
