// Examples of payments that warn and that do not, by the policy that the schema contains.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isNearName } from './near-names.ts'
import { findPatterns, type PayeeFacts, type WarningPolicy } from './patterns.ts'

const migration = readFileSync(new URL('../../../../migrations/005-payee-warnings.sql', import.meta.url), 'utf8')
const words = JSON.parse(/'(\{[\s\S]*?\})'\);/.exec(migration)?.[1] ?? '') as WarningPolicy['words']

const policy: WarningPolicy = {
  knownDays: 30,
  newAccountDays: 14,
  strangersFrom: 5,
  strangersTimes: 4,
  unknownUsdMinor: 20_000n,
  textUsdMinor: 2000n,
  sharePercent: 50,
  shareUsdMinor: 50_000n,
  words,
}

/** First payment of 100 of 1,000 dollars to an account of a year, without anything remarkable. */
const plain: PayeeFacts = {
  payee: { username: 'maria.lopez', name: 'Maria Lopez' },
  payeeAgeDays: 365,
  firstPaidDays: null,
  strangers: 0,
  usualStrangers: 0,
  isReported: false,
  knownPayees: [],
  call: 'none',
  usdMinor: 10_000n,
  amountMinor: 10_000n,
  balanceMinor: 100_000n,
  description: '',
}
const dollars = (amount: bigint) => ({ usdMinor: amount * 100n, amountMinor: amount * 100n })
const find = (facts: Partial<PayeeFacts>) => findPatterns(policy, { ...plain, ...facts }).map(({ pattern }) => pattern)

const quiet: readonly (readonly [string, Partial<PayeeFacts>])[] = [
  ['a first payment to an old account', {}],
  ['rent to a landlord of two years, most of the balance', { firstPaidDays: 700, ...dollars(900n) }],
  ['a family member who joined last week gets 50 dollars', { payeeAgeDays: 6, ...dollars(50n) }],
  [
    'a sister with the same family name, beside her brother',
    { knownPayees: [{ username: 'juan.lopez', name: 'Juan Lopez' }] },
  ],
  ['a shop of two years that many strangers pay every week', { strangers: 130, usualStrangers: 110, ...dollars(300n) }],
  ['a new shop that had a good week', { strangers: 12, usualStrangers: 6, ...dollars(300n) }],
  ['a salary of 3,000 dollars out of a large balance', { ...dollars(3000n), balanceMinor: 9_000_000n }],
  [
    'a salary paid every month, from the whole balance',
    { firstPaidDays: 31, ...dollars(3000n), balanceMinor: 300_000n },
  ],
  ['a friend is paid for half of the car tax', { description: 'half of the car tax', firstPaidDays: 90 }],
  ['a first payment that mentions a tax, without an office', { description: 'road tax, thanks', ...dollars(80n) }],
  ['five dollars for a gift card of colleagues', { description: 'gift card for anna', ...dollars(5n) }],
  ['a bank clerk named Banks', { payee: { username: 'tom.banks', name: 'Tom Banks' } }],
  ['a sister during a call by the bank about something else', { call: 'on', firstPaidDays: 400 }],
  [
    'a payee first paid 30 days ago, whose text mentions a tax office',
    { firstPaidDays: 30, description: 'tax office' },
  ],
  ['a known payee during a refused call', { call: 'refused', firstPaidDays: 30 }],
  ['a tax office below 20 dollars', { description: 'tax office', usdMinor: 1999n }],
  ['an account of 14 days gets 500 dollars', { payeeAgeDays: 14, ...dollars(500n), balanceMinor: 900_000n }],
  ['a new account gets a cent less than 200 dollars', { payeeAgeDays: 2, usdMinor: 19_999n }],
  ['four strangers paid within a week', { strangers: 4, ...dollars(250n) }],
  ['strangers just below four times the usual number', { strangers: 19, usualStrangers: 5, ...dollars(250n) }],
  ['seven strangers and a small amount', { strangers: 7, ...dollars(50n) }],
  ['a cent less than half of the balance', { usdMinor: 60_000n, amountMinor: 59_999n, balanceMinor: 120_000n }],
  ['most of the balance, a cent below 500 dollars', { usdMinor: 49_999n, amountMinor: 49_999n, balanceMinor: 50_000n }],
  ['a reported payee who was paid before', { isReported: true, firstPaidDays: 3 }],
  ['a name like an office that was paid before', { payee: { username: 'kim_support', name: null }, firstPaidDays: 3 }],
  [
    'a name close to another payee that was paid before',
    { knownPayees: [{ username: 'maria.l0pez', name: null }], firstPaidDays: 3 },
  ],
  ['a word that contains “bail” and one that contains “irs”', { description: 'bailiwick of the firs' }],
  ['the same payee again, who was paid last week', { firstPaidDays: 7, payeeAgeDays: 10, ...dollars(600n) }],
]

