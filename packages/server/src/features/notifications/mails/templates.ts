import { graceDays } from '@tern/contract/privacy/grace'
import type { DeletionObstacle } from '@tern/contract/privacy/privacy'
import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import type { SensitiveActionKind } from '@tern/contract/security'
import type { activity } from '@tern/messages/en/activity'
import type { securityMails } from '@tern/messages/en/mails/security'
import type { Device, Place } from '../../../platform/devices.ts'
import type { SubjectName, SubjectText } from '../../../platform/subjects.ts'

/** What a mail of each kind tells. Links are complete addresses. */
export interface MailData {
  /** Confirm the address of an account. */
  verify_email: { link: string }
  /** Somebody asked to confirm an address that is confirmed already. */
  email_already_verified: { link: string }
  /** To the address an account is to move to. */
  change_email: { link: string }
  log_in: WhereFrom & { link: string }
  /** To an address that has no account, when somebody asked for a link. */
  no_account: { link: string }
  reset_password: { link: string }
  /** A sign-in from a device or place not seen before; `link` says "this wasn't me". */
  new_sign_in: WhereFrom & { at: Date; link: string }
  /** Somebody was paid for the first time; `freezeLink` freezes the account, `link` says "this wasn't me". */
  new_payee_paid: FromPerson & { freezeLink: string }
  security_change: WhereFrom & { change: SecurityChange; at: Date; link: string }
  /** A code that confirms one act; `subject` says of what, in the order in which it is read. */
  step_up_code: {
    code: string
    action: SensitiveActionKind
    subject: readonly (readonly [name: SubjectName, text: SubjectText])[]
    /** Says "this wasn't me". Mails of an earlier version, which may still be waiting, have none. */
    link?: string
  }
  /**
   * An account is deleted at `dueAt`, unless its owner logs in at `logInLink`; `link` says "this wasn't me", which undoes it too.
   */
  deletion_begun: WhereFrom & { at: Date; dueAt: Date; link: string; logInLink: string }
  /** An account was to be deleted and is not: `obstacles` stand against it. */
  deletion_stopped: { obstacles: readonly DeletionObstacle['code'][]; link: string }
  /** The last mail to somebody who has left; `keptUntil`: the date until which the law demands to know who they were. */
  account_deleted: { keptUntil?: string | undefined }
  bank_account_linked: BankAccountText & { at: Date; link: string }
  /** A withdrawal that never left; its money is in the wallet again. */
  withdrawal_failed: MoneyText & BankAccountText & { reason: PayoutReason }
  /** A withdrawal that had arrived and was sent back; its money is in the wallet again. */
  withdrawal_returned: MoneyText & BankAccountText & { reason: PayoutReason }
  /**
   * A payment came after it had been given up, by us or by its payer: it is in the payer's own wallet, also what was meant for
   * somebody else.
   */
  late_payment: MoneyText & { purpose: 'deposit' | 'send' | 'canceled_deposit' | 'canceled_send' | 'stopped_send' }
  /**
   * A send whose money came when its price did not hold any more: `amount` is in the payer's own wallet. `person` would have
   * got `promised`; now it would be `now`.
   */
  transfer_not_made: MoneyText & {
    person: string
    promised: string
    now: string
    reason: 'price_moved' | 'below_minimum'
  }
  /** A converted deposit that came when its price did not hold any more: it is `amount` instead of `promised`. */
  deposit_repriced: MoneyText & { promised: string }
  /** A deposit or a transfer by bank debit that the bank did not pay. */
  debit_failed: MoneyText & BankAccountText & { purpose: 'deposit' | 'send' }
  /** `missing`: what of the amount the wallet could not give. */
  payment_taken_back: MoneyText & { reason: TakenBack; missing?: string | undefined }
  /** What happened to a dispute about `amount`; `date`: by when something follows; `creditDate`: when the money is back meanwhile. */
  dispute_changed: MoneyText & {
    step: DisputeStep
    date?: string | undefined
    creditDate?: string | undefined
    missing?: string | undefined
  }
  money_received: FromPerson
  /** What else was received within the hour; an amount for each currency. */
  money_received_summary: { count: number; amounts: readonly string[]; link: string }
  /** `until`: the last date on which it can be paid. */
  request_received: FromPerson & { until?: string | undefined }
  request_paid: FromPerson
  /** To somebody without an account who paid a request; `person` asked for it. */
  guest_receipt: FromPerson
  /** Their card's bank agreed, and the card was not charged. */
  guest_not_charged: FromPerson
  /** A transfer that could be taken back for a while, and whose recipient could not get it in the end. */
  transfer_undeliverable: MoneyText
  /** A payment that street mode holds: from when on its sender can confirm it, and when it comes back otherwise, as moments of ISO 8601. */
  payment_waits: MoneyText & { from: string; until: string; cancelLink: string }
  /** A date of a scheduled send that was not sent; `reason` is a code of the activity of schedules or of a refusal. */
  schedule_not_sent: MoneyText & { to: string; date: string; reason: string }
  /** A payment waits for a check by people. Moments as ISO 8601. */
  check_holds: MoneyText & { until: string; by_guest?: true; waits_for?: 'lists' }
  check_asks: { need: 'explanation' | 'document'; until: string; link: string }
  check_decided: { state: 'cleared' | 'confirmed' | 'not_made' | 'sent_back' | 'not_accepted'; link: string }
  objection_decided: { state: 'upheld' | 'dismissed'; link: string }
  /** `amount`: what the wallet lacks for what is due on `date`. */
  schedule_balance_low: MoneyText & { date: string }
  order_filled: OrderText & { target: string; filledAt: string; fee: string }
  order_expired: OrderText
  /** An order whose rate has come and that was not filled; `reason` is a code of the activity of orders or of a refusal. */
  order_waits: OrderText & { reason: string }
  /** `rate` was waited for, `rateNow` has come; both as '1 USD = 0.95 EUR'. */
  rate_alert: { rate: string; rateSide: 'at_least' | 'at_most'; rateNow: string; link: string }
  /** A pair whose rate was too old has this one, as '1 USD = 0.95 EUR'. */
  rate_returned: { rateNow: string; link: string }
  protection_acted: MoneyText & { target: string; fee: string }
  /** A rule that could not exchange into `currency`. */
  protection_waits: { currency: string; reason: string; link: string }
}

