import type { KeptCard } from './port.ts'

// Maximum length of a provider's own texts, such as a brand or a token.
const maxTextLength = 255

const isText = (text: string): boolean => text !== '' && text.length <= maxTextLength && !text.includes('\0')

/**
 * Returns whether a card's details can be stored. A card with invalid details is not saved; its payment is unaffected.
 */
export const isSavableCard = ({ token, fingerprint, brand, last4, expMonth, expYear }: KeptCard): boolean =>
  [token, fingerprint, brand].every(isText) &&
  /^[0-9]{4}$/.test(last4) &&
  Number.isInteger(expMonth) && // not money: a month
  expMonth >= 1 &&
  expMonth <= 12 &&
  Number.isInteger(expYear) && // not money: a year
  expYear >= 1970 &&
  expYear <= 9999
