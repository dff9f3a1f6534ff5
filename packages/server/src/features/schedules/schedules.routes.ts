import {
  createSchedule,
  editSchedule,
  pauseSchedule,
  resumeSchedule,
  schedules as listSchedules,
  skipOccurrence,
  stopSchedule,
} from '@tern/contract/schedules/schedules'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { serve, serveReading } from '../../platform/http/serve.ts'
import type { LimitedLookup } from '../wallets/wallets.ts'
import type { Schedules } from './schedules.ts'

const changesPerMinute = 30

/** Serves the caller's `/schedules`. */
export function schedulesRoutes(app: FastifyInstance, schedules: Schedules, lookUp: LimitedLookup): void {
  const limitChanges = limitPerUser(app, 'schedules', changesPerMinute)

  serveReading(app, listSchedules, ({ caller, db }) => schedules.list(db, caller.userId))

  serve(app, createSchedule, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitChanges(request)
    return lookUp(request, BigInt(body.recipient_id), () =>
      schedules.create({ caller, body, idempotencyKey, confirmation }),
    )
  })

  serve(app, editSchedule, async ({ caller, params, body, confirmation, request }) => {
    await limitChanges(request)
    return schedules.edit({ caller, id: params.id, body, confirmation })
  })

  serve(app, pauseSchedule, async ({ caller, params, body, request }) => {
    await limitChanges(request)
    return schedules.pause({ userId: caller.userId, id: params.id, until: body.until })
  })

  serve(app, resumeSchedule, async ({ caller, params, request }) => {
    await limitChanges(request)
    return schedules.resume({ userId: caller.userId, id: params.id })
  })

  serve(app, stopSchedule, async ({ caller, params, request }) => {
    await limitChanges(request)
    return schedules.stop({ userId: caller.userId, id: params.id })
  })

  serve(app, skipOccurrence, async ({ caller, params, body, request }) => {
    await limitChanges(request)
    return schedules.skip({ userId: caller.userId, id: params.id, date: body.date })
  })
}
