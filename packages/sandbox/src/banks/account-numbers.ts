// Account numbers with valid check digits that belong to no bank.

import { createHash } from 'node:crypto'

/** Derives fourteen digits from a text, always the same ones. */
export const deriveDigits = (text: string): string =>
  Array.from(createHash('sha256').update(text).digest(), (byte) => String(byte % 10))
    .join('')
    .slice(0, 14)

/** Returns the first eight digits with the check digit of the American Bankers Association. */
export function buildRoutingNumber(digits: string): string {
  const first = digits.slice(0, 8)
  const weights = [3, 7, 1, 3, 7, 1, 3, 7]
  const sum = weights.reduce((total, weight, index) => total + weight * Number(first[index]), 0) // not money: digits
  return `${first}${(10 - (sum % 10)) % 10}`
}

/** Returns an IBAN with its check digits (ISO 7064, MOD 97-10). */
export function buildIban(country: string, bban: string): string {
  const letters = Array.from(country, (letter) => String(letter.charCodeAt(0) - 55)).join('')
  const check = 98n - (BigInt(`${bban}${letters}00`) % 97n)
  return `${country}${String(check).padStart(2, '0')}${bban}`
}
