import * as contract from '@tern/contract/security'
import { answerSecondFactor, answerSecondFactorByPasskey, secondFactorPasskeyOptions } from '@tern/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { SignInRouteHelpers } from '../sign-in/sign-in-replies.ts'
import type { Factors } from './factors.ts'
import type { SecondFactorSignIn } from './second-factor.ts'

/** Routes for setting up and using second factors. */
export function factorRoutes(
  app: FastifyInstance,
  { kit, factors, secondFactor }: { kit: SignInRouteHelpers; factors: Factors; secondFactor: SecondFactorSignIn },
): void {
  serve(app, contract.startTotp, async ({ caller, confirmation, request }) => {
    await kit.limitSensitiveActions(request)
    return factors.startTotp(caller, confirmation)
  })

  serve(app, contract.confirmTotp, async ({ caller, body, request, reply }) => {
    return { recovery_codes: await factors.confirmTotp(caller, body.code, kit.clientOf(request, reply)) }
  })

  serve(app, contract.removeTotp, async ({ caller, confirmation, request, reply }) => {
    await kit.limitSensitiveActions(request)
    await factors.removeTotp(caller, confirmation, kit.clientOf(request, reply))
    return undefined
  })

  serve(app, contract.renewRecoveryCodes, async ({ caller, confirmation, request, reply }) => {
    await kit.limitSensitiveActions(request)
    return { recovery_codes: await factors.renewRecoveryCodes(caller, confirmation, kit.clientOf(request, reply)) }
  })

  serve(app, answerSecondFactor, async ({ body, request, reply }) => {
    await kit.enter(request)
    return kit.toSignedIn(reply, await secondFactor.answerByCode(body, kit.clientOf(request, reply)))
  })

  serve(app, secondFactorPasskeyOptions, async ({ body, request }) => {
    await kit.enter(request)
    return secondFactor.passkeyOptions(body.challenge)
  })

  serve(app, answerSecondFactorByPasskey, async ({ body, request, reply }) => {
    await kit.enter(request)
    const { challenge, ...answer } = body
    return kit.toSignedIn(reply, await secondFactor.answerByPasskey(challenge, answer, kit.clientOf(request, reply)))
  })
}
