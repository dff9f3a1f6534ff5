import { answerCheck, checks, objectToCheck } from '@tern/contract/compliance/checks'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { Cases } from '../compliance.ts'

const maxAnswersPerMinute = 10

/** Serves `/checks`: the checks that the caller may see, answers and objections. */
export function checksRoutes(app: FastifyInstance, cases: Cases): void {
  const limitCheckAnswers = limitPerUser(app, 'checks', maxAnswersPerMinute)

  serve(app, checks, ({ caller }) => cases.list(caller.userId))

  serve(app, answerCheck, async ({ caller, params, body, request }) => {
    await limitCheckAnswers(request)
    return cases.answer(caller.userId, params.id, body.text)
  })

  serve(app, objectToCheck, async ({ caller, params, body, request }) => {
    await limitCheckAnswers(request)
    return cases.object(caller.userId, params.id, body.text)
  })
}
