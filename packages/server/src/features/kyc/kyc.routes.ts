import { kycStatus, submitKyc } from '@tern/contract/kyc'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { messagesHere } from '../../platform/messages.ts'
import { requireOwn, serve } from '../../platform/http/serve.ts'
import type { Kyc, KycState } from './kyc.ts'

// Per minute: each form is a paid check at the provider.
const formsPerUser = 10

/** The state as its owner reads it. */
function shown({ status, reasons }: KycState) {
  const { verification } = messagesHere().activity
  return { status, reasons: reasons.map(({ field, code }) => ({ field, code, message: verification[code] })) }
}

/** Identity verification routes, below `/api`. */
export function kycRoutes(app: FastifyInstance, kyc: Kyc): void {
  const limitForms = limitPerUser(app, 'verification', formsPerUser)

  serve(app, submitKyc, async ({ params, body, caller, request }) => {
    const userId = requireOwn(caller, params.id)
    await limitForms(request)
    return shown(await kyc.submit(userId, body))
  })
  serve(app, kycStatus, async ({ params, caller }) => shown(await kyc.status(requireOwn(caller, params.id))))
}
