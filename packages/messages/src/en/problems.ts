import { amountInWords, dayInWords } from '../formats.ts'
import { plural } from '../plural.ts'
import { language } from './language.ts'

const counted = plural('en')

type Wait = { seconds: number; minutes: number }

const wait = ({ seconds, minutes }: Wait) =>
  seconds < 90
    ? counted(seconds, { one: '1 second', other: `${seconds} seconds` })
    : counted(minutes, { one: '1 minute', other: `${minutes} minutes` })

/** Refusals, by code. */
export const refusals = {
  invalid_request: 'Please check the marked fields.',
  malformed_body: "We couldn't read this request.",
  unsupported_media_type: 'The request must be JSON.',
  payload_too_large: 'The request is too large.',
  unauthenticated: 'Please log in.',
  invalid_credentials: 'That email or password is incorrect.',
  cross_site_request: 'This call only works from our own pages.',
  not_your_account: 'You can only do this for your own account.',
  not_found: "We couldn't find this.",
  unknown_host: "This address doesn't belong to this service.",
  rate_limited: 'Too many requests. Please wait a moment.',
  statement_too_long: 'This period has too many lines for a PDF. Choose CSV or a shorter period.',
  too_many_attempts: 'Too many failed attempts. Please wait, then try again.',
  password_reset_required: "Please choose a new password. We've emailed you a link.",
  link_invalid: 'This link has expired or was already used.',
  link_of_other_browser: 'Please open this link in the same browser where you requested it.',
  challenge_invalid: 'Login took too long. Please start again.',
  code_invalid: "That code isn't right.",
  code_used: 'That code was already used.',
  passkey_invalid: "That passkey wasn't accepted.",
  step_up_required: "Please confirm it's you.",
  step_up_invalid: 'This confirmation has expired. Please start again.',
  fresh_sign_in_required: 'Please log in again first.',
  external_sign_in_refused: "The provider didn't log you in.",
  account_exists: 'An account with this email already exists. Log in to it first to connect the two.',
  sign_in_provider_unavailable:
    "The login provider isn't responding right now. Please use your password, or try again later.",
  name_is_verified: "Your name is verified, so it can't be changed here.",
  email_taken: 'An account with this email already exists.',
  username_taken: 'This username is already taken.',
  verification_required: 'Please complete identity verification first.',
  account_frozen: 'You froze your account, so no money can leave it. Unfreeze it in Settings.',
  credit_undecided:
    "This would spend credit from a dispute that isn't decided yet. Until it is, you can send that credit to people you've paid before, exchange it, or send less.",
  loss_open:
    'A payment you had already spent was reversed. Nothing can leave your wallet until you repay the amount in Settings.',
  already_verified: 'Your identity is already verified.',
  verification_running: 'Your identity check is already under way.',
  file_missing: 'Choose a file to upload.',
  file_empty: 'This file is empty. Please choose another one.',
  file_too_large: 'This file is larger than 10 MB. Please choose a smaller one.',
  file_type_not_accepted: 'Please upload a photo (JPEG, PNG or WebP) or a PDF.',
  file_not_readable: "We couldn't open this file. It may be damaged. Please take the photo again.",
  image_too_large: 'This picture has too many pixels. Please upload a smaller one.',
  pdf_not_accepted: "We can't accept this PDF. Please upload a photo of the document.",
  too_many_documents: 'You uploaded 20 files within a day. Please try again tomorrow.',
  idempotency_key_required: 'The Idempotency-Key header must be a UUID.',
  idempotency_key_reused: 'This Idempotency-Key was already used for another request.',
  request_in_progress: 'The same request is still being processed.',
  insufficient_funds: 'Insufficient balance. Consider using a card or bank account instead.',
  money_not_mature: "This money can't be withdrawn yet.",
  limit_exceeded: 'This would exceed one of your limits.',
  recipient_not_found: 'Please select a valid registered Tern user',
  recipient_is_sender: 'You cannot send money to yourself',
  currency_not_held: "Your wallet doesn't hold this currency.",
  amount_too_small: 'The amount is too small to be sent at a fair price.',
  quote_expired: 'This quote has expired',
  quote_used: 'This quote has already been used.',
  quote_mismatch: 'This quote is for another transfer.',
  payment_source_unavailable: "This payment method can't be used for this transfer.",
  bank_account_needed: 'Please select a bank account or add a new one',
  bank_account_unavailable: "This bank account can't be used right now. Please choose another one, or pay by card.",
  payment_method_not_found: 'This card is no longer saved. Please choose another one.',
  currency_not_supported: "This currency can't be used here.",
  payment_refused: 'The payment was not accepted. Please try again or use a different payment method.',
  payment_not_found: 'There is no payment for this transfer.',
  payment_failed: 'The payment for this transfer was not made.',
  not_cancelable: 'This payment can no longer be canceled.',
  transfer_not_held: "This transfer isn't waiting for your confirmation.",
  not_confirmable_yet: "It's too early to confirm this payment.",
  warning_open: 'Please read our warning about this payment first, and confirm that you still want to send it.',
  price_moved: 'Exchange rates have moved too far. Cancel this payment, and send it again at the new rate.',
  schedule_not_active: "This scheduled send is paused or has ended, so it can't be changed this way.",
  schedule_changed: 'This scheduled send has changed in the meantime. Please check it again.',
  schedule_date_passed: 'The date of this send has passed. Choose a new date instead.',
  too_many_schedules: 'You have 100 scheduled sends. Please stop one first.',
  too_many_favorites: 'You have 24 favorites. Remove one first.',
  too_many_places: "You've reached the limit of trusted places. Remove one first.",
  place_unknown: "We can't tell which network you're on.",
  order_filled: 'This order was filled before your change.',
  order_not_open: 'This order has ended.',
  too_many_orders: 'You have 50 open orders. Cancel one first.',
  too_many_protection_rules: 'You have 20 protection rules. Remove one first.',
  too_many_rate_alerts: 'You have 50 open rate alerts. Remove one first.',
  link_changed: "This isn't the link that was made in Tern. Don't pay with it.",
  request_closed: 'This request can no longer be paid.',
  nothing_asked: "We don't need anything from you right now.",
  objection_not_possible: "You can't object to this right now.",
  not_trackable: "This transfer can't be shared: it isn't final yet, or it wasn't made.",
  dispute_open: "You've already told us that something is wrong with this payment.",
  dispute_not_possible: "This kind of dispute isn't possible for this transaction.",
  dispute_too_late: 'The deadline for this has passed.',
  dispute_not_yet: "This transaction isn't complete yet. Cancel it, or wait until it is.",
  dispute_closed: 'This has already been decided.',
  dispute_no_objection: "You can't object to this, or the deadline has passed.",
  dispute_undecided: 'The payment itself is still pending.',
  dispute_no_credit_due: 'No credit is pending here, so there is nothing to give or to stop.',
  desk_not_permitted: "Your role doesn't allow this.",
  desk_item_closed: 'This was closed in the meantime. Nothing was recorded.',
  desk_decided_already: 'You have already decided this. Another operator has to decide now.',
  desk_lead_needed: 'A lead has to decide about this now.',
  desk_taken: 'Another operator has taken this.',
  desk_involved:
    'You were involved in this before, or it concerns an account of your own. Someone else has to handle it.',
  desk_not_carried_out: "This was decided, but it couldn't be carried out. It's open again.",
  desk_last_lead: 'This is the last lead. Make another operator a lead first.',
  desk_call_open: 'There is an open call already: yours, or another to this customer. End it first.',
  payee_not_confirmed:
    "The name on this bank account isn't exactly yours, as far as the bank says. Check the account, then confirm.",
  price_changed: 'The price has changed. Check the new one, then pay.',
  request_not_expired: 'This request has not expired.',
  request_not_for_you: 'This request is for someone else.',
  parts_not_allowed: 'This request has to be paid in full.',
  reminder_too_soon: 'You can send a reminder once every three days.',
  document_changed: 'This document has changed. Read the new version first.',
  correction_open: "You've already asked for this to be corrected. We're looking at it.",
  account_not_empty: "Your account can't be deleted yet: it still has money in it, or something is still open.",
  rates_unavailable: "Exchange rates aren't available right now. Please try again in a moment.",
  liquidity_unavailable:
    "We can't convert this much right now. Nothing was taken from your balance. Try a smaller amount, or try again later.",
  provider_unavailable: "One of our partners isn't responding right now. Please try again in a moment.",
  signature_invalid: "This event's signature isn't valid.",
  not_ready: 'The service is starting or stopping.',
  service_unavailable: 'The service is briefly unavailable. Please try again in a moment.',
  internal: 'Something went wrong on our side.',
} as const

