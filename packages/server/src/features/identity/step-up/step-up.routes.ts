import * as contract from '@tern/contract/security'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import type { Identity } from '../identity.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { reportUnrecognizedStepUp } from './report-step-up.ts'
import { mailStepUpCode, proveByCode, proveByPasskey, stepUpPasskeyOptions } from './step-up.ts'

// For all confirmations of a user. Each confirmation also ends at its fifth failure.
const maxCallsPerMinute = 30
const success = { success: true } as const

/** Registers the step-up routes, below `/api/auth/step-up`. */
export function stepUpRoutes(app: FastifyInstance, { ctx, pool }: Identity, { serveWithLimits }: RouteHelpers): void {
  const serveStepUp = serveWithLimits(limitPerUser(app, 'step_up', maxCallsPerMinute))

  serveStepUp(contract.mailStepUpCode, async ({ caller, params }) => {
    await mailStepUpCode(ctx, pool, { caller, id: params.id })
    return success
  })

  serveStepUp(contract.proveByCode, async ({ caller, params, body, client }) => {
    await proveByCode(ctx, pool, { ...body, caller, id: params.id, client: client() })
    return success
  })

  serveStepUp(contract.stepUpPasskeyOptions, ({ caller, params }) =>
    stepUpPasskeyOptions(ctx, pool, { caller, id: params.id }),
  )

  serveStepUp(contract.reportUnrecognizedStepUp, async ({ caller, params, client }) => {
    await reportUnrecognizedStepUp(ctx, pool, { caller, id: params.id, client: client() })
  })

  serveStepUp(contract.proveByPasskey, async ({ caller, params, body, client }) => {
    await proveByPasskey(ctx, pool, { ...body, caller, id: params.id, client: client() })
    return success
  })
}
