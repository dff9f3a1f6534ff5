import { kycStatus, submitKyc } from '@tern/contract/kyc'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../../refuse.ts'
import { type Caller, serve } from '../../serve.ts'
import type { Kyc } from './kyc.ts'

// Somebody else's verification is nobody's business, not even whether there is one.
function demandOwn(caller: Caller, id: number): bigint {
  return BigInt(id) === caller.userId ? caller.userId : refuse('not_found')
}

/** The calls of identity verification, on the instance whose routes lie below `/api`. */
export function kycRoutes(app: FastifyInstance, kyc: Kyc): void {
  serve(app, submitKyc, ({ params, body, caller }) => kyc.submit(demandOwn(caller, params.id), body))
  serve(app, kycStatus, ({ params, caller }) => kyc.status(demandOwn(caller, params.id)))
}
