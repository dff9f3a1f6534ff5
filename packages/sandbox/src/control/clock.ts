import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { ApiError } from '../server/api.ts'
import { type Fields, readFields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

export type Clock = ReturnType<typeof createClock>

const maxOffsetMs = 100 * 365 * 24 * 60 * 60 * 1000

/** Clock that shows system time plus a stored offset. `onMove` runs after every change, to process due steps. */
export function createClock(store: Store, onMove: () => void) {
  let offsetMs = store.setting<number>('clock_offset_ms') ?? 0
  return {
    now: (): Date => new Date(Date.now() + offsetMs),
    offsetMs: (): number => offsetMs,
    moveTo(next: number): void {
      store.saveSetting('clock_offset_ms', next)
      offsetMs = next
      onMove()
    },
  }
}

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** Reads the new clock offset from `now` or `offsetMs`. Throws ApiError 422 with field errors. */
export function readOffsetMs(fields: Fields): number {
  if (fields.has('now') === fields.has('offsetMs')) {
    throw new ApiError(422, 'invalid_request', 'Send either now or offsetMs.', [
      { field: 'now', message: 'Send either this or offsetMs.' },
    ])
  }
  const field = fields.has('now') ? 'now' : 'offsetMs'
  let offset: unknown = fields.raw('offsetMs')
  if (field === 'now') {
    const text = fields.text('now', {
      max: 40,
      pattern: instantPattern,
      message: 'Must be a time such as 2026-03-01T09:00:00Z.',
    })
    offset = new Date(text).getTime() - Date.now()
  }
  if (typeof offset !== 'number' || !Number.isSafeInteger(offset)) {
    fields.addProblem(field, field === 'now' ? 'Is not a time.' : 'Must be a whole number of milliseconds.')
  } else if (Math.abs(offset) > maxOffsetMs) {
    fields.addProblem(field, 'Must be within 100 years of the real time.')
  }
  fields.check()
  return offset as number
}

export function clockRoutes(app: FastifyInstance, clock: Clock, requireProduct: onRequestHookHandler): void {
  const answer = (): object => ({ now: clock.now().toISOString(), offsetMs: clock.offsetMs() })
  app.get('/api/clock', answer)
  app.put('/api/clock', { onRequest: requireProduct }, (request) => {
    clock.moveTo(readOffsetMs(readFields(request.body)))
    return answer()
  })
}
