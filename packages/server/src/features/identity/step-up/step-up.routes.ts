import * as contract from '@tern/contract/security'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { SignInRouteHelpers } from '../sign-in/sign-in-replies.ts'
import type { StepUp } from './step-up.ts'

// Per minute, across confirmations; each one also ends at its fifth failure.
const callsPerUser = 30

/** Routes for step-up, below `/api/auth/step-up`. */
export function stepUpRoutes(app: FastifyInstance, stepUp: StepUp, kit: SignInRouteHelpers): void {
  const limitCalls = limitPerUser(app, 'step_up', callsPerUser)

  serve(app, contract.mailStepUpCode, async ({ caller, params, request }) => {
    await limitCalls(request)
    await stepUp.mailStepUpCode(caller, params.id)
    return { success: true as const }
  })

  serve(app, contract.proveByCode, async ({ caller, params, body, request, reply }) => {
    await limitCalls(request)
    await stepUp.proveByCode(caller, params.id, { ...body, client: kit.clientOf(request, reply) })
    return { success: true as const }
  })

  serve(app, contract.stepUpPasskeyOptions, async ({ caller, params, request }) => {
    await limitCalls(request)
    return stepUp.stepUpPasskeyOptions(caller, params.id)
  })

  serve(app, contract.proveByPasskey, async ({ caller, params, body, request }) => {
    await limitCalls(request)
    await stepUp.proveByPasskey(caller, params.id, body)
    return { success: true as const }
  })
}
