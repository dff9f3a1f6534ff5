import { unlinkExternalSignIn as unlinkContract } from '@tern/contract/security'
import * as contract from '@tern/contract/sign-in'
import type { Identity } from '../identity.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { finishExternalSignIn, googleLogin, startExternalSignIn } from './external.ts'
import { linkExternalSignIn, unlinkExternalSignIn } from './external-links.ts'

/** Registers the routes for signing in through identity providers. */
export function externalRoutes(
  { ctx, pool }: Identity,
  { serve, serveSensitive, serveSignIn, answer }: RouteHelpers,
): void {
  const { google, external } = ctx.signInProviders

  serve(contract.signInMethods, async () => ({
    google: google !== undefined || external !== undefined,
    external: external !== undefined,
  }))

  serveSignIn(contract.startExternalSignIn, async ({ body, client }) => {
    const { screen_hint: screenHint, login_hint: loginHint, ...visit } = body
    return { url: await startExternalSignIn(ctx, pool, { ...visit, screenHint, loginHint, client: client() }) }
  })

  serveSignIn(contract.finishExternalSignIn, async ({ body, reply, client }) => {
    const { arrival, mode, from } = await finishExternalSignIn(ctx, pool, { query: body.query, client: client() })
    return { ...answer(reply, arrival), mode, ...(from === undefined ? {} : { from }) }
  })

  serveSignIn(contract.googleLogin, async ({ body, reply, client }) =>
    answer(reply, await googleLogin(ctx, pool, { token: body.token, client: client() })),
  )

  serve(contract.linkExternalSignIn, async ({ body, caller, client }) => {
    await linkExternalSignIn(ctx, pool, { caller, link: body.link, client: client() })
    return { success: true as const }
  })

  serveSensitive(unlinkContract, ({ params: { provider }, caller, confirmation, client }) =>
    unlinkExternalSignIn(ctx, pool, { caller, provider, confirmation, client: client() }),
  )
}
