import * as contract from '@tern/contract/security'
import { logInByPasskey, passkeySignInOptions } from '@tern/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { SignInRouteHelpers } from '../sign-in/sign-in-replies.ts'
import type { Passkeys } from './passkeys.ts'

/** Routes for passkeys and signing in with them. */
export function passkeyRoutes(
  app: FastifyInstance,
  { kit, passkeys }: { kit: SignInRouteHelpers; passkeys: Passkeys },
): void {
  serve(app, contract.passkeyRegistrationOptions, async ({ caller, confirmation, request }) => {
    await kit.limitSensitiveActions(request)
    return passkeys.registrationOptions(caller, confirmation)
  })

  serve(app, contract.addPasskey, async ({ caller, body, request, reply }) => {
    const { passkey, recoveryCodes } = await passkeys.add(caller, body, kit.clientOf(request, reply))
    return { passkey, recovery_codes: recoveryCodes }
  })

  serve(app, contract.renamePasskey, ({ caller, params, body }) => passkeys.rename(caller, params.id, body.name))

  serve(app, contract.removePasskey, async ({ caller, params, confirmation, request, reply }) => {
    await kit.limitSensitiveActions(request)
    await passkeys.remove(caller, params.id, confirmation, kit.clientOf(request, reply))
    return undefined
  })

  serve(app, passkeySignInOptions, async ({ request }) => {
    await kit.enter(request)
    return passkeys.signInOptions()
  })

  serve(app, logInByPasskey, async ({ body, request, reply }) => {
    await kit.enter(request)
    return kit.toSignedIn(reply, await passkeys.logIn(body, kit.clientOf(request, reply)))
  })
}