/** Prefixes a sentence with the name of its field, for sentences that do not name it. */
export const ofField = ({ field, sentence }: { field: string; sentence: string }): string => `${field}: ${sentence}`

const usd = (decimal: string) => amountInWords(language, decimal, 'USD')

/**
 * Formats a limit in the user's currency. Limits are stored in US dollars, so amounts in other currencies are
 * approximate.
 */
const stated = (decimal: string, currency: string) =>
  currency === 'USD' ? usd(decimal) : `about ${amountInWords(language, decimal, currency)}`
const capitalize = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** Subject of a limit, by payment direction or method. */
const limited: Readonly<Record<string, string>> = {
  out: 'outgoing money',
  in: 'money from cards and banks',
  transfer: 'sending',
  exchange: 'exchanging into cryptocurrency',
  payout: 'withdrawals',
  card: 'card payments',
  bank: 'bank payments',
}

/** Payments that a limit counts, by direction or method. */
const counts: Readonly<Record<string, string>> = {
  out: 'outgoing payments',
  in: 'payments from cards and banks',
  transfer: 'sends',
  exchange: 'exchanges into cryptocurrency',
  payout: 'withdrawals',
  card: 'card payments',
  bank: 'bank payments',
}

/** Names of limits by period; users set `own` limits themselves. */
const limits: Readonly<Record<string, string>> = {
  day: 'daily limit',
  own_day: 'own daily limit',
  month: '30-day limit',
  own_month: 'own 30-day limit',
}
const isOfDay = (limit: string) => limit.endsWith('day')

