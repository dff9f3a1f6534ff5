import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, currency, decimal, moment, text, userNumber, uuid } from '../protocol/wire.ts'

/** `monthly`: on the day of the first date, or on the last day of a shorter month. `month_end`: on the last day. */
export const recurrence = z.enum(['once', 'weekly', 'biweekly', 'monthly', 'month_end'])
export type Recurrence = z.output<typeof recurrence>

/** `paused`: sends nothing until resumed. `stopped`: ended by its owner. `finished`: no dates remain. */
export const scheduleState = z.enum(['active', 'paused', 'stopped', 'finished'])

/**
 * State of one date of a schedule. `waiting`: due, and retried until `retry_until`. `skipped`: by the owner, or because
 * the price was too high. `failed`: refused. `missed`: the next date fell due before this one could be sent.
 */
export const occurrenceState = z.enum(['waiting', 'sent', 'skipped', 'failed', 'missed'])

const date = z.iso.date()

export const occurrenceShape = z.object({
  schedule_id: uuid,
  date,
  state: occurrenceState,
  /**
   * Refusal code, or `price_above_ceiling`, `by_owner`, `paused`, `stopped`, `rescheduled`, `too_late`; null if sent.
   */
  reason: z.nullable(z.string()),
  reason_text: z.nullable(z.string()),
  retry_until: z.nullable(moment),
  /** Transaction of a sent date, with its status. */
  transaction_id: z.nullable(uuid),
  transaction_status: z.nullable(z.enum(['COMPLETED', 'PENDING', 'FAILED'])),
  /** Amount debited, fee included, in the schedule's source currency. */
  total: z.nullable(decimal),
})
export type Occurrence = z.output<typeof occurrenceShape>

export const scheduleShape = z.object({
  id: uuid,
  state: scheduleState,
  recipient: z.object({ id: userNumber, username: z.string(), name: z.nullable(z.string()) }),
  source_currency: currency,
  target_currency: currency,
  /** Side whose amount is fixed: the amount sent, fee excluded, or the amount that arrives. */
  side: z.enum(['source', 'target']),
  /** In the currency of `side`. */
  amount: decimal,
  description: z.string(),
  recurrence,
  /** Date from which the recurrence is counted. */
  first_on: date,
  /** Null while paused indefinitely, and once no dates remain. */
  next_on: z.nullable(date),
  next_at: z.nullable(moment),
  time_zone: z.string(),
  paused_until: z.nullable(date),
  /** Maximum cost of one send, fee included, in the source currency, set by the owner; null if not set. */
  rate_guard: z.nullable(decimal),
  /** Maximum cost of one send in the same unit, confirmed with the schedule; no send may cost more. */
  ceiling: decimal,
  /** Days for which a due date waits for a lower price. */
  wait_days: z.int(),
  /** Current price of a send; null while rates are unknown. */
  price: z.nullable(z.object({ source_amount: decimal, target_amount: decimal, fee: decimal, total: decimal })),
  /** Occurrence that is due and still waiting. */
  waiting: z.nullable(occurrenceShape),
  created_at: moment,
})
export type Schedule = z.output<typeof scheduleShape>

export const schedules = endpoint({
  method: 'GET',
  path: '/schedules',
  summary:
    "The caller's scheduled sends: active ones, next first, their cost in the next five weeks, and the results of the latest dates.",
  access: 'session',
  reply: z.object({
    schedules: z.array(scheduleShape),
    /** All sends of the next five weeks, in order of execution. */
    coming: z.array(
      z.object({
        schedule_id: uuid,
        date,
        currency,
        /** At the current price; null while rates are unknown. */
        total: z.nullable(decimal),
        /** Amount lacking once all earlier sends are paid; null if none. */
        missing: z.nullable(decimal),
      }),
    ),
    /** Last date covered by `coming`. */
    coming_until: date,
    /** Latest 30 occurrences, newest first. */
    past: z.array(z.extend(occurrenceShape, { recipient_name: z.string(), currency })),
  }),
})

