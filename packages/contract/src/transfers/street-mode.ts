import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, baseCurrency, decimal, moment, requiredText, text, uuid } from '../protocol/wire.ts'

const hour = z.int().check(z.minimum(0), z.maximum(23))

const nightFields = {
  /** Full hours in `time_zone`; the night ends at the start of `night_until`. Equal values mean no night. */
  night_from: hour,
  night_until: hour,
  /** IANA name. */
  time_zone: z.string(),
}

const settingShape = z.object({
  is_on: z.boolean(),
  /** Total that may leave within a day at night or away from trusted places. Null until chosen. */
  limit: z.nullable(decimal),
  ...nightFields,
})

const place = z.object({
  id: uuid,
  name: z.string(),
  /** ISO 3166-1; null if unknown. */
  country: z.nullable(z.string()),
  network: z.string(),
  trusted_from: moment,
})
export type StreetPlace = z.output<typeof place>

export const streetModeShape = z.object({
  ...settingShape.shape,
  /** Currency of the caller and of `limit`. */
  currency: baseCurrency,
  /** Pending change to weaker settings. */
  next: z.nullable(z.object({ ...settingShape.shape, at: moment })),
  places: z.array(place),
  /** The caller's current location; `place_id` is the trusted place that it matches, if any. */
  here: z.object({ country: z.nullable(z.string()), network: z.string(), place_id: z.nullable(uuid) }),
  most_places: z.int(),
  /**
   * Payments above the limit are held for `hold_minutes`, then wait up to `confirm_hours` for the sender's
   * confirmation.
   */
  hold_minutes: z.int(),
  confirm_hours: z.int(),
  weaken_after_hours: z.int(),
})
export type StreetMode = z.output<typeof streetModeShape>

export const streetMode = endpoint({
  method: 'GET',
  path: '/user/street-mode',
  summary:
    "The caller's street mode: the amount that may leave at once away from trusted places or at night, the trusted places, and pending changes.",
  access: 'session',
  reply: streetModeShape,
})

export const setStreetMode = endpoint({
  method: 'PUT',
  path: '/user/street-mode',
  summary:
    'Configure street mode. Stricter settings apply at once. Weaker ones need a fresh confirmation and apply after a day; until then the same call withdraws them.',
  access: 'session',
  body: z.object({
    is_on: z.boolean(),
    limit: amountInput,
    ...nightFields,
    time_zone: text(60),
  }),
  stepUp: 'accepted',
  reply: streetModeShape,
  refusals: ['rate_limited', 'rates_unavailable'],
})

export const addStreetPlace = endpoint({
  method: 'POST',
  path: '/user/street-mode/places',
  summary:
    "Trust the caller's current network. While street mode is on, this needs a fresh confirmation and applies after a day.",
  access: 'session',
  body: z.object({ name: requiredText(40, 'missing') }),
  stepUp: 'accepted',
  reply: streetModeShape,
  refusals: ['too_many_places', 'place_unknown', 'rate_limited'],
})

export const removeStreetPlace = endpoint({
  method: 'DELETE',
  path: '/user/street-mode/places/:id',
  summary: 'Stop trusting a place, effective at once.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: streetModeShape,
  refusals: ['not_found', 'rate_limited'],
})

export const cancelByLink = endpoint({
  method: 'POST',
  path: '/transfers/cancel-by-link',
  summary: 'Cancel a held transfer by the link of its notification mail.',
  access: 'public',
  body: z.object({ code: text(100) }),
  reply: z.object({ success: z.literal(true) }),
  refusals: ['link_invalid', 'not_cancelable', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  StreetMode: streetModeShape,
}
