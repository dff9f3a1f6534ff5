import { balanceProof } from '@tern/contract/liabilities'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { serveReading } from '../../platform/http/serve.ts'
import type { Liabilities } from './liabilities.ts'

const proofsPerMinute = 30

/** Serves `/balances/proof`: the proof that the caller's balances are counted. */
export function liabilitiesRoutes(api: FastifyInstance, { liabilities }: { readonly liabilities: Liabilities }): void {
  serveReading(
    api,
    balanceProof,
    ({ caller, db }) => liabilities.proveOwn(db, caller.userId),
    limitPerUser(api, 'balance-proof', proofsPerMinute),
  )
}