const terms = {
  source_currency: currency,
  target_currency: currency,
  side: z.enum(['source', 'target']),
  amount: amountInput,
  description: z.optional(text(200)),
  recurrence,
  /**
   * First date, or in a change the next date; must be after today in the schedule's time zone. To keep the dates of a
   * schedule that has no next date, send its `first_on`.
   */
  next_on: date,
  /** Maximum cost of one send; only for a fixed target amount in another currency. */
  rate_guard: z.optional(z.nullable(amountInput)),
  /** Ignored where `rate_guard` would be refused, or if that is set. Defaults to 10 % above the current cost. */
  ceiling: z.optional(amountInput),
  /** Defaults to 3. */
  wait_days: z.optional(z.int().check(z.minimum(0), z.maximum(6))),
}

export const newSchedule = z.object({
  recipient_id: userNumber,
  ...terms,
  /** IANA name such as `Europe/Paris`. Money is sent at nine in the morning in this zone. */
  time_zone: text(60),
})
export type NewSchedule = z.output<typeof newSchedule>
export const scheduleTerms = z.object(terms)
export type ScheduleTerms = z.output<typeof scheduleTerms>

const priceRefusals = ['amount_too_small', 'rates_unavailable'] as const

export const createSchedule = endpoint({
  method: 'POST',
  path: '/schedules',
  summary:
    'Schedule a send from the wallet to another registered user, once or recurring. Needs the confirmation that a send of this amount needs, bound to the recipient and the maximum cost of one send.',
  access: 'session',
  body: newSchedule,
  idempotencyKey: 'required',
  stepUp: 'accepted',
  status: 201,
  reply: scheduleShape,
  refusals: [
    'verification_required',
    'recipient_not_found',
    'recipient_is_sender',
    'currency_not_held',
    ...priceRefusals,
    'warning_open',
    'too_many_schedules',
    'rate_limited',
  ],
})

const scheduleParams = z.object({ id: uuid })
const changes = { access: 'session', params: scheduleParams, reply: scheduleShape } as const

export const editSchedule = endpoint({
  method: 'PUT',
  path: '/schedules/:id',
  summary:
    'Change the amount, the dates or the rate guard of a scheduled send. What may let more leave than was confirmed needs a confirmation as a new one does: a higher cost, a more frequent recurrence, a date sooner than the confirmed rhythm allows. A date that waits goes on at the new terms, unless the dates change.',
  ...changes,
  body: scheduleTerms,
  stepUp: 'accepted',
  refusals: [
    'verification_required',
    'not_found',
    'schedule_not_active',
    'recipient_not_found',
    'currency_not_held',
    ...priceRefusals,
    'warning_open',
    'rate_limited',
  ],
})

export const pauseSchedule = endpoint({
  method: 'POST',
  path: '/schedules/:id/pause',
  summary: 'Pause a scheduled send until it is resumed, or until a date. Pending dates are skipped.',
  ...changes,
  body: z.object({ until: z.optional(date) }),
  refusals: ['not_found', 'schedule_not_active', 'rate_limited'],
})

export const resumeSchedule = endpoint({
  method: 'POST',
  path: '/schedules/:id/resume',
  summary: 'Resume a scheduled send from its next date. A single send whose date has passed needs a new date instead.',
  ...changes,
  refusals: ['not_found', 'schedule_not_active', 'schedule_date_passed', 'rate_limited'],
})

export const stopSchedule = endpoint({
  method: 'POST',
  path: '/schedules/:id/stop',
  summary: 'Stop a scheduled send. Pending dates are skipped; completed sends are unaffected.',
  ...changes,
  refusals: ['not_found', 'rate_limited'],
})

export const skipOccurrence = endpoint({
  method: 'POST',
  path: '/schedules/:id/skip',
  summary: 'Skip the pending date, or the next one.',
  ...changes,
  body: z.object({ date }),
  refusals: ['not_found', 'schedule_not_active', 'schedule_changed', 'rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Occurrence: occurrenceShape,
  OccurrenceState: occurrenceState,
  Recurrence: recurrence,
  Schedule: scheduleShape,
  ScheduleState: scheduleState,
}
