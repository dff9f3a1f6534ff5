/** All refusals: stable code, HTTP status, default sentence. */
const table = {
  invalid_request: [422, 'Some fields need another look.'],
  malformed_body: [400, 'The request could not be read.'],
  unsupported_media_type: [415, 'The request must be JSON.'],
  payload_too_large: [413, 'The request is too large.'],
  unauthenticated: [401, 'Please log in.'],
  invalid_credentials: [401, 'Email or password is wrong.'],
  cross_site_request: [403, 'This call is only answered to our own pages.'],
  not_your_account: [403, 'You can act only for your own account.'],
  not_found: [404, 'There is nothing here.'],
  rate_limited: [429, 'Too many requests. Please wait a moment.'],
  too_many_attempts: [429, 'Too many failed attempts. Please wait before you try again.'],
  password_reset_required: [403, 'Please choose a new password. We have mailed you a link.'],
  link_invalid: [410, 'This link has expired or was already used.'],
  link_of_other_browser: [403, 'Please open this link in the browser in which you asked for it.'],
  challenge_invalid: [410, 'Signing in took too long. Please start again.'],
  code_invalid: [422, 'This code is not right.'],
  passkey_invalid: [422, 'This passkey was not accepted.'],
  step_up_required: [403, 'Please confirm that it is you.'],
  step_up_invalid: [410, 'This confirmation has expired. Please start again.'],
  fresh_sign_in_required: [403, 'Please log in again first.'],
  external_sign_in_refused: [403, 'The provider did not sign you in.'],
  account_exists: [409, 'An account with this email already exists. Log in to it first to connect the two.'],
  sign_in_provider_unavailable: [
    503,
    'The sign-in provider is not answering right now. Please use your password, or try again later.',
  ],
  name_is_verified: [409, 'Your name was verified and cannot be changed here.'],
  email_taken: [409, 'An account with this email already exists.'],
  username_taken: [409, 'This username is already taken.'],
  verification_required: [403, 'Please complete identity verification first.'],
  already_verified: [409, 'Your identity is already verified.'],
  verification_running: [409, 'Your identity check is running.'],
  idempotency_key_required: [422, 'The Idempotency-Key header must be a UUID.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was already used for another request.'],
  request_in_progress: [409, 'The same request is still running.'],
  insufficient_funds: [422, 'Insufficient balance. Consider using a card or bank account instead.'],
  limit_exceeded: [422, 'This would exceed one of your limits.'],
  recipient_not_found: [422, 'Please select a valid registered Tern user'],
  recipient_is_sender: [422, 'You cannot send money to yourself'],
  currency_not_held: [422, 'Your wallet does not hold this currency.'],
  amount_too_small: [422, 'The amount is too small to be sent at a fair price.'],
  quote_expired: [409, 'This quote has expired'],
  quote_used: [409, 'This quote has already been used.'],
  quote_mismatch: [422, 'This quote is for another transfer.'],
  payment_source_unavailable: [422, 'This payment method cannot be used for this transfer.'],
  bank_account_needed: [422, 'Please select a bank account or add a new one'],
  payment_method_not_found: [422, 'This card is not saved any more. Please choose another one.'],
  currency_not_supported: [422, 'This currency cannot be moved this way.'],
  payment_refused: [422, 'The payment was not accepted. Please try again or use a different payment method.'],
  payment_not_found: [404, 'There is no payment for this transfer.'],
  payment_failed: [409, 'The payment for this transfer was not made.'],
  not_cancelable: [409, 'This payment cannot be canceled any more.'],
  rates_unavailable: [503, 'Exchange rates are not available right now. Please try again in a moment.'],
  provider_unavailable: [503, 'Our payment provider is not answering right now. Please try again in a moment.'],
  signature_invalid: [400, 'The signature of this event is not valid.'],
  not_ready: [503, 'The service is starting.'],
  service_unavailable: [503, 'The service is briefly unavailable. Please try again in a moment.'],
  internal: [500, 'Something went wrong on our side.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>

export type RefusalCode = keyof typeof table

/** All codes, for documentation and tests. */
export const refusalCodes = Object.keys(table) as RefusalCode[]

/** A refusal's HTTP status. */
export const refusalStatus = (code: RefusalCode): number => table[code][0]

/** A refusal's default sentence. */
export const refusalSentence = (code: RefusalCode): string => table[code][1]

/** An invalid field: its name as sent, and how to correct it. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** Every error's body: RFC 9457 problem details with our code, request id and fields. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: RefusalCode
  readonly requestId: string
  readonly errors?: readonly FieldProblem[]
  /** Extra data to continue, such as a fresh quote. */
  readonly [extension: string]: unknown
}
