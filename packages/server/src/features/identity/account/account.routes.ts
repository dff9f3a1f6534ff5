import * as contract from '@tern/contract/security'
import { saveMetadata as saveContract, updateProfile as updateContract } from '@tern/contract/identity'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { requireOwn } from '../../../platform/http/serve.ts'
import type { Identity } from '../identity.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { changePassword, saveMetadata, updateProfile } from './account.ts'
import { freezeAccount, unfreezeAccount } from './freeze.ts'
import { reportUnrecognizedSession } from './report-session.ts'
import { endOtherSessions, endSession, readOverview, readSessions } from './account-security.ts'

// Also slows down probing for usernames.
const maxChangesPerMinute = 60
const maxReportsPerMinute = 30

export function accountRoutes(
  app: FastifyInstance,
  { ctx, pool }: Identity,
  { serve, serveWithLimits, serveSensitive, limitSensitiveActions }: RouteHelpers,
): void {
  const limitChanges = limitPerUser(app, 'profile', maxChangesPerMinute)

  serve(updateContract, async ({ params, body, caller, confirmation, request, client }) => {
    requireOwn(caller, params.id)
    await limitChanges(request)
    if (body.email !== undefined || body.username !== undefined) await limitSensitiveActions(request)
    return updateProfile(ctx, pool, { caller, change: body, confirmation, client: client() })
  })

  serve(saveContract, async ({ params, body, caller }) =>
    saveMetadata(pool, { userId: requireOwn(caller, params.id), metadata: body.metadata }),
  )

  serveSensitive(contract.changePassword, async ({ body, caller, confirmation, client }) => {
    await changePassword(ctx, pool, { caller, password: body.password, confirmation, client: client() })
    return { success: true as const }
  })

  serve(contract.freezeAccount, ({ caller, client }) => freezeAccount(ctx, pool, { caller, client: client() }))
  serveSensitive(contract.unfreezeAccount, ({ caller, confirmation, client }) =>
    unfreezeAccount(ctx, pool, { caller, confirmation, client: client() }),
  )

  const serveReport = serveWithLimits(limitPerUser(app, 'report_session', maxReportsPerMinute))
  serveReport(contract.reportUnrecognizedSession, async ({ caller, params, client }) => {
    await reportUnrecognizedSession(ctx, pool, { caller, sessionId: params.id, client: client() })
  })
  serve(contract.securityOverview, ({ caller }) => readOverview(pool, caller.userId))
  serve(contract.listSessions, ({ caller }) => readSessions(ctx, pool, caller))
  serveSensitive(contract.endSession, ({ caller, params, confirmation }) =>
    endSession(ctx, pool, { caller, sessionId: params.id, confirmation }),
  )
  serveSensitive(contract.endOtherSessions, ({ caller, confirmation }) =>
    endOtherSessions(ctx, pool, { caller, confirmation }),
  )
}
