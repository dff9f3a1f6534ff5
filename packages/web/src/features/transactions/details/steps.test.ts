import { computeTotal } from '@tern/contract/receipt/receipt-origin'
import type { Transaction } from '@tern/contract/transactions'
import { add, type Money, money, parseDecimal, toDecimal, zero } from '@tern/money/money'
import { feeBasisPoints, computeFee } from '@tern/money/fee'
import { type CurrencyCode, fiatCodes } from '@tern/money/currency'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listKeyFacts } from './key-facts.ts'
import { type Facts, isWalletUnused, type Step, buildSteps } from './steps.ts'

const sentTransaction = {
  transaction_type: 'SEND',
  status: 'COMPLETED',
  timestamp: '2026-11-27T18:15:02.000Z',
  amount: '8888.00',
  currency: 'USD',
  source_amount: '8800.00',
  source_currency: 'USD',
  target_amount: '8283.44',
  target_currency: 'EUR',
  stablecoin_amount: '8806.160000',
  rate: '0.9413',
  fee: '88.00',
  fee_currency: 'USD',
  payment_source: 'wallet_partial',
  counterparty: { id: 2, username: 'lucas', name: 'Lucas Moreau', country: 'FR' },
} as unknown as Transaction

const card = { name: 'Visa', last4: '4242' }
const bank = { name: 'Harbour Bank', last4: '6789' }
const facts: Facts = { wallet_part: null, instrument: null, delivered_at: '2026-11-27T18:15:06.000Z' }
const listTexts = (steps: readonly Step[]) =>
  steps.map(({ parts }) => parts.map((part) => (typeof part === 'string' ? part : part.amount)).join(''))
const timeline = (change: Partial<Transaction>, factChanges: Partial<Facts> = {}) =>
  listTexts(buildSteps({ ...sentTransaction, ...change }, { ...facts, ...factChanges }))

test('a send by wallet and card names each source with its own amount', () => {
  expect(timeline({}, { wallet_part: '8722.88', instrument: card })).toEqual([
    '$8,722.88 left your wallet',
    '$165.12 charged to Visa ··4242',
    '$8,800.00 exchanged to €8,283.44',
    'Lucas received €8,283.44',
  ])
})

test.each([
  ['card', { instrument: card }, ['$8,888.00 charged to Visa ··4242']],
  ['card', {}, ['$8,888.00 charged to your card']],
  [
    'bank',
    { instrument: bank },
    ['$8,888.00 requested from Harbour Bank ··6789', '$8,888.00 arrived from Harbour Bank ··6789'],
  ],
  ['bank', {}, ['$8,888.00 requested from your bank', '$8,888.00 arrived from your bank']],
] as const)('a send by %s alone has no wallet part', (payment_source, factChanges, lines) => {
  expect(timeline({ payment_source }, factChanges)).toEqual([
    ...lines,
    '$8,800.00 exchanged to €8,283.44',
    'Lucas received €8,283.44',
  ])
  expect(isWalletUnused({ ...sentTransaction, payment_source })).toBe(true)
  expect(isWalletUnused({ ...sentTransaction, payment_source, status: 'PENDING' })).toBe(false)
})

test('a paying wallet is named, alone or with a card', () => {
  expect(timeline({ payment_source: 'wallet' })[0]).toBe('$8,888.00 left your wallet')
  for (const payment_source of ['wallet', 'wallet_partial'] as const) {
    expect(isWalletUnused({ ...sentTransaction, payment_source })).toBe(false)
  }
})

test('unknown parts are shown as one, with the whole amount', () => {
  expect(timeline({})[0]).toBe('$8,888.00 from your wallet and your card')
})

test('a pending transfer has not left', () => {
  const pending = { status: 'PENDING' } as const
  expect(timeline({ ...pending, payment_source: 'wallet' })).toEqual([
    '$8,888.00 on hold in your wallet',
    'Not sent yet',
  ])
  expect(timeline(pending, { wallet_part: '8722.88', captured: false })).toEqual([
    '$8,722.88 on hold in your wallet',
    '$165.12 to be charged to your card',
    'Waiting for the payment',
  ])
  expect(timeline(pending, { wallet_part: '8722.88', captured: true }).slice(1)).toEqual([
    '$165.12 charged to your card',
    'Not sent yet',
  ])
  expect(timeline({ ...pending, payment_source: 'bank' }, { captured: false })).toEqual([
    '$8,888.00 requested from your bank',
    'Waiting for the payment',
  ])
})

test('a failed payment took nothing, and a recipient sees no source', () => {
  expect(timeline({ status: 'FAILED' })).toEqual(['You confirmed', 'Not completed'])
  expect(timeline({ transaction_type: 'RECEIVE', payment_source: null })).toEqual([
    'Lucas sent $8,800.00',
    'You got €8,283.44',
  ])
})

