import * as contract from '@tern/contract/security'
import { saveMetadata as saveContract, updateProfile as updateContract } from '@tern/contract/identity'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { requireOwn } from '../../../platform/http/serve.ts'
import type { IdentityContext } from '../context.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { changePassword, saveMetadata, updateProfile } from './account.ts'
import { freezeAccount, unfreezeAccount } from './freeze.ts'
import { reportUnrecognizedSession } from './report-session.ts'
import { endOtherSessions, endSession, readOverview, readSessions } from './account-security.ts'

// Per minute. Also limits probing for usernames.
const changesPerUser = 60
const reportsPerUser = 30

/** Routes for people's own accounts, their protection and sessions. */
export function accountRoutes(
  app: FastifyInstance,
  context: IdentityContext,
  { serve, serveAfter, serveSensitive, limitSensitiveActions }: RouteHelpers,
): void {
  const limitChanges = limitPerUser(app, 'profile', changesPerUser)

  serve(updateContract, async ({ params, body, caller, confirmation, request, client }) => {
    requireOwn(caller, params.id)
    await limitChanges(request)
    if (body.email !== undefined || body.username !== undefined) await limitSensitiveActions(request)
    return updateProfile(context, caller, body, { confirmation, client: client() })
  })

  serve(saveContract, async ({ params, body, caller }) =>
    saveMetadata(context, requireOwn(caller, params.id), body.metadata),
  )

  serveSensitive(contract.changePassword, async ({ body, caller, confirmation, client }) => {
    await changePassword(context, caller, body.password, { confirmation, client: client() })
    return { success: true as const }
  })

  serve(contract.freezeAccount, ({ caller, client }) => freezeAccount(context, caller, client()))
  serveSensitive(contract.unfreezeAccount, ({ caller, confirmation, client }) =>
    unfreezeAccount(context, caller, confirmation, client()),
  )

  const serveReport = serveAfter(limitPerUser(app, 'report_session', reportsPerUser))
  serveReport(contract.reportUnrecognizedSession, async ({ caller, params, client }) => {
    await reportUnrecognizedSession(context, caller, params.id, client())
  })
  serve(contract.securityOverview, ({ caller }) => readOverview(context, caller.userId))
  serve(contract.listSessions, ({ caller }) => readSessions(context, caller))
  serveSensitive(contract.endSession, ({ caller, params, confirmation }) =>
    endSession(context, caller, params.id, confirmation),
  )
  serveSensitive(contract.endOtherSessions, ({ caller, confirmation }) =>
    endOtherSessions(context, caller, confirmation),
  )
}
