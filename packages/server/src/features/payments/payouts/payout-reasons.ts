const closed = 'The account is closed.'
const nameDiffers = 'The name of the account’s holder does not fit.'
const notFound = 'The bank could not find the account.'
const notAllowed = 'The bank does not allow this payment to the account.'
const turnedDown = 'The bank turned it down.'
const unknownNumber = 'The bank does not know this account number.'
const wrongCurrency = 'The account does not take this currency.'

/** What the providers' codes mean. */
const sentences: Readonly<Record<string, string>> = {
  cancelled: 'You cancelled the withdrawal.',
  rejected: 'We could not approve the withdrawal.',
  expired: 'The withdrawal was not approved in time.',
  account_closed: closed,
  account_frozen: 'The account is frozen.',
  bank_account_restricted: notAllowed,
  could_not_process: 'The bank could not process the payment.',
  debit_not_authorized: 'The account does not allow this payment.',
  declined: turnedDown,
  incorrect_account_holder_name: nameDiffers,
  invalid_account_number: unknownNumber,
  invalid_currency: wrongCurrency,
  no_account: notFound,
  payout_method_amount_limit_exceeded: 'The amount is more than the account takes at once.',
  payout_method_closed: closed,
  payout_method_currency_unsupported: wrongCurrency,
  payout_method_declined: turnedDown,
  payout_method_does_not_exist: notFound,
  payout_method_holder_name_incorrect: nameDiffers,
  payout_method_invalid_account_number: unknownNumber,
  payout_method_restricted: notAllowed,
}

/** Sentences that are fit for people as they come. */
const known: ReadonlySet<string> = new Set([...Object.values(sentences), 'The bank could not credit the account.'])

/** Why a payout did not stay, for the person whose money it is. A provider's own words are for operators alone. */
export function reasonInWords(reason: string): string {
  if (known.has(reason)) return reason
  return (Object.hasOwn(sentences, reason) ? sentences[reason] : undefined) ?? 'The bank did not take the payment.'
}
