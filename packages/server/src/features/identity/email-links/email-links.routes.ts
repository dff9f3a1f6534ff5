import * as contract from '@tern/contract/sign-in'
import { Refusal } from '../../../platform/refuse.ts'
import type { Identity } from '../identity.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { freezeByLink } from '../account/freeze.ts'
import { logInByLink, verifyEmail } from './follow-links.ts'
import { reportUnrecognizedSignIn, resetPassword } from './recover-account.ts'
import { sendLoginLink, sendPasswordReset, sendVerification } from './send-links.ts'

const success = { success: true } as const

export function emailLinkRoutes({ ctx, pool }: Identity, { serveSignIn, answer }: RouteHelpers): void {
  serveSignIn(contract.sendLoginLink, async ({ body, client }) => {
    await sendLoginLink(ctx, pool, { ...body, client: client() })
    return success
  })

  serveSignIn(contract.verifyLoginLink, async ({ body, reply, client }) =>
    answer(reply, await logInByLink(ctx, pool, { token: body.token, client: client() })),
  )

  serveSignIn(contract.sendVerificationEmail, async ({ body, client }) => {
    await sendVerification(ctx, pool, { email: body.email, client: client() })
    return success
  })

  serveSignIn(contract.verifyEmail, async ({ body, client }) => {
    return {
      success: true as const,
      email_verified: await verifyEmail(ctx, pool, { token: body.token, client: client() }),
    }
  })

  serveSignIn(contract.checkEmailToken, async ({ body, client }) => {
    try {
      return { success: true, email_verified: await verifyEmail(ctx, pool, { token: body.token, client: client() }) }
    } catch (error) {
      if (error instanceof Refusal) return { success: false }
      throw error
    }
  })

  serveSignIn(contract.sendPasswordReset, async ({ body, client }) => {
    await sendPasswordReset(ctx, pool, { email: body.email, client: client() })
    return success
  })

  serveSignIn(contract.resetPassword, async ({ body, client }) => {
    await resetPassword(ctx, pool, { ...body, client: client() })
    return success
  })

  serveSignIn(contract.freezeByLink, async ({ body, client }) => {
    await freezeByLink(ctx, pool, { token: body.token, client: client() })
    return success
  })

  serveSignIn(contract.reportUnrecognizedSignIn, async ({ body }) => ({
    reset_token: await reportUnrecognizedSignIn(ctx, pool, body.token),
  }))
}
