import * as contract from '@tern/contract/calls'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { Product } from '../../../product.ts'
import { confirmCall, readCallStatus, refuseCall, reportCall } from './user-calls.ts'

const answersPerMinute = 30

/** Endpoints by which users see whether an operator is calling them, and answer. */
export function callsRoutes(app: FastifyInstance, product: Product): void {
  const { pool } = product
  const limitAnswers = limitPerUser(app, 'call-answer', answersPerMinute)

  serve(app, contract.callStatus, ({ caller }) => readCallStatus(product, pool, caller.userId))
  serve(app, contract.confirmCall, async ({ caller: { userId }, params: { id }, request }) => {
    await limitAnswers(request)
    await confirmCall(product, pool, { userId, id })
  })
  serve(app, contract.refuseCall, async ({ caller: { userId }, params: { id }, request }) => {
    await limitAnswers(request)
    await refuseCall(product, pool, { userId, id })
  })
  serve(app, contract.reportCall, async ({ caller: { userId }, request }) => {
    await limitAnswers(request)
    await reportCall(product, pool, userId)
  })
}