type LimitOfAmount = { what: string; limit: string; max: string; left: string; currency: string }

/** More specific texts for a refusal, by reason code. */
export const reasons = {
  name_case_is_open: 'This person has an open list match. Decide that case first.',
  lists_not_current: 'The lists that names are compared with are missing or too old. Import them, then decide again.',
  number_is_anothers:
    'Another person is verified with this number. Assign it to this person, or ask for another number.',
  case_names_no_payment: 'This names no payment or payout, so it can only be closed.',
  file_is_kept:
    'You were verified with this file, so the law requires us to keep it. You can upload a new one as well.',
  pdf_encrypted: 'This PDF is protected by a password. Please upload one without, or a photo.',
  pdf_active: "We don't accept PDFs with scripts, attached files or actions. Please upload a photo of the document.",
  pdf_too_complex: "We can't check this PDF, because it is too complex. Please upload a photo of the document.",
  starting: 'The service is starting.',
  stopping: 'The service is stopping.',
  database_unavailable: "The database isn't responding.",
  schema_unusable: "The database's tables can't be read.",
  payee_not_known:
    "Your bank hasn't answered whether this account is in your name. Nothing was taken from your balance. Please try again in a moment.",
  rates_unknown: "Exchange rates aren't known.",
  jobs_stuck: "Background jobs aren't being started.",
  rate_too_old: ({ currency }: { currency: string }) =>
    `The latest rate for ${currency} is too old to use. Nothing was taken from your balance.`,
  key_not_a_uuid: 'Must be a UUID, a new one for each payment',
  sign_in_expired: 'This login took too long or was started in another browser. Please start again.',
  wait_for_next_code: 'That code was already used. Please wait for the next one in your app.',
  use_other_recovery_code: 'That recovery code was already used. Please use another one.',
  ask_for_new_code: 'That code was already used. Please ask for a new one.',
  passkey_counted_back:
    'This passkey may have been copied, so it was refused. Log in another way, remove it in Settings, and add a new one.',
  sign_in_used: 'This login was already used. Please start again.',
  email_not_told: "The provider didn't share your email address, and an account needs one.",
  log_in_to_account: 'An account with this email already exists. Log in to it.',
  email_in_use: 'An account with this email already exists',
  username_in_use: 'This username is already taken',
  bank_link_of_other_browser:
    "The bank's page was completed in another browser or after another login. No account was linked. Please start again here.",
  people_need_verification: 'Verify your identity first. Then you can find people and send them money.',
  username_is_number: "Use at least one letter, so your username can't be mistaken for an account number",
  username_reserved: 'This username is reserved. Choose another one',
  username_like_another: 'This username is too similar to one that is taken. Choose another one',
  username_kept: "Someone gave up this username less than a year ago, and it's kept for them. Choose another one",
  wait_after_failures: (until: Wait) => `Too many failed attempts. You can try again in ${wait(until)}.`,
  other_ways_to_log_in: (until: Wait) =>
    `Too many failed attempts. You can try again in ${wait(until)}. A browser you have logged in with before, a passkey or an emailed login link works now.`,
  logins_of_network: 'Many logins from your network are being checked right now. Please try again in a few seconds.',
  logins_of_all: 'Many people are logging in right now. Please try again in a few seconds.',
  files_of_yours: 'Several of your files are still being processed. Please try again in a few seconds.',
  password_is_name: "Choose a password that isn't your email or username",
  password_of_context: "Choose a password that isn't made of your name, our name or words like “wallet”",
  password_easy_to_guess: 'This password is easy to guess. Choose another one',
  password_wrong: "That password isn't right.",
  not_our_page: "This isn't one of our pages",
  too_much_metadata: ({ max, kilobytes }: { max: number; kilobytes: number }) =>
    `Keep at most ${max} values, ${kilobytes} KB in all`,
  list_not_by_date: 'Only a list sorted by date can start at a date',
  cursor_and_date: 'A cursor already says where the page starts',
  cursor_of_another_order: 'This cursor is from a list in another order',
  quote_not_found: "This quote doesn't exist.",
  request_paid: 'This request is paid.',
  request_expired: 'This request has expired.',
  request_cancelled: 'This request was canceled.',
  request_declined: 'This request was declined.',
  request_processing: 'Someone is paying this request right now.',
  person_twice: 'This person is already in the split',
  part_of_shares: ({ amount }: { amount: string }) => `With these shares, this part is ${amount}`,
  parts_sum: ({ sum, total }: { sum: string; total: string }) => `The parts add up to ${sum}, not to ${total}`,
  too_many_open_requests: ({ max }: { max: number }) =>
    `You can have ${max} open requests at most. Cancel one you no longer need.`,
  more_than_is_left: ({ left }: { left: string }) => `Only ${left} is left to pay.`,
  day_has_passed: 'Choose a later day',
  day_after_expiry: 'The request expires before that day',
  amount_too_large: 'The amount is too large',
  same_currency_twice: 'Choose two different currencies',
  rate_currency_of_pair: 'Give the rate for one unit of either currency',
  worst_rate_of_stop: 'Only a stop order has a worst rate of its own',
  worst_rate_better: 'The worst rate can’t be better than the rate of the order',
  expiry_not_ahead: 'Choose a later time',
  expiry_too_far: 'Choose a time within a year',
  share_of_other_kind: 'Only a rule that keeps a share has a percentage',
  threshold_of_other_kind: 'Only a rule for incoming money has a threshold',
  base_currency_kept: 'Choose a currency other than your main currency',
  order_needs: ({ needed, available }: { needed: string; available: string }) =>
    `This order needs ${needed}; ${available} is available.`,
  invalid_time_zone: 'The time zone must have a name such as Europe/Paris',
  period_missing: 'Choose a period, or its first and last day',
  period_reversed: 'Choose a last day that is not before the first',
  period_too_long: ({ years }: { years: number }) => `Choose a period of at most ${years} years`,
  period_not_begun: 'Choose a period that has begun',
  date_not_ahead: 'Choose a date after today',
  date_too_far: 'Choose a date within two years',
  date_after_last: 'Choose a date before the last one',
  rate_guard_not_needed: 'A rate guard needs a fixed amount that arrives in another currency',
  too_many_decimals: ({ currency, max }: { currency: string; max: number }) =>
    `${currency} amounts have at most ${max} decimals`,
  minimum_not_needed: 'Only a bank payment that arrives in another currency can have a minimum',
  minimum_above_estimate: ({ estimate }: { estimate: string }) =>
    `The minimum can't be higher than what would arrive now, ${estimate}.`,
  smallest_fee: ({ least }: { least: string }) =>
    `Today's free small payments are used up, and the smallest fee would be more than 3% of this amount. Please send at least ${least}.`,
  recipient_currency: ({ currency }: { currency: string }) => `This person receives ${currency}.`,
  recipient_not_registered: 'Please select a valid registered Tern user',
  quote_needed: ({ currency }: { currency: string }) =>
    `Your wallet is in ${currency}. Please check the price of the conversion first.`,
  bank_pays_one_currency:
    'A bank account can only pay a request in your own currency: the transfer takes days, and the rate changes meanwhile.',
  account_currency: ({ currency }: { currency: string }) => `This bank account is in ${currency}.`,
  wallet_currency: ({ currency }: { currency: string }) => `You can withdraw ${currency} from this wallet.`,
  account_takes_currency: ({ accepted, currency }: { accepted: string; currency: string }) =>
    `This bank account accepts ${accepted}, not ${currency}.`,
  balance_too_low: ({ balance, currency }: { balance: string; currency: string }) =>
    `Insufficient funds. Your balance is ${amountInWords(language, balance, currency)}`,
  limit_is_nothing: ({ what, currency }: { what: string; currency: string }) =>
    `Your limit for ${limited[what]} is currently ${amountInWords(language, '0', currency)}.`,
  limit_of_one_payment: ({ max, currency }: { max: string; currency: string }) =>
    `One payment can be worth at most ${stated(max, currency)}.`,
  limit_of_number: ({ what, limit, max }: { what: string; limit: string; max: number }) =>
    `This would exceed your ${limits[limit]} for the number of ${counts[what]}, which is ${max}. You have none left${isOfDay(limit) ? ' today' : ''}.`,
  limit_of_amount: ({ what, limit, max, left, currency }: LimitOfAmount) =>
    `This would exceed your ${limits[limit]} of ${stated(max, currency)} for ${limited[what]}. ${capitalize(stated(left, currency))} is left${isOfDay(limit) ? ' today' : ''}.`,
  too_many_dispute_files: ({ max }: { max: number }) => `A dispute can have up to ${max} files.`,
  too_many_bank_accounts: ({ max }: { max: number }) => `You have ${max} bank accounts. Please remove one first.`,
  guest_payment_limit: `Without an account you can pay up to ${usd('150.00')} at once. Sign up to pay more.`,
  guest_month_limit: `Without an account you can pay up to ${usd('300.00')} in 30 days. Sign up to pay more.`,
  too_many_guests: 'Many people are paying this request right now. Try again in a few minutes.',
  too_many_open_conversions:
    'You have several payments in another currency under way. Please finish or cancel one first.',
  limit_of_one_price: ({ max }: { max: string }) => `We can hold a price for payments of up to ${usd(max)}.`,
  too_much_locked: ({ max }: { max: string }) =>
    `We can hold prices for up to ${usd(max)} in total. Finish the payments you have started, or try again in a few minutes.`,
  money_not_known_yet: ({ line }: { line: string }) => `${line} is about money that is not known here yet.`,
  payment_unanswered:
    "Our payment partner hasn't confirmed this payment yet. We won't charge you again. If it goes through after all, the money is added to your wallet.",
  payment_canceled: 'The payment was canceled.',
  payment_canceled_unanswered:
    'The payment was canceled. If it goes through after all, the money is added to your wallet.',
  payment_expired: 'This payment took too long and has expired.',
  payment_declined: 'The bank declined the payment.',
  loss_is_open: ({ amount }: { amount: string }) =>
    `A payment you had already spent was reversed, and you owe ${amount}. Nothing can leave your wallet until you repay it in Settings, under Amount owed.`,
  loss_not_payable_now: "This can't be paid right now. Nothing was taken from your wallet.",
  missing_amount_changed: 'The amount owed has changed. Check it, then pay.',
  withdrawal_cost_changed: 'The withdrawal fee has changed. Check it, then withdraw.',
  card_money_not_mature: ({ available, day }: { available: string; day: string }) =>
    `Money added by card or from a bank has to wait before it can be withdrawn, even if someone else added it and sent it to you. You can withdraw ${available} now, and everything from ${dayInWords(language, day)}.`,
  credit_not_mature: ({ available }: { available: string }) =>
    `Part of your balance is credit for a dispute and can't be withdrawn until that is decided. You can withdraw ${available} now.`,
  bank_account_to_link_again:
    'Please link this bank account again before you use it, so its bank can confirm who owns it.',
  payment_insufficient_funds: "Your bank says there isn't enough money for this payment.",
  payment_not_made: 'The payment failed.',
  payment_not_accepted: 'The payment was not accepted. Please try again or use a different payment method.',
  payment_late: 'The payment arrived too late for this transfer. The money is in your wallet.',
  payment_in_check:
    'The money from your bank is being checked, so the transfer was not made. It will be in your wallet once it is cleared.',
  payment_price_moved:
    'The exchange rate changed before the payment arrived, so the transfer was not made. The money is in your wallet.',
  payment_below_minimum:
    'When the payment arrived, the recipient would have got less than your minimum, so the transfer was not made. The money is in your wallet.',
  payment_account_stopped:
    'When the payment arrived, your account was frozen or you owed us money, so the transfer was not made. The money is in your wallet.',
} as const
