import { amountInWords } from '../formats.ts'
import { language } from './language.ts'

/** What a person reads when the product says no, by the code of the refusal. */
export const refusals = {
  invalid_request: 'Some fields need another look.',
  malformed_body: 'The request could not be read.',
  unsupported_media_type: 'The request must be JSON.',
  payload_too_large: 'The request is too large.',
  unauthenticated: 'Please log in.',
  invalid_credentials: 'Email or password is wrong.',
  cross_site_request: 'This call is only answered to our own pages.',
  not_your_account: 'You can act only for your own account.',
  not_found: 'There is nothing here.',
  unknown_host: 'This address does not belong to this service.',
  rate_limited: 'Too many requests. Please wait a moment.',
  too_many_attempts: 'Too many failed attempts. Please wait before you try again.',
  password_reset_required: 'Please choose a new password. We have mailed you a link.',
  link_invalid: 'This link has expired or was already used.',
  link_of_other_browser: 'Please open this link in the browser in which you asked for it.',
  challenge_invalid: 'Signing in took too long. Please start again.',
  code_invalid: 'This code is not right.',
  passkey_invalid: 'This passkey was not accepted.',
  step_up_required: 'Please confirm that it is you.',
  step_up_invalid: 'This confirmation has expired. Please start again.',
  fresh_sign_in_required: 'Please log in again first.',
  external_sign_in_refused: 'The provider did not sign you in.',
  account_exists: 'An account with this email already exists. Log in to it first to connect the two.',
  sign_in_provider_unavailable:
    'The sign-in provider is not answering right now. Please use your password, or try again later.',
  name_is_verified: 'Your name was verified and cannot be changed here.',
  email_taken: 'An account with this email already exists.',
  username_taken: 'This username is already taken.',
  verification_required: 'Please complete identity verification first.',
  already_verified: 'Your identity is already verified.',
  verification_running: 'Your identity check is running.',
  idempotency_key_required: 'The Idempotency-Key header must be a UUID.',
  idempotency_key_reused: 'This Idempotency-Key was already used for another request.',
  request_in_progress: 'The same request is still running.',
  insufficient_funds: 'Insufficient balance. Consider using a card or bank account instead.',
  limit_exceeded: 'This would exceed one of your limits.',
  recipient_not_found: 'Please select a valid registered Tern user',
  recipient_is_sender: 'You cannot send money to yourself',
  currency_not_held: 'Your wallet does not hold this currency.',
  amount_too_small: 'The amount is too small to be sent at a fair price.',
  quote_expired: 'This quote has expired',
  quote_used: 'This quote has already been used.',
  quote_mismatch: 'This quote is for another transfer.',
  payment_source_unavailable: 'This payment method cannot be used for this transfer.',
  bank_account_needed: 'Please select a bank account or add a new one',
  payment_method_not_found: 'This card is not saved any more. Please choose another one.',
  currency_not_supported: 'This currency cannot be moved this way.',
  payment_refused: 'The payment was not accepted. Please try again or use a different payment method.',
  payment_not_found: 'There is no payment for this transfer.',
  payment_failed: 'The payment for this transfer was not made.',
  not_cancelable: 'This payment cannot be canceled any more.',
  transfer_not_held: 'This transfer is not waiting for a decision of yours.',
  rates_unavailable: 'Exchange rates are not available right now. Please try again in a moment.',
  provider_unavailable: 'Our payment provider is not answering right now. Please try again in a moment.',
  signature_invalid: 'The signature of this event is not valid.',
  not_ready: 'The service is starting or stopping.',
  service_unavailable: 'The service is briefly unavailable. Please try again in a moment.',
  internal: 'Something went wrong on our side.',
} as const

const usd = (decimal: string) => amountInWords(language, decimal, 'USD')

/** What limits are about, by the direction or the method of a payment. */
const limited: Readonly<Record<string, string>> = {
  out: 'money that leaves',
  in: 'money from cards and banks',
  transfer: 'sending',
  exchange: 'exchanging into cryptocurrency',
  payout: 'withdrawals',
  card: 'card payments',
  bank: 'bank payments',
}

/** A day's limits and those of thirty days; people may have set one themselves. */
const limits: Readonly<Record<string, string>> = {
  day: 'daily limit',
  own_day: 'own daily limit',
  month: '30-day limit',
  own_month: 'own 30-day limit',
}
const isOfDay = (limit: string) => limit.endsWith('day')

