import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, baseCurrency, decimal, moment, requiredText, text, uuid } from '../protocol/wire.ts'

const hour = z.int().check(z.minimum(0), z.maximum(23))

const night = {
  /** Full hours of the time zone; night lasts until the second begins. Equal: there is no night. */
  night_from: hour,
  night_until: hour,
  /** As IANA names it. */
  time_zone: z.string(),
}

const setting = z.object({
  is_on: z.boolean(),
  /** What may leave within a day, together, away from trusted places or at night. Null until it was chosen. */
  limit: z.nullable(decimal),
  ...night,
})

const place = z.object({
  id: uuid,
  name: z.string(),
  /** ISO 3166-1; null where it is not known. */
  country: z.nullable(z.string()),
  network: z.string(),
  /** Until then it is not trusted yet. */
  trusted_from: moment,
})
export type StreetPlace = z.output<typeof place>

export const streetModeShape = z.object({
  ...setting.shape,
  /** The caller's own, of `limit`. */
  currency: baseCurrency,
  /** What weakens the mode and does not hold yet. */
  next: z.nullable(z.object({ ...setting.shape, at: moment })),
  places: z.array(place),
  /** Where the caller is now. `place_id`: which of the places that is. */
  here: z.object({ country: z.nullable(z.string()), network: z.string(), place_id: z.nullable(uuid) }),
  most_places: z.int(),
  /** What is above the limit waits so long, and then so long for a second proof. */
  hold_minutes: z.int(),
  confirm_hours: z.int(),
  /** What weakens the mode holds after so long. */
  weaken_after_hours: z.int(),
})
export type StreetMode = z.output<typeof streetModeShape>

export const streetMode = endpoint({
  method: 'GET',
  path: '/user/street-mode',
  summary:
    'Street mode of the caller: what may leave at once away from trusted places or at night, where those are, and what is about to change.',
  access: 'session',
  reply: streetModeShape,
})

export const setStreetMode = endpoint({
  method: 'PUT',
  path: '/user/street-mode',
  summary:
    'Choose street mode. What makes it stricter holds at once. What weakens it needs a fresh confirmation and holds after a day; until then the same call takes it back.',
  access: 'session',
  body: z.object({
    is_on: z.boolean(),
    limit: amountInput,
    ...night,
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
    'Trust the network from which the caller calls. While street mode is on, that needs a fresh confirmation and holds after a day.',
  access: 'session',
  body: z.object({ name: requiredText(40, 'missing') }),
  stepUp: 'accepted',
  reply: streetModeShape,
  refusals: ['too_many_places', 'place_unknown', 'rate_limited'],
})

export const removeStreetPlace = endpoint({
  method: 'DELETE',
  path: '/user/street-mode/places/:id',
  summary: 'Trust a place no longer, from now on.',
  access: 'session',
  params: z.object({ id: uuid }),
  reply: streetModeShape,
  refusals: ['not_found', 'rate_limited'],
})

export const cancelByLink = endpoint({
  method: 'POST',
  path: '/transfers/cancel-by-link',
  summary: 'Cancel a transfer that is held, by the link of the mail that told of it.',
  access: 'public',
  body: z.object({ code: text(100) }),
  reply: z.object({ success: z.literal(true) }),
  refusals: ['link_invalid', 'not_cancelable', 'rate_limited'],
})
