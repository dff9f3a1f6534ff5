import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, currency, decimal, moment, text, userNumber, uuid } from '../protocol/wire.ts'

/** `monthly` keeps the day of the first date, or the last one of a shorter month. `month_end`: the last day of each month. */
export const recurrence = z.enum(['once', 'weekly', 'biweekly', 'monthly', 'month_end'])
export type Recurrence = z.output<typeof recurrence>

/** `paused`: nothing is sent until it is resumed. `stopped`: by its owner. `finished`: nothing more is to come. */
export const scheduleState = z.enum(['active', 'paused', 'stopped', 'finished'])

/**
 * How one date of a schedule stands. `waiting`: it is due, and tried again until `retry_until`. `skipped`: by its owner, or
 * because it cost too much. `failed`: refused. `missed`: a later date was due before this one could be sent.
 */
export const occurrenceState = z.enum(['waiting', 'sent', 'skipped', 'failed', 'missed'])

const date = z.iso.date()

export const occurrenceShape = z.object({
  schedule_id: uuid,
  date,
  state: occurrenceState,
  /** Why it waits, was skipped or failed: a refusal's code, or `price_above_ceiling`, `by_owner`, `paused`, `stopped`, `rescheduled`. */
  reason: z.nullable(z.string()),
  /** The same in a sentence. */
  reason_text: z.nullable(z.string()),
  retry_until: z.nullable(moment),
  /** Of one that was sent: its transaction, and how that stands. */
  transaction_id: z.nullable(uuid),
  transaction_status: z.nullable(z.enum(['COMPLETED', 'PENDING', 'FAILED'])),
  /** What left, fee included, in the schedule's source currency. */
  total: z.nullable(decimal),
})
export type Occurrence = z.output<typeof occurrenceShape>

export const scheduleShape = z.object({
  id: uuid,
  state: scheduleState,
  recipient: z.object({ id: userNumber, username: z.string(), name: z.nullable(z.string()) }),
  source_currency: currency,
  target_currency: currency,
  /** Which amount stays the same: what leaves without the fee, or what arrives. */
  side: z.enum(['source', 'target']),
  /** In the currency of that side. */
  amount: decimal,
  description: z.string(),
  recurrence,
  /** The date that the others are counted from. */
  first_on: date,
  /** Null when it is paused without an end, or nothing more is to come. */
  next_on: z.nullable(date),
  /** When the next one is sent. */
  next_at: z.nullable(moment),
  time_zone: z.string(),
  paused_until: z.nullable(date),
  /** In the source currency, fee included: what one send may cost at most, as its owner set it; null without. */
  rate_guard: z.nullable(decimal),
  /** The same as it was agreed to when the schedule was made; nothing is sent above it. */
  ceiling: decimal,
  /** For how many days a date waits for a lower price. */
  wait_days: z.int(),
  /** What it would cost now; null while rates are not known. */
  price: z.nullable(z.object({ source_amount: decimal, target_amount: decimal, fee: decimal, total: decimal })),
  /** The date that is due and still waits. */
  waiting: z.nullable(occurrenceShape),
  created_at: moment,
})
export type Schedule = z.output<typeof scheduleShape>

export const schedules = endpoint({
  method: 'GET',
  path: '/schedules',
  summary:
    "The caller's scheduled sends: those that go on, the next first, what they take from the wallet in the next five weeks, and what became of the latest dates.",
  access: 'session',
  reply: z.object({
    schedules: z.array(scheduleShape),
    /** Each send of the next five weeks, in the order in which they are paid. */
    coming: z.array(
      z.object({
        schedule_id: uuid,
        date,
        currency,
        /** At the present price; null while rates are not known. */
        total: z.nullable(decimal),
        /** How much is missing for it, after all that goes out before; null when nothing is. */
        missing: z.nullable(decimal),
      }),
    ),
    /** Up to which date `coming` reaches. */
    coming_until: date,
    /** The latest 30, newest first. */
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
   * The first date, or when it is changed the next one; after today in the schedule's time zone. Without one to come, the
   * first date says that the dates stay.
   */
  next_on: date,
  /** Only for a fixed amount that arrives in another currency. */
  rate_guard: z.optional(z.nullable(amountInput)),
  /** Without a rate guard: what such a send may cost at most. A tenth more than now unless given. */
  ceiling: z.optional(amountInput),
  /** 3 unless given. */
  wait_days: z.optional(z.int().check(z.minimum(0), z.maximum(6))),
}

export const newSchedule = z.object({
  recipient_id: userNumber,
  ...terms,
  /** Such as `Europe/Paris`. Money is sent at nine in the morning there. */
  time_zone: text(60),
})
export type NewSchedule = z.output<typeof newSchedule>
export const changedSchedule = z.object(terms)
export type ChangedSchedule = z.output<typeof changedSchedule>

const priceRefusals = ['amount_too_small', 'rates_unavailable'] as const

export const createSchedule = endpoint({
  method: 'POST',
  path: '/schedules',
  summary:
    'Send money from the wallet to another registered user later, once or again and again. Needs the confirmation that a send of this amount needs, bound to the recipient and the most that one send may cost.',
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
  body: changedSchedule,
  stepUp: 'accepted',
  refusals: [
    'verification_required',
    'not_found',
    'schedule_not_active',
    'recipient_not_found',
    'currency_not_held',
    ...priceRefusals,
    'rate_limited',
  ],
})

export const pauseSchedule = endpoint({
  method: 'POST',
  path: '/schedules/:id/pause',
  summary: 'Send nothing until it is resumed, or before a date. What waits is skipped.',
  ...changes,
  body: z.object({ until: z.optional(date) }),
  refusals: ['not_found', 'schedule_not_active', 'rate_limited'],
})

export const resumeSchedule = endpoint({
  method: 'POST',
  path: '/schedules/:id/resume',
  summary: 'Send again from the next date on. A single send whose date has passed needs a new date instead.',
  ...changes,
  refusals: ['not_found', 'schedule_not_active', 'schedule_date_passed', 'rate_limited'],
})

export const stopSchedule = endpoint({
  method: 'POST',
  path: '/schedules/:id/stop',
  summary: 'Send nothing more. What waits is skipped; what was sent is not affected.',
  ...changes,
  refusals: ['not_found', 'rate_limited'],
})

export const skipOccurrence = endpoint({
  method: 'POST',
  path: '/schedules/:id/skip',
  summary: 'Skip the date that waits, or the next one.',
  ...changes,
  body: z.object({ date }),
  refusals: ['not_found', 'schedule_not_active', 'schedule_changed', 'rate_limited'],
})
