import * as z from 'zod/mini'
import { orderKind, rateSide } from '../orders/orders.ts'
import { correctableField } from '../privacy/correctable-field.ts'
import { protectionKind } from '../orders/protection-rules.ts'
import { currency, decimal, moment, userNumber } from '../protocol/wire.ts'

/** The other person, as they may be shown to whoever is told. `id` is null for somebody without an account. */
const person = z.object({ id: z.nullable(userNumber), name: z.string(), username: z.nullable(z.string()) })
const money = { amount: decimal, currency }
/** What people wrote; empty when they wrote nothing. */
const description = z.string()
/** A calendar date. */
const day = z.iso.date()
const bank = { bank_name: z.string(), last4: z.string() }

const fromPerson = { person, ...money, description }
/** Of a request paid in parts: how many have paid, of how many. */
const parts = { paid: z.optional(z.int()), of: z.optional(z.int()) }
const ofSchedule = { person, ...money, date: day }
/** `rate`: what it was filled at, or waited for. */
const ofOrder = {
  kind: orderKind,
  ...money,
  target_currency: currency,
  rate: decimal,
  rate_currency: currency,
  rate_side: rateSide,
}
/** Names of devices and networks are not translated; what is not known is left out. */
const whereFrom = {
  browser: z.optional(z.string()),
  system: z.optional(z.string()),
  country: z.optional(z.string()),
  network: z.string(),
}

/** What happened to a dispute. */
const disputeStep = z.enum([
  'opened',
  'asked',
  'credited',
  'credit_waits',
  'credit_stopped',
  'extended',
  'upheld',
  'dismissed',
  'objection_upheld',
  'objection_dismissed',
])

/** What each kind of notification tells beside its code. Amounts are what the person told gets, pays or lacks. */
export const notificationParams = {
  money_received: z.object(fromPerson),
  deposit_arrived: z.object({ ...money, method: z.enum(['card', 'bank']) }),
  withdrawal_arrived: z.object({ ...money, ...bank }),
  withdrawal_failed: z.object({ ...money, ...bank }),
  /** The bank sent it back after it had arrived. */
  withdrawal_returned: z.object({ ...money, bank_name: z.string() }),
  new_payee_paid: z.object(fromPerson),

  /** `date`: until when it can be paid. */
  request_received: z.object({ ...fromPerson, date: z.optional(day) }),
  request_paid: z.object({ ...fromPerson, ...parts }),
  request_part_paid: z.object({ ...fromPerson, ...parts }),
  /** `reason`: what the person wrote, if anything. */
  request_declined: z.object({ ...fromPerson, reason: z.optional(z.string()) }),
  /** `person`: whom the request was to; null for several or anybody. */
  request_expired: z.object({ ...fromPerson, person: z.nullable(person) }),
  /** Somebody would still pay a request that has expired. */
  request_link_wanted: z.object(fromPerson),
  request_reminder: z.object({ ...fromPerson, date: z.optional(day) }),

  schedule_sent: z.object(ofSchedule),
  schedule_skipped: z.object(ofSchedule),
  /** `amount`: how much is missing on `date`; `person` when one send lacks it. */
  schedule_short: z.object({ ...ofSchedule, person: z.nullable(person) }),
  /** A held transfer whose money came back; `person` is null when it was not for anybody. */
  transfer_released: z.object({ ...money, person: z.nullable(person), description }),
  /** A send whose money came when its price did not hold any more: it is in the sender's wallet, to be sent at a new price. */
  transfer_not_made: z.object({ ...fromPerson, reason: z.enum(['price_moved', 'below_minimum']) }),
  /** A converted deposit whose money came when its price did not hold any more: it was converted at the price of then. */
  deposit_repriced: z.object({ ...money, method: z.enum(['card', 'bank']) }),

  /** `amount` was exchanged for `target_amount`, at `rate` for one of `rate_currency`. */
  order_filled: z.object({ ...ofOrder, target_amount: decimal }),
  order_expired: z.object(ofOrder),
  /** Its rate came, and it was not filled; `reason` as in the order. */
  order_waits: z.object({ ...ofOrder, reason: z.string() }),
  rate_alert: z.object({
    source_currency: currency,
    target_currency: currency,
    /** What was waited for; `rate_now`: what it was. */
    rate: decimal,
    rate_side: rateSide,
    rate_now: decimal,
  }),
  /** A pair whose rate was too old has one again. */
  rate_returned: z.object({ source_currency: currency, target_currency: currency, rate_now: decimal }),
  /** `amount` was exchanged for `target_amount`. */
  protection_acted: z.object({ kind: protectionKind, ...money, target_amount: decimal, target_currency: currency }),
  /** A rule that should have exchanged something into `currency` could not. */
  protection_waits: z.object({ kind: protectionKind, currency, reason: z.string() }),

  /** `amount`: what it is about, or what moved; `date`: by when something happens. */
  dispute_changed: z.object({ ...money, step: disputeStep, date: z.optional(day) }),

  /** `unfamiliar`: which of the two was new; left out in older ones. */
  new_sign_in: z.object({ ...whereFrom, unfamiliar: z.optional(z.enum(['device', 'place'])) }),
  security_change: z.object({ ...whereFrom, change: z.string() }),
  /**
   * A payment waits for a check; `until`: by when it is decided. `by_guest`: its sender has no account.
   * `waits_for`: fresh screening lists instead of a check by people; `until`: when they are expected.
   */
  check_holds: z.object({
    ...money,
    until: moment,
    by_guest: z.optional(z.literal(true)),
    waits_for: z.optional(z.literal('lists')),
  }),
  /** What a check needs of the person, and until when. */
  check_asks: z.object({ need: z.enum(['explanation', 'document']), until: moment }),
  /** `not_made`: the money of a payment goes back to its sender. `not_accepted`: so does a guest’s, who pays a request. */
  check_decided: z.object({ state: z.enum(['cleared', 'confirmed', 'not_made', 'sent_back', 'not_accepted']) }),
  objection_decided: z.object({ state: z.enum(['upheld', 'dismissed']) }),
  /** A payment waits because of street mode: from when on its sender can confirm it, and until when. */
  street_hold: z.object({ ...money, from: moment, until: moment }),
  correction_decided: z.object({ field: correctableField, state: z.enum(['corrected', 'declined']) }),
  verification_result: z.object({ status: z.enum(['verified', 'needs_information', 'rejected']) }),
} as const
export type NotificationCode = keyof typeof notificationParams
export type NotificationParams = { [C in NotificationCode]: z.output<(typeof notificationParams)[C]> }
