import type { CallEnd, CallReason } from '@tern/contract/calls'
import { graceDays } from '@tern/contract/privacy/grace'
import type { DeletionObstacle } from '@tern/contract/privacy/privacy'
import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import type { SensitiveActionKind } from '@tern/contract/security'
import type { activity } from '@tern/messages/en/activity'
import type { securityMails } from '@tern/messages/en/mails/security'
import type { Device, GeoPlace } from '../../../platform/devices.ts'
import type { SubjectName, SubjectText } from '../../../platform/subjects.ts'

/** Data of each kind of mail. Links are absolute URLs. */
export interface MailData {
  /** Asks to confirm the address of an account. */
  verify_email: { link: string }
  /** Answers a request to confirm an address that is already confirmed. */
  email_already_verified: { link: string }
  /** Sent to an account's new address, to confirm it. */
  change_email: { link: string }
  log_in: SignInOrigin & { link: string }
  /** Answers a request for a login link to an address without an account. */
  no_account: { link: string }
  reset_password: { link: string }
  /** Sign-in from a new device or place; `link` reports "this wasn't me". */
  new_sign_in: SignInOrigin & { at: Date; link: string }
  /** First payment to a payee; `freezeLink` freezes the account, `link` reports "this wasn't me". */
  new_payee_paid: PersonPayment & { freezeLink: string }
  security_change: SignInOrigin & { change: SecurityChange; at: Date; link: string }
  /** Sessions that the operating company ended; `link` leads to the login. */
  sessions_ended: { link: string }
  /** Call by an operator that has ended. `startedAt`: ISO 8601 time; `link`: the calls in the app. */
  operator_called: { caller: string; about: CallReason; startedAt: string; endedBy: CallEnd; link: string }
  /** Code that confirms one action. `subject` lists the action's facts in reading order. */
  step_up_code: {
    code: string
    action: SensitiveActionKind
    subject: readonly (readonly [name: SubjectName, text: SubjectText])[]
    /** Reports "this wasn't me". Missing in mails stored by an earlier version. */
    link?: string
  }
  /**
   * Announces the deletion at `dueAt`. Logging in at `logInLink` cancels it, as does reporting "this wasn't me" at
   * `link`.
   */
  deletion_begun: SignInOrigin & { at: Date; dueAt: Date; link: string; logInLink: string }
  /** Deletion that `obstacles` prevented. */
  deletion_stopped: { obstacles: readonly DeletionObstacle['code'][]; link: string }
  /** Last mail to a deleted account. `keptUntil`: end of the legal retention of the identity. */
  account_deleted: { keptUntil?: string | undefined }
  bank_account_linked: BankAccountText & { at: Date; link: string }
  /** Withdrawal that failed; its money is back in the wallet. */
  withdrawal_failed: MoneyText & BankAccountText & { reason: PayoutReason }
  /** Withdrawal that the bank returned; its money is back in the wallet. */
  withdrawal_returned: MoneyText & BankAccountText & { reason: PayoutReason }
  /**
   * Payment that arrived after it was canceled or had failed, or when the payer could not send. Its money is in the
   * payer's own wallet, even if it was for a send.
   */
  late_payment: MoneyText & { purpose: 'deposit' | 'send' | 'canceled_deposit' | 'canceled_send' | 'stopped_send' }
  /**
   * Send whose price no longer applied when its money arrived. `amount` is in the payer's own wallet; `promised` and
   * `now` are what `person` would have received then and now.
   */
  transfer_not_made: MoneyText & {
    person: string
    promised: string
    now: string
    reason: 'price_moved' | 'below_minimum'
  }
  /** Converted deposit whose price no longer applied on arrival: `amount` was credited instead of `promised`. */
  deposit_repriced: MoneyText & { promised: string }
  /** Deposit or send by bank debit that the bank refused to pay. */
  debit_failed: MoneyText & BankAccountText & { purpose: 'deposit' | 'send' }
  /** Received money that was taken back. `missing`: amount by which the wallet falls short. */
  payment_taken_back: MoneyText & { reason: PaymentReversal; missing?: string | undefined }
  /**
   * Step of a dispute about `amount`. `date`: deadline of the next step; `creditDate`: date of the provisional credit;
   * `missing`: amount by which the wallet falls short.
   */
  dispute_changed: MoneyText & {
    step: DisputeStep
    date?: string | undefined
    creditDate?: string | undefined
    missing?: string | undefined
  }
  money_received: PersonPayment
  /** Summary of further payments received within the hour, with one amount per currency. */
  money_received_summary: { count: number; amounts: readonly string[]; link: string }
  /** `until`: last date on which the request can be paid. */
  request_received: PersonPayment & { until?: string | undefined }
  request_paid: PersonPayment
  /** Sent to a guest who paid a request of `person`. */
  guest_receipt: PersonPayment
  /** Sent to a guest whose card was authorized but not charged. */
  guest_not_charged: PersonPayment
  /** Transfer that its recipient could not receive. The money and the fee are back in the sender's wallet. */
  transfer_undeliverable: MoneyText
  /**
   * Payment held by street mode. `from`: when its sender can confirm it; `until`: when it is returned otherwise. ISO
   * 8601 times.
   */
  payment_waits: MoneyText & { from: string; until: string; cancelLink: string }
  /** Scheduled send that failed. `date`: its due date; `reason`: a code of a refusal or of the schedule messages. */
  schedule_not_sent: MoneyText & { to: string; date: string; reason: string }
  /** Payment under review. `until`: ISO 8601 time. */
  check_holds: MoneyText & { until: string; by_guest?: true; waits_for?: 'lists' }
  check_asks: { need: 'explanation' | 'document'; until: string; link: string }
  check_decided: { state: 'cleared' | 'confirmed' | 'not_made' | 'sent_back' | 'not_accepted'; link: string }
  objection_decided: { state: 'upheld' | 'dismissed'; link: string }
  /** Warns of a balance too low for the send due on `date`. `amount`: the missing amount. */
  schedule_balance_low: MoneyText & { date: string }
  /** Statement of a month that has ended. `amount`: the closing balance; `month`: such as 2026-11. */
  statement_ready: MoneyText & { month: string; opening: string }
  order_filled: OrderMailParams & { target: string; filledAt: string; fee: string }
  order_expired: OrderMailParams
  /**
   * Order whose rate was reached but that could not be filled. `reason`: a code of a refusal or of the order messages.
   */
  order_waits: OrderMailParams & { reason: string }
  /** Reached rate alert: its `rate` and the current `rateNow`, both as '1 USD = 0.95 EUR'. */
  rate_alert: { rate: string; rateSide: 'at_least' | 'at_most'; rateNow: string; link: string }
  /** Currency pair that has a current rate again: `rateNow`, as '1 USD = 0.95 EUR'. */
  rate_returned: { rateNow: string; link: string }
  protection_acted: MoneyText & { target: string; fee: string }
  /** Protection rule that could not exchange into `currency`. */
  protection_waits: { currency: string; reason: string; link: string }
}

