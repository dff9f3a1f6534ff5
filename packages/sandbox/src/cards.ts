import type { Fields } from './fields.ts'

export type CardOutcome = 'approved' | 'declined' | 'insufficient_funds'

/** A number that stands for one way a payment can go. */
export interface TestCard {
  number: string
  outcome: CardOutcome
  /** What happens, in a few words. */
  effect: string
}

export const testCards: readonly TestCard[] = [
  { number: '4242424242424242', outcome: 'approved', effect: 'The payment goes through' },
  { number: '4000000000000002', outcome: 'declined', effect: 'The bank declines' },
  { number: '4000000000009995', outcome: 'insufficient_funds', effect: 'Not enough money on the card' },
]

/** What the payer reads after an attempt that took no money. */
export const declineMessages: Record<Exclude<CardOutcome, 'approved'>, string> = {
  declined: 'Your card was declined. No money was taken. Try another card.',
  insufficient_funds: 'Your card does not have enough money on it. No money was taken. Try another card.',
}

/** `4242424242424242` as it is printed on a card. */
export const groupDigits = (number: string): string => number.replace(/\d{4}(?=\d)/g, '$& ')

/** The check digit of ISO/IEC 7812: catches a mistyped digit and most swapped neighbours. */
export function passesLuhn(digits: string): boolean {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, character, index) => {
      const digit = Number.parseInt(character, 10) * (index % 2 === 1 ? 2 : 1)
      return total + (digit > 9 ? digit - 9 : digit)
    }, 0)
  return sum % 10 === 0
}

/** The first moment at which a card marked `MM/YY` or `MM/YYYY` is no longer good, in UTC; undefined when it is no such text. */
function readExpiry(text: string): Date | undefined {
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\/?(\d{2}|20\d{2})$/.exec(text.replaceAll(/\s/g, '')) ?? []
  if (!month) return undefined
  return new Date(Date.UTC(2000 + (Number.parseInt(year, 10) % 100), Number.parseInt(month, 10), 1))
}

/** Reads card number, expiry and security code, noting what is wrong in `fields`; gives the test card when all is well. */
export function readCard(fields: Fields, now: Date): TestCard | undefined {
  const number = fields.text('card_number', { max: 40, optional: true }).replaceAll(/[\s-]/g, '')
  const card = testCards.find((known) => known.number === number)
  if (!number) fields.wrong('card_number', 'Enter the card number.')
  else if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
    fields.wrong('card_number', 'This is not a card number. Check the digits.')
  } else if (!card) fields.wrong('card_number', 'Only test cards work here. Choose one from the list.')

  const expiry = fields.text('expiry', { max: 12, optional: true })
  const end = readExpiry(expiry)
  if (!expiry) fields.wrong('expiry', 'Enter the expiry date.')
  else if (!end) fields.wrong('expiry', 'Enter month and year, such as 08/31.')
  else if (end <= now) fields.wrong('expiry', 'This card has expired.')

  const code = fields.text('cvc', { max: 12, optional: true })
  if (!code) fields.wrong('cvc', 'Enter the security code.')
  else if (!/^\d{3,4}$/.test(code)) fields.wrong('cvc', 'The security code has 3 or 4 digits.')
  return card
}
