import * as contract from '@tern/contract/security'
import { answerSecondFactor, answerSecondFactorByPasskey, secondFactorPasskeyOptions } from '@tern/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { DoorKit } from '../sign-in/sign-in-replies.ts'
import type { Factors } from './factors.ts'
import type { SecondFactorDoor } from './second-factor.ts'

/** Setting up second factors, and proving oneself by them. */
export function factorRoutes(
  app: FastifyInstance,
  { kit, factors, secondFactor }: { kit: DoorKit; factors: Factors; secondFactor: SecondFactorDoor },
): void {
  serve(app, contract.startTotp, async ({ caller, proof, request }) => {
    await kit.limitProvenActs(request)
    return factors.startTotp(caller, proof)
  })

  serve(app, contract.confirmTotp, async ({ caller, body, request, reply }) => {
    return { recovery_codes: await factors.confirmTotp(caller, body.code, kit.clientOf(request, reply)) }
  })

  serve(app, contract.removeTotp, async ({ caller, proof, request, reply }) => {
    await kit.limitProvenActs(request)
    await factors.removeTotp(caller, proof, kit.clientOf(request, reply))
    return undefined
  })

  serve(app, contract.renewRecoveryCodes, async ({ caller, proof, request, reply }) => {
    await kit.limitProvenActs(request)
    return { recovery_codes: await factors.renewRecoveryCodes(caller, proof, kit.clientOf(request, reply)) }
  })

  serve(app, answerSecondFactor, async ({ body, request, reply }) => {
    await kit.enter(request)
    return kit.welcome(reply, await secondFactor.answerByCode(body, kit.clientOf(request, reply)))
  })

  serve(app, secondFactorPasskeyOptions, async ({ body, request }) => {
    await kit.enter(request)
    return secondFactor.passkeyOptions(body.challenge)
  })

  serve(app, answerSecondFactorByPasskey, async ({ body, request, reply }) => {
    await kit.enter(request)
    const { challenge, ...answer } = body
    return kit.welcome(reply, await secondFactor.answerByPasskey(challenge, answer, kit.clientOf(request, reply)))
  })
}