/** Device and place of a sign-in or change. */
export interface SignInOrigin {
  readonly device: Device
  readonly place: GeoPlace
}

/** `amount` such as '20.00 USD'; `link` leads to the page of the event. */
interface MoneyText {
  amount: string
  link: string
}

/** Exchange order of `amount`. `rate`: the rate it waits for, as '1 USDT = 0.955 EUR'. */
interface OrderMailParams extends MoneyText {
  kind: 'limit' | 'stop'
  targetCurrency: string
  rate: string
  rateSide: 'at_least' | 'at_most'
}

/**
 * Payment or request between users. `person`: the other user's name as shown to the reader; `description`: the note, or
 * an empty text.
 */
interface PersonPayment extends MoneyText {
  person: string
  username?: string | undefined
  description: string
}

/** Reasons why a payout failed or was returned. */
export type PayoutReason = keyof (typeof activity)['payouts']

export interface BankAccountText {
  bankName: string
  last4: string
}

export type DisputeStep = NotificationParams['dispute_changed']['step']

/** Reasons why received money was taken back. */
export type PaymentReversal = 'refund' | 'chargeback' | 'debit_return'

export type MailTemplate = keyof MailData

/**
 * Minutes for which a mail of each kind is useful, such as the validity of its link or code. A mail that is still
 * waiting after that is dropped.
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
  sessions_ended: 30 * 24 * 60,
  operator_called: 30 * 24 * 60,
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
  statement_ready: 30 * 24 * 60,
  order_filled: 30 * 24 * 60,
  order_expired: 30 * 24 * 60,
  order_waits: 24 * 60,
  rate_alert: 24 * 60,
  rate_returned: 24 * 60,
  protection_acted: 30 * 24 * 60,
  protection_waits: 24 * 60,
}

export type SecurityChange = keyof (typeof securityMails)['changes']

/** Changes of factors after which step-up rules are stricter for a while. */
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