/** From where somebody signs in or changes something. */
export interface WhereFrom {
  readonly device: Device
  readonly place: Place
}

/** `amount` as people read it, such as '20.00 USD'; `link` leads to where they see what became of it. */
interface MoneyText {
  amount: string
  link: string
}

/** An exchange order over `amount`; `rate`, which it waited for, as '1 USDT = 0.955 EUR'. */
interface OrderText extends MoneyText {
  kind: 'limit' | 'stop'
  targetCurrency: string
  rate: string
  rateSide: 'at_least' | 'at_most'
}

/** Another person's payment or request; the name as the reader may see it, what they wrote or an empty text. */
interface FromPerson extends MoneyText {
  person: string
  username?: string | undefined
  description: string
}

/** Why a payout did not stay at the bank. */
export type PayoutReason = keyof (typeof activity)['payouts']

export interface BankAccountText {
  bankName: string
  last4: string
}

export type DisputeStep = NotificationParams['dispute_changed']['step']

/** Why money that had come was taken back. */
export type TakenBack = 'refund' | 'chargeback' | 'debit_return'

export type MailTemplate = keyof MailData

/**
 * For how many minutes a mail of each kind is of use: as long as its link or code is good, of which an alert's is good longest.
 * The mails say it, and one that could not be delivered in that time is not sent any more.
 */
export const usefulMinutes: Readonly<Record<MailTemplate, number>> = {
  verify_email: 24 * 60,
  email_already_verified: 24 * 60,
  change_email: 24 * 60,
  log_in: 15,
  no_account: 24 * 60,
  reset_password: 60,
  new_sign_in: 30 * 24 * 60,
  new_payee_paid: 30 * 24 * 60,
  security_change: 30 * 24 * 60,
  step_up_code: 5,
  deletion_begun: graceDays * 24 * 60,
  deletion_stopped: 30 * 24 * 60,
  account_deleted: 30 * 24 * 60,
  bank_account_linked: 30 * 24 * 60,
  withdrawal_failed: 30 * 24 * 60,
  withdrawal_returned: 30 * 24 * 60,
  late_payment: 30 * 24 * 60,
  transfer_not_made: 30 * 24 * 60,
  deposit_repriced: 30 * 24 * 60,
  debit_failed: 30 * 24 * 60,
  payment_taken_back: 30 * 24 * 60,
  dispute_changed: 30 * 24 * 60,
  money_received: 30 * 24 * 60,
  money_received_summary: 30 * 24 * 60,
  request_received: 30 * 24 * 60,
  request_paid: 30 * 24 * 60,
  guest_receipt: 30 * 24 * 60,
  guest_not_charged: 30 * 24 * 60,
  transfer_undeliverable: 30 * 24 * 60,
  check_holds: 7 * 24 * 60,
  check_asks: 7 * 24 * 60,
  check_decided: 30 * 24 * 60,
  objection_decided: 30 * 24 * 60,
  payment_waits: 24 * 60,
  schedule_not_sent: 30 * 24 * 60,
  schedule_balance_low: 24 * 60,
  order_filled: 30 * 24 * 60,
  order_expired: 30 * 24 * 60,
  order_waits: 24 * 60,
  rate_alert: 24 * 60,
  rate_returned: 24 * 60,
  protection_acted: 30 * 24 * 60,
  protection_waits: 24 * 60,
}

export type SecurityChange = keyof (typeof securityMails)['changes']

/** Those after which less passes without a confirmation for a while: of how somebody logs in or confirms. */
export const factorChanges: ReadonlySet<SecurityChange> = new Set([
  'passkey_added',
  'passkey_removed',
  'totp_added',
  'totp_removed',
  'recovery_codes_renewed',
  'password_changed',
  'password_reset',
  'email_changed',
  'external_linked',
])
