import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { currency, moment, noContent } from '../protocol/wire.ts'

/** Alert, sent once by mail and in the app, that a pair whose rate was too old has a usable rate again. */
export const rateReturnAlertShape = z.object({
  source_currency: currency,
  target_currency: currency,
  created_at: moment,
})
export type RateReturnAlert = z.output<typeof rateReturnAlertShape>

export const rateReturnAlerts = endpoint({
  method: 'GET',
  path: '/rate-return-alerts',
  summary: 'The pairs for which the caller has a rate-return alert.',
  access: 'session',
  reply: z.object({ open: z.array(rateReturnAlertShape) }),
})

const pairParams = z.object({ from: currency, to: currency })

export const createRateReturnAlert = endpoint({
  method: 'PUT',
  path: '/rate-return-alerts/:from/:to',
  summary: 'Create an alert that is sent once when a pair has a rate again; at once if it has one. Idempotent.',
  access: 'session',
  params: pairParams,
  reply: rateReturnAlertShape,
  refusals: ['rate_limited'],
})

export const removeRateReturnAlert = endpoint({
  method: 'DELETE',
  path: '/rate-return-alerts/:from/:to',
  summary: 'Remove the rate-return alert of a pair. Idempotent.',
  access: 'session',
  params: pairParams,
  ...noContent,
  refusals: ['rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  RateReturnAlert: rateReturnAlertShape,
}
