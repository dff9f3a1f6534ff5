import { graceDays } from '@tern/contract/privacy/grace'
import type { DeletionObstacle } from '@tern/contract/privacy/privacy'
import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import type { SensitiveActionKind } from '@tern/contract/security'
import type { activity } from '@tern/messages/en/activity'
import type { securityMails } from '@tern/messages/en/mails/security'
import type { Device, GeoPlace } from '../../../platform/devices.ts'
import type { SubjectName, SubjectText } from '../../../platform/subjects.ts'

/** Data of each kind of mail. Links are complete addresses. */
export interface MailData {
  /** Confirms the address of an account. */
  verify_email: { link: string }
  /** Answers a request to confirm an address that is already confirmed. */
  email_already_verified: { link: string }
  /** To an account's new address, for confirmation. */
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
  /** Code that confirms one action; `subject` lists its facts, in reading order. */
  step_up_code: {
    code: string
    action: SensitiveActionKind
    subject: readonly (readonly [name: SubjectName, text: SubjectText])[]
    /** Reports "this wasn't me". Missing in mails of an earlier version that are still waiting. */
    link?: string
  }
  /**
   * Deletion at `dueAt`, unless its owner logs in at `logInLink`; `link` reports "this wasn't me", which undoes it too.
   */
  deletion_begun: SignInOrigin & { at: Date; dueAt: Date; link: string; logInLink: string }
  /** Deletion that was stopped by `obstacles`. */
  deletion_stopped: { obstacles: readonly DeletionObstacle['code'][]; link: string }
  /** Last mail to a deleted account; `keptUntil`: end of the legal retention of the identity. */
  account_deleted: { keptUntil?: string | undefined }
  bank_account_linked: BankAccountText & { at: Date; link: string }
  /** Withdrawal that never left; its money is back in the wallet. */
  withdrawal_failed: MoneyText & BankAccountText & { reason: PayoutReason }
  /** Withdrawal that had arrived and was returned; its money is back in the wallet. */
  withdrawal_returned: MoneyText & BankAccountText & { reason: PayoutReason }
  /**
   * Payment that arrived after it was cancelled or had failed: the money is in the payer's own wallet, also that of a
   * send.
   */
  late_payment: MoneyText & { purpose: 'deposit' | 'send' | 'canceled_deposit' | 'canceled_send' | 'stopped_send' }
  /**
   * Send whose price no longer held when its money arrived: `amount` is in the payer's own wallet. `promised` and `now`
   * are what `person` would have got.
   */
  transfer_not_made: MoneyText & {
    person: string
    promised: string
    now: string
    reason: 'price_moved' | 'below_minimum'
  }
  /** Converted deposit whose price no longer held on arrival: it is `amount` instead of `promised`. */
  deposit_repriced: MoneyText & { promised: string }
  /** Deposit or transfer by bank debit that the bank did not pay. */
  debit_failed: MoneyText & BankAccountText & { purpose: 'deposit' | 'send' }
  /** `missing`: shortfall of the wallet. */
  payment_taken_back: MoneyText & { reason: PaymentReversal; missing?: string | undefined }
  /**
   * Step of a dispute about `amount`; `date`: deadline of the next one; `creditDate`: date of the provisional credit.
   */
  dispute_changed: MoneyText & {
    step: DisputeStep
    date?: string | undefined
    creditDate?: string | undefined
    missing?: string | undefined
  }
  money_received: PersonPayment
  /** Further payments received within the hour; one amount per currency. */
  money_received_summary: { count: number; amounts: readonly string[]; link: string }
  /** `until`: last date on which it can be paid. */
  request_received: PersonPayment & { until?: string | undefined }
  request_paid: PersonPayment
  /** To a guest who paid a request of `person`. */
  guest_receipt: PersonPayment
  /** To a guest whose card was authorized but not charged. */
  guest_not_charged: PersonPayment
  /** Undoable transfer whose recipient could not get it in the end. */
  transfer_undeliverable: MoneyText
  /** Payment held by street mode: when its sender can confirm it, and when it returns otherwise, as ISO 8601. */
  payment_waits: MoneyText & { from: string; until: string; cancelLink: string }
  /** Date of a scheduled send that failed; `reason` is a code of the activity of schedules or of a refusal. */
  schedule_not_sent: MoneyText & { to: string; date: string; reason: string }
  /** Payment under review. Times as ISO 8601. */
  check_holds: MoneyText & { until: string; by_guest?: true; waits_for?: 'lists' }
  check_asks: { need: 'explanation' | 'document'; until: string; link: string }
  check_decided: { state: 'cleared' | 'confirmed' | 'not_made' | 'sent_back' | 'not_accepted'; link: string }
  objection_decided: { state: 'upheld' | 'dismissed'; link: string }
  /** `amount`: shortfall for the send due on `date`. */
  schedule_balance_low: MoneyText & { date: string }
  order_filled: OrderMailParams & { target: string; filledAt: string; fee: string }
  order_expired: OrderMailParams
  /**
   * Order whose rate was reached but that was not filled; `reason` is a code of the activity of orders or of a refusal.
   */
  order_waits: OrderMailParams & { reason: string }
  /** Wanted `rate` and current `rateNow`, both as '1 USD = 0.95 EUR'. */
  rate_alert: { rate: string; rateSide: 'at_least' | 'at_most'; rateNow: string; link: string }
  /** Current rate of a pair whose rate was too old, as '1 USD = 0.95 EUR'. */
  rate_returned: { rateNow: string; link: string }
  protection_acted: MoneyText & { target: string; fee: string }
  /** Protection rule that could not exchange into `currency`. */
  protection_waits: { currency: string; reason: string; link: string }
}

/** Device and place of a login or change. */
export interface SignInOrigin {
  readonly device: Device
  readonly place: GeoPlace
}

/** `amount` such as '20.00 USD'; `link` leads to its outcome. */
interface MoneyText {
  amount: string
  link: string
}

/** Exchange order over `amount`; `rate`, its target, as '1 USDT = 0.955 EUR'. */
interface OrderMailParams extends MoneyText {
  kind: 'limit' | 'stop'
  targetCurrency: string
  rate: string
  rateSide: 'at_least' | 'at_most'
}

/** Payment or request of another user; the name as the reader may see it, and their note or an empty text. */
interface PersonPayment extends MoneyText {
  person: string
  username?: string | undefined
  description: string
}

/** Reasons for a failed or returned payout. */
export type PayoutReason = keyof (typeof activity)['payouts']

export interface BankAccountText {
  bankName: string
  last4: string
}

export type DisputeStep = NotificationParams['dispute_changed']['step']

/** Reasons for taking back received money. */
export type PaymentReversal = 'refund' | 'chargeback' | 'debit_return'

export type MailTemplate = keyof MailData

/**
 * Minutes for which a mail of each kind is useful: the validity of its longest-lived link or code. Mails state it, and
 * are not sent after it.
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

/** Changes of login or confirmation factors, after which less passes without a confirmation for a while. */
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
