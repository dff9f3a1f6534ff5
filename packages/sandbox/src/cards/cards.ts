import type { Fields } from '../server/fields.ts'

/**
 * Outcome of payments with a card. `challenge`: the payer must confirm first. `timeout`, `late_success`: in processing
 * for some minutes, then failed or paid. `dispute`: paid, and charged back a day later.
 */
type CardOutcome = 'approved' | CardDecline | 'challenge' | 'timeout' | 'late_success' | 'dispute'

/** Test card number; its last four digits identify it. */
export interface TestCard {
  number: string
  outcome: CardOutcome
  effect: string
}

/** Entered or saved card with its expiry date. */
export interface CardDetails {
  card: TestCard
  expMonth: number
  expYear: number
}

export const testCards: readonly TestCard[] = [
  { number: '4242424242424242', outcome: 'approved', effect: 'The payment goes through' },
  { number: '4000000000000002', outcome: 'declined', effect: 'The bank declines' },
  { number: '4000000000009995', outcome: 'insufficient_funds', effect: 'Not enough money on the card' },
  { number: '4000000000000069', outcome: 'expired_card', effect: 'The bank says that the card has expired' },
  { number: '4000000000000127', outcome: 'wrong_code', effect: 'The bank says that the security code is wrong' },
  { number: '4000000000009979', outcome: 'lost_or_stolen', effect: 'Reported lost or stolen' },
  { number: '4000000000000119', outcome: 'processing_error', effect: 'The bank has a technical problem' },
  { number: '4000000000003220', outcome: 'challenge', effect: 'The bank asks the payer to confirm' },
  { number: '4000000000001505', outcome: 'timeout', effect: 'No answer; fails after 15 minutes' },
  { number: '4000000000001018', outcome: 'late_success', effect: 'Seems to fail; succeeds after 10 minutes' },
  { number: '4000000000000259', outcome: 'dispute', effect: 'Goes through; charged back a day later' },
]

/** Decline messages for the payer. */
export const declineMessages = {
  declined: 'Your card was declined. No money was taken. Try another card.',
  insufficient_funds: 'There is not enough money on this card. No money was taken. Try another card.',
  expired_card: 'Your bank says that this card has expired. No money was taken. Try another card.',
  wrong_code: 'Your bank says that the security code is wrong. No money was taken. Check it and try again.',
  lost_or_stolen: 'Your card was declined. No money was taken. Ask your bank, or try another card.',
  processing_error: 'Your bank could not process this payment. No money was taken. Try again in a moment.',
} as const

/** Outcome that moves no money; the payer of a hosted session can try another card. */
type CardDecline = keyof typeof declineMessages

export const isDecline = (outcome: CardOutcome): outcome is CardDecline => Object.hasOwn(declineMessages, outcome)

export const findCardByLastFour = (lastFour: string): TestCard | undefined =>
  testCards.find(({ number }) => number.endsWith(lastFour))

/** Reports whether the card with these last four digits is charged back a day after the capture. */
export const isDisputedLater = (lastFour: string | null): boolean =>
  lastFour !== null && findCardByLastFour(lastFour)?.outcome === 'dispute'

export const groupDigits = (number: string): string => number.replace(/\d{4}(?=\d)/g, '$& ')

/** Verifies the check digit of ISO/IEC 7812, which detects any wrong digit and most transpositions of two neighbors. */
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

interface Expiry {
  month: number
  year: number
}

/** Parses `MM/YY` or `MM/20YY`; undefined if malformed. */
function readExpiry(text: string): Expiry | undefined {
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\/?(\d{2}|20\d{2})$/.exec(text.replaceAll(/\s/g, '')) ?? []
  if (!month) return undefined
  return { month: Number.parseInt(month, 10), year: 2000 + (Number.parseInt(year, 10) % 100) }
}

/** Reports whether a card's expiry month has ended, in UTC. */
export const hasExpired = (month: number, year: number, now: Date): boolean => new Date(Date.UTC(year, month, 1)) <= now

/** Reads number, expiry and security code; adds errors to `fields`. Undefined unless number and expiry are readable. */
export function readCard(fields: Fields, now: Date): CardDetails | undefined {
  const number = fields.text('card_number', { max: 40, optional: true }).replaceAll(/[\s-]/g, '')
  const card = testCards.find((candidate) => candidate.number === number)
  if (!number) fields.addProblem('card_number', 'Enter the card number.')
  else if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
    fields.addProblem('card_number', 'This is not a card number. Check the digits.')
  } else if (!card) fields.addProblem('card_number', 'Only test cards work here. Choose one from the list.')

  const text = fields.text('expiry', { max: 12, optional: true })
  const expiry = readExpiry(text)
  if (!text) fields.addProblem('expiry', 'Enter the expiry date.')
  else if (!expiry) fields.addProblem('expiry', 'Enter month and year, such as 08/31.')
  else if (hasExpired(expiry.month, expiry.year, now)) fields.addProblem('expiry', 'This card has expired.')

  const code = fields.text('cvc', { max: 12, optional: true })
  if (!code) fields.addProblem('cvc', 'Enter the security code.')
  else if (!/^\d{3,4}$/.test(code)) fields.addProblem('cvc', 'The security code has 3 or 4 digits.')
  return card && expiry ? { card, expMonth: expiry.month, expYear: expiry.year } : undefined
}
