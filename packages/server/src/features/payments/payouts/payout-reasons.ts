import type { PayoutReason } from '../../notifications/notifications.ts'

/** What the providers' words for it mean, also those that their adapters spell out. */
const reasons: Readonly<Record<string, PayoutReason>> = {
  cancelled: 'cancelled',
  rejected: 'rejected',
  expired: 'expired',
  account_closed: 'account_closed',
  account_frozen: 'account_frozen',
  bank_account_restricted: 'account_restricted',
  could_not_process: 'not_processed',
  debit_not_authorized: 'not_authorized',
  declined: 'declined',
  incorrect_account_holder_name: 'holder_name_differs',
  invalid_account_number: 'unknown_account_number',
  invalid_currency: 'wrong_currency',
  no_account: 'account_not_found',
  not_credited: 'not_credited',
  payout_method_amount_limit_exceeded: 'amount_too_large',
  payout_method_closed: 'account_closed',
  payout_method_currency_unsupported: 'wrong_currency',
  payout_method_declined: 'declined',
  payout_method_does_not_exist: 'account_not_found',
  payout_method_holder_name_incorrect: 'holder_name_differs',
  payout_method_invalid_account_number: 'unknown_account_number',
  payout_method_restricted: 'account_restricted',
}

/** Why a payout did not stay, for the person whose money it is. A provider's own words are for operators alone. */
export const payoutReason = (word: string): PayoutReason =>
  (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? 'not_taken'
