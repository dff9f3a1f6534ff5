import * as z from 'zod/mini'
import { callEnd, callReason } from '../calls.ts'
import { orderKind, rateSide } from '../orders/orders.ts'
import { correctableField } from '../privacy/correctable-field.ts'
import { protectionKind } from '../orders/protection-rules.ts'
import { currency, decimal, moment, userNumber } from '../protocol/wire.ts'

/** Counterparty as visible to the addressee. `id` is null for a person without an account. */
const person = z.object({ id: z.nullable(userNumber), name: z.string(), username: z.nullable(z.string()) })
const money = { amount: decimal, currency }
/** Description by the payer or requester; empty if there is none. */
const description = z.string()
const day = z.iso.date()
const bankFields = { bank_name: z.string(), last4: z.string() }

const personFields = { person, ...money, description }
/** For requests payable in parts: number of parts paid, and in total. */
const partFields = { paid: z.optional(z.int()), of: z.optional(z.int()) }
const scheduleFields = { person, ...money, date: day }
/** `rate`: rate of the fill, or trigger rate of an order not filled. */
const orderFields = {
  kind: orderKind,
  ...money,
  target_currency: currency,
  rate: decimal,
  rate_currency: currency,
  rate_side: rateSide,
}
/** Browser and system names are not translated; unknown values are omitted. */
const originFields = {
  browser: z.optional(z.string()),
  system: z.optional(z.string()),
  country: z.optional(z.string()),
  network: z.string(),
}

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

/** Parameters of each notification code. Amounts are what the addressee receives, pays or lacks. */
export const notificationParams = {
  money_received: z.object(personFields),
  deposit_arrived: z.object({ ...money, method: z.enum(['card', 'bank']) }),
  withdrawal_arrived: z.object({ ...money, ...bankFields }),
  withdrawal_failed: z.object({ ...money, ...bankFields }),
  /** The bank returned the money after it had arrived. */
  withdrawal_returned: z.object({ ...money, bank_name: z.string() }),
  new_payee_paid: z.object(personFields),

  /** `date`: last day on which it can be paid. */
  request_received: z.object({ ...personFields, date: z.optional(day) }),
  request_paid: z.object({ ...personFields, ...partFields }),
  request_part_paid: z.object({ ...personFields, ...partFields }),
  /** `reason`: text by the person who declined, if any. */
  request_declined: z.object({ ...personFields, reason: z.optional(z.string()) }),
  /** `person`: addressee of the request; null for several, or for an open link. */
  request_expired: z.object({ ...personFields, person: z.nullable(person) }),
  /** A person asks for a new link to pay an expired request. */
  request_link_wanted: z.object(personFields),
  request_reminder: z.object({ ...personFields, date: z.optional(day) }),

  schedule_sent: z.object(scheduleFields),
  schedule_skipped: z.object(scheduleFields),
  /** `amount`: shortfall on `date`. `person`: recipient, if only one send is affected. */
  schedule_short: z.object({ ...scheduleFields, person: z.nullable(person) }),
  /** The money of a held transfer was returned; `person` is null if it had no recipient. */
  transfer_released: z.object({ ...money, person: z.nullable(person), description }),
  /** A funded send whose price had lapsed when the money arrived; the money is in the sender's wallet. */
  transfer_not_made: z.object({ ...personFields, reason: z.enum(['price_moved', 'below_minimum']) }),
  /** A converted deposit whose price had lapsed when the money arrived; converted at the price on arrival. */
  deposit_repriced: z.object({ ...money, method: z.enum(['card', 'bank']) }),

  /** `amount` was exchanged for `target_amount` at `rate`, per unit of `rate_currency`. */
  order_filled: z.object({ ...orderFields, target_amount: decimal }),
  order_expired: z.object(orderFields),
  /** The rate was reached but the order was not filled; `reason` is the order's reason. */
  order_waits: z.object({ ...orderFields, reason: z.string() }),
  rate_alert: z.object({
    source_currency: currency,
    target_currency: currency,
    /** `rate`: rate set in the alert; `rate_now`: rate that triggered it. */
    rate: decimal,
    rate_side: rateSide,
    rate_now: decimal,
  }),
  /** The pair has a usable rate again. */
  rate_returned: z.object({ source_currency: currency, target_currency: currency, rate_now: decimal }),
  /** `amount` was exchanged for `target_amount`. */
  protection_acted: z.object({ kind: protectionKind, ...money, target_amount: decimal, target_currency: currency }),
  /** A rule could not make a due exchange into `currency`. */
  protection_waits: z.object({ kind: protectionKind, currency, reason: z.string() }),

  /** `amount`: disputed or moved amount; `date`: deadline of the next step. */
  dispute_changed: z.object({ ...money, step: disputeStep, date: z.optional(day) }),

  /** Whether the device or the place was new; absent in older notifications. */
  new_sign_in: z.object({ ...originFields, unfamiliar: z.optional(z.enum(['device', 'place'])) }),
  security_change: z.object({ ...originFields, change: z.string() }),
  /** A call by an operator has ended. `caller`: first name of the operator. */
  operator_called: z.object({ caller: z.string(), about: callReason, started_at: moment, ended_by: callEnd }),
  /**
   * A check holds a payment; `until`: deadline for the decision. `by_guest`: the sender has no account. `waits_for`:
   * fresh screening lists instead of an operator; `until` is then their expected time.
   */
  check_holds: z.object({
    ...money,
    until: moment,
    by_guest: z.optional(z.literal(true)),
    waits_for: z.optional(z.literal('lists')),
  }),
  /** Information requested by a check, and its deadline. */
  check_asks: z.object({ need: z.enum(['explanation', 'document']), until: moment }),
  /** `not_made`: the money of the payment returns to its sender. `not_accepted`: a guest’s payment is returned. */
  check_decided: z.object({ state: z.enum(['cleared', 'confirmed', 'not_made', 'sent_back', 'not_accepted']) }),
  objection_decided: z.object({ state: z.enum(['upheld', 'dismissed']) }),
  /** Street mode holds a payment; the sender can confirm it between `from` and `until`. */
  street_hold: z.object({ ...money, from: moment, until: moment }),
  correction_decided: z.object({ field: correctableField, state: z.enum(['corrected', 'declined']) }),
  verification_result: z.object({ status: z.enum(['verified', 'needs_information', 'rejected']) }),
} as const
export type NotificationCode = keyof typeof notificationParams
export type NotificationParams = { [C in NotificationCode]: z.output<(typeof notificationParams)[C]> }
