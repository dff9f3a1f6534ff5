import * as contract from '@tern/contract/security'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { DoorKit } from '../sign-in/sign-in-replies.ts'
import type { Proofs } from './step-up.ts'

// Per minute: each proof ends with its fifth failure, and this is for whoever asks for many proofs.
const callsPerUser = 30

/** Confirming sensitive acts, below `/api/auth/proofs`. */
export function proofRoutes(app: FastifyInstance, proofs: Proofs, kit: DoorKit): void {
  const limitCalls = limitPerUser(app, 'proof', callsPerUser)

  serve(app, contract.mailProofCode, async ({ caller, params, request }) => {
    await limitCalls(request)
    await proofs.mailProofCode(caller, params.id)
    return { success: true as const }
  })

  serve(app, contract.proveByCode, async ({ caller, params, body, request, reply }) => {
    await limitCalls(request)
    await proofs.proveByCode(caller, params.id, { ...body, client: kit.clientOf(request, reply) })
    return { success: true as const }
  })

  serve(app, contract.proofPasskeyOptions, async ({ caller, params, request }) => {
    await limitCalls(request)
    return proofs.proofPasskeyOptions(caller, params.id)
  })

  serve(app, contract.proveByPasskey, async ({ caller, params, body, request }) => {
    await limitCalls(request)
    await proofs.proveByPasskey(caller, params.id, body)
    return { success: true as const }
  })
}
