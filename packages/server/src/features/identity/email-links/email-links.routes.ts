import * as contract from '@tern/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../../platform/refuse.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { SignInRouteHelpers } from '../sign-in/sign-in-replies.ts'
import type { Identity } from '../identity.ts'

const accepted = { success: true } as const

/** Routes for links in mails. */
export function emailLinkRoutes(app: FastifyInstance, identity: Identity, kit: SignInRouteHelpers): void {
  serve(app, contract.sendLoginLink, async ({ body, request, reply }) => {
    await kit.enter(request)
    await identity.sendLoginLink(body.email, body.from, kit.clientOf(request, reply))
    return accepted
  })

  serve(app, contract.verifyLoginLink, async ({ body, request, reply }) => {
    await kit.enter(request)
    return kit.answer(reply, await identity.logInByLink(body.token, kit.clientOf(request, reply)))
  })

  serve(app, contract.sendVerificationEmail, async ({ body, request, reply }) => {
    await kit.enter(request)
    await identity.sendVerification(body.email, kit.clientOf(request, reply))
    return accepted
  })

  serve(app, contract.verifyEmail, async ({ body, request, reply }) => {
    await kit.enter(request)
    await identity.verifyEmail(body.token, kit.clientOf(request, reply))
    return accepted
  })

  serve(app, contract.checkEmailToken, async ({ body, request, reply }) => {
    await kit.enter(request)
    try {
      await identity.verifyEmail(body.token, kit.clientOf(request, reply))
      return { success: true }
    } catch (error) {
      if (error instanceof Refusal) return { success: false }
      throw error
    }
  })

  serve(app, contract.sendPasswordReset, async ({ body, request, reply }) => {
    await kit.enter(request)
    await identity.sendPasswordReset(body.email, kit.clientOf(request, reply))
    return accepted
  })

  serve(app, contract.resetPassword, async ({ body, request, reply }) => {
    await kit.enter(request)
    await identity.resetPassword(body.token, body.password, kit.clientOf(request, reply))
    return accepted
  })

  serve(app, contract.reportUnrecognizedSignIn, async ({ body, request, reply }) => {
    await kit.enter(request)
    const token = await identity.reportUnrecognizedSignIn(body.token)
    void reply.header('cache-control', 'no-store')
    return { reset_token: token }
  })
}
