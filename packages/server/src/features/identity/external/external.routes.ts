import { unlinkExternalSignIn } from '@tern/contract/security'
import * as contract from '@tern/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { SignInRouteHelpers } from '../sign-in/sign-in-replies.ts'
import type { Identity } from '../identity.ts'

/** Routes for signing in through identity providers. */
export function externalRoutes(app: FastifyInstance, identity: Identity, kit: SignInRouteHelpers): void {
  serve(app, contract.signInMethods, async () => identity.signInMethods())

  serve(app, contract.startExternalSignIn, async ({ body, request, reply }) => {
    await kit.enter(request)
    const { screen_hint: screenHint, login_hint: loginHint, ...visit } = body
    const url = await identity.startExternalSignIn({ ...visit, screenHint, loginHint }, kit.clientOf(request, reply))
    return { url }
  })

  serve(app, contract.finishExternalSignIn, async ({ body, request, reply }) => {
    await kit.enter(request)
    const { arrival, mode, from } = await identity.finishExternalSignIn(body.query, kit.clientOf(request, reply))
    return { ...kit.answer(reply, arrival), mode, ...(from === undefined ? {} : { from }) }
  })

  serve(app, contract.googleLogin, async ({ body, request, reply }) => {
    await kit.enter(request)
    return kit.answer(reply, await identity.googleLogin(body.token, kit.clientOf(request, reply)))
  })

  serve(app, contract.linkExternalSignIn, async ({ body, caller, request, reply }) => {
    await identity.linkExternalSignIn(caller, body.link, kit.clientOf(request, reply))
    return { success: true as const }
  })

  serve(app, unlinkExternalSignIn, async ({ params, caller, confirmation, request, reply }) => {
    await kit.limitSensitiveActions(request)
    await identity.unlinkExternalSignIn(caller, params.provider, confirmation, kit.clientOf(request, reply))
    return undefined
  })
}
