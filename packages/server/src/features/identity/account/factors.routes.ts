import * as contract from '@tern/contract/security'
import * as signIn from '@tern/contract/sign-in'
import type { Identity } from '../identity.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { confirmTotp, removeTotp, renewRecoveryCodes, startTotp } from './factors.ts'
import { beginAssertion } from '../factors/passkey-ceremonies.ts'
import { addPasskey, logInByPasskey, registrationOptions, removePasskey, renamePasskey } from './passkeys.ts'
import { answerByCode, answerByPasskey, secondFactorOptions } from '../factors/second-factor.ts'

/** Registers the routes for managing second factors and passkeys, and for signing in with them. */
export function factorRoutes(
  { ctx, pool }: Identity,
  { serve, serveSensitive, serveSignIn, toSignedIn }: RouteHelpers,
): void {
  serveSensitive(contract.startTotp, ({ caller, confirmation }) => startTotp(ctx, pool, { caller, confirmation }))

  serve(contract.confirmTotp, async ({ caller, body, client }) => ({
    recovery_codes: await confirmTotp(ctx, pool, { caller, code: body.code, client: client() }),
  }))

  serveSensitive(contract.removeTotp, ({ caller, confirmation, client }) =>
    removeTotp(ctx, pool, { caller, confirmation, client: client() }),
  )

  serveSensitive(contract.renewRecoveryCodes, async ({ caller, confirmation, client }) => ({
    recovery_codes: await renewRecoveryCodes(ctx, pool, { caller, confirmation, client: client() }),
  }))

  serveSignIn(signIn.answerSecondFactor, async ({ body, reply, client }) =>
    toSignedIn(reply, await answerByCode(ctx, pool, { ...body, client: client() })),
  )

  serveSignIn(signIn.secondFactorPasskeyOptions, ({ body }) => secondFactorOptions(ctx, pool, body.challenge))

  serveSignIn(signIn.answerSecondFactorByPasskey, async ({ body, reply, client }) =>
    toSignedIn(reply, await answerByPasskey(ctx, pool, { ...body, client: client() })),
  )

  serveSensitive(contract.passkeyRegistrationOptions, ({ caller, confirmation }) =>
    registrationOptions(ctx, pool, { caller, confirmation }),
  )

  serve(contract.addPasskey, ({ caller, body, client }) => addPasskey(ctx, pool, { ...body, caller, client: client() }))

  serve(contract.renamePasskey, ({ caller, params, body }) =>
    renamePasskey(pool, { userId: caller.userId, id: params.id, name: body.name }),
  )

  serveSensitive(contract.removePasskey, ({ caller, params: { id }, confirmation, client }) =>
    removePasskey(ctx, pool, { caller, id, confirmation, client: client() }),
  )

  serveSignIn(signIn.passkeySignInOptions, () => beginAssertion(ctx, pool, { scope: { purpose: 'sign_in' } }))

  serveSignIn(signIn.logInByPasskey, async ({ body, reply, client }) =>
    toSignedIn(reply, await logInByPasskey(ctx, pool, { ...body, client: client() })),
  )
}
