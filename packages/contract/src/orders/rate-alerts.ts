import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { currency, decimal, moment, noContent, rateInput, uuid } from '../protocol/wire.ts'
import { rateSide } from './orders.ts'

/** Alert, sent once by mail and in the app, that the mid-market rate of the pair is at least or at most `rate`. */
export const rateAlertShape = z.object({
  id: uuid,
  source_currency: currency,
  target_currency: currency,
  rate: decimal,
  rate_side: rateSide,
  /** Current mid-market rate; null while unknown or too old. */
  rate_now: z.nullable(decimal),
  /** Distance of `rate` from the current rate, in percent of the current rate; negative if below. */
  distance_percent: z.nullable(decimal),
  /** Null until the alert is sent. `rate`: rate that triggered it, with its publisher and time of publication. */
  told: z.nullable(z.object({ at: moment, rate: decimal, rate_source: z.string(), rate_as_of: moment })),
  created_at: moment,
})
export type RateAlert = z.output<typeof rateAlertShape>

export const rateAlerts = endpoint({
  method: 'GET',
  path: '/rate-alerts',
  summary: "The caller's rate alerts: pending ones, and the 30 most recently sent.",
  access: 'session',
  reply: z.object({
    open: z.array(rateAlertShape),
    told: z.array(rateAlertShape),
    most_open: z.int(),
  }),
})

export const newRateAlert = z.object({
  source_currency: currency,
  target_currency: currency,
  rate: rateInput,
  rate_side: rateSide,
})
export type NewRateAlert = z.output<typeof newRateAlert>

export const createRateAlert = endpoint({
  method: 'POST',
  path: '/rate-alerts',
  summary: 'Create an alert that is sent once when a rate is high or low enough.',
  access: 'session',
  body: newRateAlert,
  idempotencyKey: 'required',
  status: 201,
  reply: rateAlertShape,
  refusals: ['too_many_rate_alerts', 'rate_limited'],
})

export const rateAlertEdit = z.object({ rate: rateInput, rate_side: rateSide })
export type RateAlertEdit = z.output<typeof rateAlertEdit>

const alertParams = z.object({ id: uuid })

export const editRateAlert = endpoint({
  method: 'PUT',
  path: '/rate-alerts/:id',
  summary: 'Change the rate of an alert. A sent one becomes pending again.',
  access: 'session',
  params: alertParams,
  body: rateAlertEdit,
  reply: rateAlertShape,
  refusals: ['not_found', 'too_many_rate_alerts', 'rate_limited'],
})

export const removeRateAlert = endpoint({
  method: 'DELETE',
  path: '/rate-alerts/:id',
  summary: 'Remove an alert. Idempotent.',
  access: 'session',
  params: alertParams,
  ...noContent,
  refusals: ['rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  RateAlert: rateAlertShape,
}