test('deposits, withdrawals and exchanges have the same kind of steps', () => {
  const ownAccount = { counterparty: null, target_currency: 'USD', target_amount: '8800.00', rate: null } as const
  expect(timeline({ ...ownAccount, transaction_type: 'DEPOSIT', fee: '0.00', payment_source: 'card' })).toEqual([
    '$8,800.00 charged to your card',
    'You got $8,800.00',
  ])
  expect(timeline({ ...ownAccount, transaction_type: 'DEPOSIT', fee: '0.00', payment_source: null })).toEqual([
    'You got $8,800.00',
  ])
  expect(timeline({ ...ownAccount, transaction_type: 'WITHDRAW', payment_source: null, amount: '8888.00' })).toEqual([
    '$8,888.00 left your wallet',
    'Arrived at your bank',
  ])
  expect(timeline({ transaction_type: 'EXCHANGE', counterparty: null, payment_source: null })).toEqual([
    '$8,888.00 left your USD balance',
    '$8,800.00 exchanged to €8,283.44',
  ])
})

const sumPaid = (currency: CurrencyCode, steps: readonly Step[]): Money =>
  steps.reduce(
    (sum, { paidAmount }) => (paidAmount === undefined ? sum : add(sum, parseDecimal(currency, paidAmount))),
    zero(currency),
  )

test('the parts of all sources sum to the headline, for every source and status', () => {
  const payment = fc.record({
    currency: fc.constantFrom(...fiatCodes),
    minor: fc.bigInt({ min: 2n, max: 10n ** 12n }),
    basisPoints: fc.constantFrom(0n, ...Object.values(feeBasisPoints)),
    source: fc.constantFrom('wallet', 'card', 'bank', 'wallet_partial', undefined),
    type: fc.constantFrom('SEND', 'WITHDRAW', 'EXCHANGE'),
    status: fc.constantFrom('COMPLETED', 'PENDING'),
    walletShare: fc.integer({ min: 1, max: 99 }),
    captured: fc.boolean(),
    isKnown: fc.boolean(),
  })
  fc.assert(
    fc.property(payment, ({ currency, minor, basisPoints, source, type, status, walletShare, captured, isKnown }) => {
      const fee = computeFee(money(currency, minor), basisPoints)
      const total = add(money(currency, minor), fee)
      const transaction = {
        ...sentTransaction,
        transaction_type: type,
        status,
        amount: toDecimal(total),
        currency,
        source_amount: toDecimal(money(currency, minor)),
        source_currency: currency,
        fee: toDecimal(fee),
        fee_currency: currency,
        payment_source: type === 'SEND' ? (source ?? 'wallet') : null,
      } as Transaction
      const walletPart = toDecimal(money(currency, (total.minor * BigInt(walletShare)) / 100n))
      const knownFacts: Facts = {
        ...facts,
        wallet_part: isKnown ? walletPart : null,
        captured: captured || status === 'COMPLETED',
      }
      expect(computeTotal(transaction)).toBe(transaction.amount)
      expect(toDecimal(sumPaid(currency, buildSteps(transaction, knownFacts)))).toBe(transaction.amount)
    }),
    { seed: 30, numRuns: 500 },
  )
})

test('the facts of a send are its result, rate and fee', () => {
  expect(listKeyFacts(sentTransaction, null)).toEqual([
    { term: 'Lucas got', value: '€8,283.44' },
    { term: 'Rate for $1', value: '€0.9413' },
    { term: 'Fee, 1%', value: '$88.00' },
  ])
  expect(listKeyFacts({ ...sentTransaction, status: 'PENDING' }, null)[0]?.term).toBe('Lucas gets')
  expect(listKeyFacts({ ...sentTransaction, status: 'PENDING', payment_source: 'bank' }, null)[0]?.term).toBe(
    'Lucas gets about',
  )
  expect(listKeyFacts({ ...sentTransaction, fee: '0.00' }, null).at(-1)).toEqual({ term: 'Fee', value: 'Free' })
  const receivedTransaction = { ...sentTransaction, transaction_type: 'RECEIVE', fee: '0.00' } as const
  expect(listKeyFacts(receivedTransaction, null).map(({ term }) => term)).toEqual(['Lucas sent', 'Rate for $1'])
})

test.each([
  ['JPY', '0.006700', 'Rate for ¥1', '€0.006700'],
  ['BTC', '65000', 'Rate for 1 BTC', '€65,000.00'],
] as const)('a rate per %s is written in the notation of its currency', (source_currency, rate, term, value) => {
  const facts = listKeyFacts(
    { ...sentTransaction, source_currency, fee_currency: source_currency, source_amount: '1', fee: '0', rate },
    null,
  )
  expect(facts[1]).toEqual({ term, value })
})
