import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { currency, moment, noContent } from '../protocol/wire.ts'

/** Alert sent once, by mail and in the app, when a pair whose rate was too old has a usable rate again. */
export const rateReturnAlertShape = z.object({
  source_currency: currency,
  target_currency: currency,
  created_at: moment,
})
export type RateReturnAlert = z.output<typeof rateReturnAlertShape>

export const rateReturnAlerts = endpoint({
  method: 'GET',
  path: '/rate-return-alerts',
  summary: 'The pairs whose rate the caller waits for.',
  access: 'session',
  reply: z.object({ open: z.array(rateReturnAlertShape) }),
})

const pairParams = z.object({ from: currency, to: currency })

export const createRateReturnAlert = endpoint({
  method: 'PUT',
  path: '/rate-return-alerts/:from/:to',
  summary: 'Be told once when a pair has a rate again; at once if it has one. Answers the same when it is asked twice.',
  access: 'session',
  params: pairParams,
  reply: rateReturnAlertShape,
  refusals: ['rate_limited'],
})

export const removeRateReturnAlert = endpoint({
  method: 'DELETE',
  path: '/rate-return-alerts/:from/:to',
  summary: 'Wait for the rate of a pair no more. Answers the same when there is no such alert.',
  access: 'session',
  params: pairParams,
  ...noContent,
  refusals: ['rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  RateReturnAlert: rateReturnAlertShape,
}