const warned: readonly (readonly [string, Partial<PayeeFacts>, readonly string[]])[] = [
  ['a new account gets 500 dollars', { payeeAgeDays: 2, ...dollars(500n), balanceMinor: 900_000n }, ['unknown_payee']],
  ['seven strangers paid within a week, where none did before', { strangers: 7, ...dollars(250n) }, ['unknown_payee']],
  ['a payee whom someone reported, by any amount', { isReported: true, ...dollars(1n) }, ['unknown_payee']],
  ['a payee first paid 29 days ago, by text', { firstPaidDays: 29, description: 'tax office' }, ['tax']],
  ['a tax office at exactly 20 dollars', { description: 'tax office', usdMinor: 2000n }, ['tax']],
  ['an account of 13 days gets exactly 200 dollars', { payeeAgeDays: 13, ...dollars(200n) }, ['unknown_payee']],
  ['five strangers within a week', { strangers: 5, ...dollars(250n) }, ['unknown_payee']],
  ['four times the usual strangers', { strangers: 20, usualStrangers: 5, ...dollars(250n) }, ['unknown_payee']],
  ['exactly half of the balance', { ...dollars(600n), balanceMinor: 120_000n }, ['large_share']],
  ['exactly 500 dollars, all of the balance', { ...dollars(500n), balanceMinor: 50_000n }, ['large_share']],
  ['a real name that sounds like an office', { payee: { username: 'kn', name: 'Tern Helpdesk' } }, ['impersonates']],
  [
    'a call, a similar name and a text',
    { call: 'refused', knownPayees: [{ username: 'maria.l0pez', name: null }], description: 'tax office' },
    ['refused_call', 'similar_name', 'tax'],
  ],
  ['most of the balance to someone new', { ...dollars(600n) }, ['large_share']],
  [
    'one letter away from a payee of the sender',
    { payee: { username: 'maria.l0pes', name: 'M. Lopes' }, knownPayees: [{ username: 'maria.lopez', name: null }] },
    ['similar_name'],
  ],
  [
    'the full name of another payee',
    { knownPayees: [{ username: 'mlopez77', name: 'Maria Lopez' }] },
    ['similar_name'],
  ],
  [
    'a username that sounds like an office',
    { payee: { username: 'kim_support', name: 'Kim Novak' } },
    ['impersonates'],
  ],
  ['anyone new during a call by the desk', { call: 'on' }, ['during_call']],
  ['a payee of three days after a refused call', { call: 'refused', firstPaidDays: 3 }, ['refused_call']],
  [
    'a safe account, even of a payee of years',
    { description: 'my safe account', firstPaidDays: 900 },
    ['safe_account'],
  ],
  ['a tax office', { description: 'unpaid tax, case 77' }, ['tax']],
  ['a crypto investment', { description: 'Crypto-Investment'.toLowerCase() }, ['investment']],
  ['a fee that releases a prize', { description: 'release fee for my winnings' }, ['release_fee']],
  [
    'everything at once, most urgent first',
    { payeeAgeDays: 1, call: 'on', description: 'safe account', ...dollars(900n) },
    ['safe_account', 'during_call', 'unknown_payee', 'large_share'],
  ],
]

describe('no warning for', () => {
  test.each(quiet)('%s', (_example, facts) => {
    expect(find(facts)).toEqual([])
  })
})

describe('a warning for', () => {
  test.each(warned)('%s', (_example, facts, patterns) => {
    expect(find(facts)).toEqual(patterns)
  })
})

test('the similar payee is named', () => {
  const knownPayees = [{ username: 'maria.lopes', name: null }]
  expect(findPatterns(policy, { ...plain, knownPayees })).toEqual([
    { pattern: 'similar_name', similarTo: 'maria.lopes' },
  ])
})

test.each([
  ['Maria Lopez', 'maria lopez', true],
  [null, null, false],
  [null, 'Maria Lopez', false],
  ['Maria Lopez', 'Maria Lopes', false],
])('full names %s and %s are the same: %s', (a, b, isNear) => {
  expect(isNearName({ username: 'maria.lopez', name: a }, { username: 'kestrel77', name: b })).toBe(isNear)
})

test.each([
  ['jane.doe', 'jane.d0e', true],
  ['jane.doe', 'jane.do', true],
  ['jane.doe', 'jnae.doe', true],
  ['jane.doe', 'jane_doe2', true],
  ['jane.doe', 'john.doe', false],
  ['ann', 'anna', false],
  ['anna', 'annas', false],
  ['anna', 'annabel1', false],
  ['lilian', '1i1ian', true],
  ['abcde', 'abxce', false],
  ['moritz', 'rnoritz', true],
  ['wendy', 'vvendy', true],
  ['bill.s', 'bi1ls', true],
  ['Jane.Doe', 'jane.do3', true],
  ['jane.doe', 'jane.doe.', true],
  ['abcde', 'abdce', true],
  ['abcde', 'abxye', false],
  ['abcdef', 'badcfe', false],
  ['jane.doe', 'jane.doe', false],
])('%s and %s are easily confused: %s', (a, b, isNear) => {
  expect(isNearName({ username: a, name: null }, { username: b, name: null })).toBe(isNear)
})
