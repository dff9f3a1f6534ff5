import * as contract from '@tern/contract/sign-in'
import { Refusal } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { freezeByLink } from '../account/freeze.ts'
import { logInByLink, verifyEmail } from './email-links-followed.ts'
import { reportUnrecognizedSignIn, resetPassword } from './email-links-recovery.ts'
import { sendLoginLink, sendPasswordReset, sendVerification } from './email-links-sent.ts'

const accepted = { success: true } as const

/** Routes for links in mails. */
export function emailLinkRoutes(context: IdentityContext, { serveSignIn, answer }: RouteHelpers): void {
  serveSignIn(contract.sendLoginLink, async ({ body, client }) => {
    await sendLoginLink(context, body, client())
    return accepted
  })

  serveSignIn(contract.verifyLoginLink, async ({ body, reply, client }) =>
    answer(reply, await logInByLink(context, body.token, client())),
  )

  serveSignIn(contract.sendVerificationEmail, async ({ body, client }) => {
    await sendVerification(context, body.email, client())
    return accepted
  })

  serveSignIn(contract.verifyEmail, async ({ body, client }) => {
    return { success: true as const, email_verified: await verifyEmail(context, body.token, client()) }
  })

  serveSignIn(contract.checkEmailToken, async ({ body, client }) => {
    try {
      return { success: true, email_verified: await verifyEmail(context, body.token, client()) }
    } catch (error) {
      if (error instanceof Refusal) return { success: false }
      throw error
    }
  })

  serveSignIn(contract.sendPasswordReset, async ({ body, client }) => {
    await sendPasswordReset(context, body.email, client())
    return accepted
  })

  serveSignIn(contract.resetPassword, async ({ body, client }) => {
    await resetPassword(context, body, client())
    return accepted
  })

  serveSignIn(contract.freezeByLink, async ({ body, client }) => {
    await freezeByLink(context, body.token, client())
    return accepted
  })

  serveSignIn(contract.reportUnrecognizedSignIn, async ({ body }) => ({
    reset_token: await reportUnrecognizedSignIn(context, body.token),
  }))
}
