/** HTTP status of every refusal, by its stable code. The sentences are in the message catalogue. */
const table = {
  invalid_request: 422,
  malformed_body: 400,
  unsupported_media_type: 415,
  payload_too_large: 413,
  unauthenticated: 401,
  invalid_credentials: 401,
  cross_site_request: 403,
  not_your_account: 403,
  not_found: 404,
  unknown_host: 421,
  rate_limited: 429,
  too_many_attempts: 429,
  password_reset_required: 403,
  link_invalid: 410,
  link_of_other_browser: 403,
  challenge_invalid: 410,
  code_invalid: 422,
  code_used: 422,
  passkey_invalid: 422,
  step_up_required: 403,
  step_up_invalid: 410,
  fresh_sign_in_required: 403,
  external_sign_in_refused: 403,
  account_exists: 409,
  sign_in_provider_unavailable: 503,
  name_is_verified: 409,
  email_taken: 409,
  username_taken: 409,
  verification_required: 403,
  account_frozen: 403,
  loss_open: 403,
  credit_undecided: 403,
  already_verified: 409,
  verification_running: 409,
  file_missing: 422,
  file_empty: 422,
  file_too_large: 413,
  file_type_not_accepted: 415,
  file_not_readable: 422,
  image_too_large: 422,
  pdf_not_accepted: 422,
  too_many_documents: 429,
  idempotency_key_required: 422,
  idempotency_key_reused: 422,
  request_in_progress: 409,
  insufficient_funds: 422,
  money_not_mature: 422,
  limit_exceeded: 422,
  recipient_not_found: 422,
  recipient_is_sender: 422,
  currency_not_held: 422,
  amount_too_small: 422,
  quote_expired: 409,
  quote_used: 409,
  quote_mismatch: 422,
  payment_source_unavailable: 422,
  bank_account_needed: 422,
  bank_account_unavailable: 409,
  payment_method_not_found: 422,
  currency_not_supported: 422,
  payment_refused: 422,
  payment_not_found: 404,
  payment_failed: 409,
  not_cancelable: 409,
  transfer_not_held: 409,
  not_confirmable_yet: 409,
  price_moved: 409,
  warning_open: 409,
  not_trackable: 409,
  nothing_asked: 409,
  objection_not_possible: 409,
  dispute_open: 409,
  dispute_not_possible: 409,
  dispute_too_late: 409,
  dispute_not_yet: 409,
  dispute_closed: 409,
  dispute_no_objection: 409,
  dispute_undecided: 409,
  dispute_no_credit_due: 409,
  schedule_not_active: 409,
  schedule_changed: 409,
  schedule_date_passed: 409,
  too_many_schedules: 422,
  too_many_favorites: 422,
  too_many_places: 422,
  place_unknown: 422,
  order_filled: 409,
  order_not_open: 409,
  too_many_orders: 422,
  too_many_protection_rules: 422,
  too_many_rate_alerts: 422,
  link_changed: 410,
  request_closed: 409,
  request_not_expired: 409,
  price_changed: 409,
  payee_not_confirmed: 409,
  desk_not_permitted: 403,
  desk_item_closed: 409,
  desk_decided_already: 409,
  desk_lead_needed: 403,
  desk_taken: 409,
  desk_involved: 403,
  desk_not_carried_out: 409,
  desk_last_lead: 409,
  desk_call_open: 409,
  request_not_for_you: 403,
  parts_not_allowed: 422,
  reminder_too_soon: 409,
  document_changed: 409,
  correction_open: 409,
  account_not_empty: 409,
  statement_too_long: 422,
  rates_unavailable: 503,
  liquidity_unavailable: 503,
  provider_unavailable: 503,
  signature_invalid: 400,
  not_ready: 503,
  service_unavailable: 503,
  internal: 500,
} as const satisfies Record<string, number>

export type RefusalCode = keyof typeof table

export const refusalCodes = Object.keys(table) as RefusalCode[]

export const refusalStatus = (code: RefusalCode): number => table[code]

/** Parameters of a refusal's sentence. */
export type ProblemParams = Readonly<Record<string, string | number>>

/** Invalid field: its name as sent, an error code, and a sentence on how to correct it. */
export interface FieldProblem {
  readonly field: string
  readonly code: string
  readonly params?: ProblemParams
  readonly message: string
}

/** Body of every error response: RFC 9457 problem details with our code, request id and fields. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: RefusalCode
  /** More specific reason code, if there is one. */
  readonly reason?: string
  readonly params?: ProblemParams
  readonly requestId: string
  readonly errors?: readonly FieldProblem[]
  /** Data for a retry, such as a new quote. */
  readonly [extension: string]: unknown
}
