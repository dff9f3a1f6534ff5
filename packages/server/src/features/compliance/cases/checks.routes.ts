import { answerCheck, checks, objectToCheck } from '@tern/contract/compliance/checks'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { Cases } from '../compliance.ts'

// Requests per minute.
const sentPerUser = 10

/** Serves `/checks`: the checks that hold the caller's money. */
export function checksRoutes(app: FastifyInstance, cases: Cases): void {
  const limitSent = limitPerUser(app, 'checks', sentPerUser)

  serve(app, checks, ({ caller }) => cases.list(caller.userId))

  serve(app, answerCheck, async ({ caller, params, body, request }) => {
    await limitSent(request)
    return cases.answer(caller.userId, params.id, body.text)
  })

  serve(app, objectToCheck, async ({ caller, params, body, request }) => {
    await limitSent(request)
    return cases.object(caller.userId, params.id, body.text)
  })
}
