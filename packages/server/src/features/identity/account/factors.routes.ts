import * as contract from '@tern/contract/security'
import * as signIn from '@tern/contract/sign-in'
import type { IdentityContext } from '../context.ts'
import type { RouteHelpers } from '../sign-in/route-helpers.ts'
import { confirmTotp, removeTotp, renewRecoveryCodes, startTotp } from './factors.ts'
import { beginAssertion } from '../factors/passkey-ceremonies.ts'
import { addPasskey, logInByPasskey, registrationOptions, removePasskey, renamePasskey } from './passkeys.ts'
import { answerByCode, answerByPasskey, secondFactorOptions } from '../factors/second-factor.ts'

/** Routes for setting up second factors and passkeys, and for signing in with them. */
export function factorRoutes(
  context: IdentityContext,
  { serve, serveSensitive, serveSignIn, toSignedIn }: RouteHelpers,
): void {
  serveSensitive(contract.startTotp, ({ caller, confirmation }) => startTotp(context, caller, confirmation))

  serve(contract.confirmTotp, async ({ caller, body, client }) => ({
    recovery_codes: await confirmTotp(context, caller, body.code, client()),
  }))

  serveSensitive(contract.removeTotp, ({ caller, confirmation, client }) =>
    removeTotp(context, caller, confirmation, client()),
  )

  serveSensitive(contract.renewRecoveryCodes, async ({ caller, confirmation, client }) => ({
    recovery_codes: await renewRecoveryCodes(context, caller, confirmation, client()),
  }))

  serveSignIn(signIn.answerSecondFactor, async ({ body, reply, client }) =>
    toSignedIn(reply, await answerByCode(context, body, client())),
  )

  serveSignIn(signIn.secondFactorPasskeyOptions, ({ body }) => secondFactorOptions(context, body.challenge))

  serveSignIn(signIn.answerSecondFactorByPasskey, async ({ body, reply, client }) =>
    toSignedIn(reply, await answerByPasskey(context, body, client())),
  )

  serveSensitive(contract.passkeyRegistrationOptions, ({ caller, confirmation }) =>
    registrationOptions(context, caller, confirmation),
  )

  serve(contract.addPasskey, ({ caller, body, client }) => addPasskey(context, caller, body, client()))

  serve(contract.renamePasskey, ({ caller, params, body }) => renamePasskey(context, caller, params.id, body.name))

  serveSensitive(contract.removePasskey, ({ caller, params: { id }, confirmation, client }) =>
    removePasskey(context, caller, { id, confirmation, client: client() }),
  )

  serveSignIn(signIn.passkeySignInOptions, () => beginAssertion(context, { purpose: 'sign_in' }))

  serveSignIn(signIn.logInByPasskey, async ({ body, reply, client }) =>
    toSignedIn(reply, await logInByPasskey(context, body, client())),
  )
}
