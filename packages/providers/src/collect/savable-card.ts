import type { KeptCard } from './port.ts'

// Maximum length of a provider's own texts, such as a brand or a token.
const longest = 255

const isText = (text: string): boolean => text !== '' && text.length <= longest && !text.includes('\0')

/** Reports whether a card's description is valid; an invalid one is not saved, whatever the outcome of its payment. */
export const isSavableCard = ({ token, fingerprint, brand, last4, expMonth, expYear }: KeptCard): boolean =>
  [token, fingerprint, brand].every(isText) &&
  /^[0-9]{4}$/.test(last4) &&
  Number.isInteger(expMonth) && // not money: a month
  expMonth >= 1 &&
  expMonth <= 12 &&
  Number.isInteger(expYear) && // not money: a year
  expYear >= 1970 &&
  expYear <= 9999
