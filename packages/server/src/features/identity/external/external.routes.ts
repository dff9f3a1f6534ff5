import { unlinkExternalSignIn as unlinkContract } from '@tern/contract/security'
import * as contract from '@tern/contract/sign-in'
import type { IdentityContext } from '../context.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { finishExternalSignIn, googleLogin, startExternalSignIn } from './external.ts'
import { linkExternalSignIn, unlinkExternalSignIn } from './external-links.ts'

/** Routes for signing in through identity providers. */
export function externalRoutes(
  context: IdentityContext,
  { serve, serveSensitive, serveSignIn, answer }: RouteHelpers,
): void {
  const { google, external } = context.signInProviders

  serve(contract.signInMethods, async () => ({
    google: google !== undefined || external !== undefined,
    external: external !== undefined,
  }))

  serveSignIn(contract.startExternalSignIn, async ({ body, client }) => {
    const { screen_hint: screenHint, login_hint: loginHint, ...visit } = body
    return { url: await startExternalSignIn(context, { ...visit, screenHint, loginHint }, client()) }
  })

  serveSignIn(contract.finishExternalSignIn, async ({ body, reply, client }) => {
    const { arrival, mode, from } = await finishExternalSignIn(context, body.query, client())
    return { ...answer(reply, arrival), mode, ...(from === undefined ? {} : { from }) }
  })

  serveSignIn(contract.googleLogin, async ({ body, reply, client }) =>
    answer(reply, await googleLogin(context, body.token, client())),
  )

  serve(contract.linkExternalSignIn, async ({ body, caller, client }) => {
    await linkExternalSignIn(context, caller, body.link, client())
    return { success: true as const }
  })

  serveSensitive(unlinkContract, ({ params: { provider }, caller, confirmation, client }) =>
    unlinkExternalSignIn(context, caller, { provider, confirmation, client: client() }),
  )
}