/** What is said in place of a refusal's own sentence when more is known, by the code of the reason. */
export const reasons = {
  starting: 'The service is starting.',
  stopping: 'The service is stopping.',
  database_unavailable: 'The database does not answer.',
  schema_unusable: 'The tables of the database cannot be read.',
  rates_unknown: 'Exchange rates are not known.',
  key_not_a_uuid: 'Must be a UUID, made anew for each intended movement',
  sign_in_expired: 'This sign-in took too long or was begun in another browser. Please start again.',
  sign_in_used: 'This sign-in was already used. Please start again.',
  email_not_told: 'The provider did not tell us your email address, and an account needs one.',
  log_in_to_account: 'An account with this email already exists. Log in to it.',
  email_in_use: 'An account with this email already exists',
  username_in_use: 'This username is already taken',
  password_is_name: 'Choose a password that is not your email or username',
  password_easy_to_guess: 'This password is easy to guess. Choose another one',
  password_wrong: 'This password is not right.',
  not_our_page: 'This is not one of our pages',
  too_much_metadata: ({ max, kilobytes }: { max: number; kilobytes: number }) =>
    `Keep at most ${max} values, ${kilobytes} KB in all`,
  list_not_by_date: 'Only a list in order of date can begin at a date',
  cursor_and_date: 'A cursor already says where the page begins',
  cursor_of_another_order: 'This cursor is of a list in another order',
  quote_not_found: 'This quote does not exist.',
  amount_too_large: 'The amount is too large',
  too_many_decimals: ({ currency, max }: { currency: string; max: number }) =>
    `${currency} amounts have at most ${max} decimals`,
  recipient_currency: ({ currency }: { currency: string }) => `This person receives ${currency}.`,
  recipient_not_registered: 'Please select a valid registered Tern user',
  quote_needed: ({ currency }: { currency: string }) =>
    `Your wallet is kept in ${currency}. Please look at the price of converting first.`,
  account_currency: ({ currency }: { currency: string }) => `This bank account is kept in ${currency}.`,
  wallet_currency: ({ currency }: { currency: string }) => `Your wallet pays out ${currency}.`,
  account_takes_currency: ({ accepted, currency }: { accepted: string; currency: string }) =>
    `This bank account takes ${accepted}, not ${currency}.`,
  balance_too_low: ({ balance, currency }: { balance: string; currency: string }) =>
    `Insufficient funds. Your balance is ${amountInWords(language, balance, currency)}`,
  limit_is_nothing: ({ what }: { what: string }) => `Your limit for ${limited[what]} is ${usd('0.00')} at present.`,
  limit_of_one_payment: ({ max }: { max: string }) => `One payment can be worth at most ${usd(max)}.`,
  limit_of_number: ({ what, limit, max }: { what: string; limit: string; max: number }) =>
    `This would exceed your ${limits[limit]} of ${max} payments for ${limited[what]}. None is left${isOfDay(limit) ? ' today' : ''}.`,
  limit_of_amount: ({ what, limit, max, left }: { what: string; limit: string; max: string; left: string }) =>
    `This would exceed your ${limits[limit]} of ${usd(max)} for ${limited[what]}. ${usd(left)} is left${isOfDay(limit) ? ' today' : ''}.`,
  too_many_bank_accounts: ({ max }: { max: number }) => `You have ${max} bank accounts. Please remove one first.`,
  too_many_open_conversions:
    'You have several payments into another currency under way. Please finish or cancel one of them first.',
  money_not_known_yet: ({ line }: { line: string }) => `${line} is about money that is not known here yet.`,
  payment_unanswered:
    'Our payment provider has not said yet whether it made this payment. We do not ask for it again; should it be charged all the same, the money comes to your wallet.',
  payment_canceled: 'The payment was canceled.',
  payment_canceled_unanswered:
    'The payment was canceled. Should it be charged all the same, the money comes to your wallet.',
  payment_expired: 'The time for this payment has run out.',
  payment_declined: 'The bank declined the payment.',
  payment_insufficient_funds: 'The bank says that there is not enough money for this payment.',
  payment_not_made: 'The payment failed.',
  payment_not_accepted: 'The payment was not accepted. Please try again or use a different payment method.',
  payment_late: 'The payment came too late for this transfer. The money is in your wallet.',
} as const
