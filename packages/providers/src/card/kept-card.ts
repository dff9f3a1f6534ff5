import type { KeptCard } from './port.ts'

// What a provider says of itself, such as a brand or a token, is no longer than that.
const longest = 255

const isText = (text: string): boolean => text !== '' && text.length <= longest && !text.includes('\0')

/** Whether a card is described as cards are; one that is not cannot be kept, whatever became of its payment. */
export const isKeepable = ({ token, fingerprint, brand, last4, expMonth, expYear }: KeptCard): boolean =>
  [token, fingerprint, brand].every(isText) &&
  /^[0-9]{4}$/.test(last4) &&
  Number.isInteger(expMonth) && // not money: a month
  expMonth >= 1 &&
  expMonth <= 12 &&
  Number.isInteger(expYear) && // not money: a year
  expYear >= 1970 &&
  expYear <= 9999
