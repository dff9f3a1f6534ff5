import { bridgeCurrency, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { expect, test } from 'vitest'
import { findDifferences, verifyPrice } from './verify-price.ts'
import type { PriceFacts, ProofFix, ProofValue } from './proof.ts'
import { recompute, computeSpread } from './recompute.ts'
import { ratio } from '@tern/money/ratio'

const noon = '2024-11-20T12:00:00.000Z'

function buildFix(
  base: CurrencyCode,
  quote: CurrencyCode,
  [numerator, denominator]: readonly [string, string],
  source = 'ecb',
): ProofFix {
  return { source, base, quote, rate: { numerator, denominator }, as_of: noon, received_at: noon, is_accepted: true }
}

const eurUsd = buildFix('EUR', 'USD', ['5281', '5000'])
const eurInr = buildFix('EUR', 'INR', ['35641', '400'])
const usdtUsd = buildFix('USDT', 'USD', ['9998', '10000'], 'bitstamp')
const values: ProofValue[] = [
  { currency: 'INR', fixes: [eurInr, eurUsd] },
  { currency: 'USDT', fixes: [usdtUsd] },
]

type Terms = NonNullable<PriceFacts['terms']>

/** Returns the facts of a send of 150.00 USD that arrives in INR, direct, with a spread of 0.10 %, computed by hand. */
function buildFacts(change: Partial<PriceFacts> = {}, terms: Partial<Terms> = {}): PriceFacts {
  return {
    ...{ reference: 'TRN-5C29-77E0-0000', kind: 'SEND', status: 'COMPLETED', made_at: '2024-11-20T17:04:12.000Z' },
    ...{ source_currency: 'USD', target_currency: 'INR', values },
    terms: {
      ...{ route: 'direct_conversion', side: 'source', is_authentic: true, may_be_late: false },
      ...{ made_at: '2024-11-20T17:02:47.000Z', expires_at: '2024-11-20T17:07:47.000Z' },
      ...{ accepted_at: '2024-11-20T17:04:12.000Z', rate_as_of: noon },
      ...{ source_amount: '150.00', target_amount: '12641.55', inflow: null, outflow: null },
      mid_market_rate: { numerator: '891025', denominator: '10562' },
      rate: { numerator: '35605359', denominator: '422480' },
      ...{
        spread_parts_per_million: '1000',
        fee_basis_points: '100',
        fee: '1.50',
        smallest_fee: '1',
        cost_parts_per_million: '11001',
      },
      ...terms,
    },
    reference_rate: { as_of: noon, values: [{ currency: 'INR', fixes: [eurInr, eurUsd] }] },
    receipt: {
      ...{ source_amount: '150.00', target_amount: '12641.55', stablecoin_amount: null, fee: '1.50' },
      rate: { numerator: '35605359', denominator: '422480' },
    },
    ledger: { source_amount: '150.00', target_amount: '12641.55', fee: '1.50', residue: '0.000000' },
    ...change,
  }
}

test('a receipt is recomputed step by step, with the digits that rounding cuts off', () => {
  const price = recompute(buildFacts())
  expect(
    price?.steps.map(({ step, lines, result }) => [step, lines.map((line) => line.value), result?.value.shownDigits]),
  ).toEqual([
    [
      'source_rate',
      [
        expect.objectContaining({ shownDigits: '89.1025' }),
        { shownDigits: '1.0562', isEndless: false },
        { shownDigits: '0.9998', isEndless: false },
      ],
      undefined,
    ],
    ['cross_rate', [{ shownDigits: '84.361389888278', isEndless: true }], undefined],
    ['spread', [{ shownDigits: '84.277028498390', isEndless: true }], undefined],
    ['amount', [{ shownDigits: '12641.55', cutDigits: '4274758568', isEndless: true }], undefined],
    ['rounding', [], '12641.55'],
    [
      'fee',
      [
        { shownDigits: '1.50', isEndless: false },
        { shownDigits: '151.50', isEndless: false },
      ],
      '1.50',
    ],
    [
      'total_cost',
      ['1.500000', '0.150000', '0.000050', '1.1001', '0.1000'].map((shownDigits) => ({
        shownDigits,
        isEndless: false,
      })),
      '1.1001',
    ],
  ])
  expect(price?.steps[1]?.lines[0]?.formula).toEqual(['89.1025', '÷', '1.0562', '=', '891025 / 10562'])
  expect(verifyPrice(buildFacts(), price)).toMatchObject({ verdict: 'match' })
})

test('each contradicting witness is named with its step; the first step is the verdict', () => {
  const cases: readonly (readonly [Partial<PriceFacts>, Partial<Terms>, string, string])[] = [
    [{}, { is_authentic: false }, 'quote', 'quote'],
    [{}, { accepted_at: '2024-11-20T17:09:00.000Z' }, 'quote', 'quote'],
    [{}, { accepted_at: '2024-11-20T16:59:00.000Z' }, 'quote', 'quote'],
    [{ values: [{ currency: 'INR', fixes: [{ ...eurInr, is_accepted: false }, eurUsd] }] }, {}, 'source_rate', 'quote'],
    [
      { values: [{ currency: 'INR', fixes: [{ ...eurInr, received_at: '2024-11-20T18:00:00Z' }, eurUsd] }] },
      {},
      'source_rate',
      'quote',
    ],
    [{}, { mid_market_rate: { numerator: '84', denominator: '1' } }, 'cross_rate', 'quote'],
    [{ receipt: { ...buildFacts().receipt, rate: { numerator: '84', denominator: '1' } } }, {}, 'spread', 'receipt'],
    [{ receipt: { ...buildFacts().receipt, source_amount: '150.01' } }, {}, 'amount', 'receipt'],
    [{ receipt: { ...buildFacts().receipt, target_amount: '12641.56' } }, {}, 'rounding', 'receipt'],
    [
      { ledger: { source_amount: '150.00', target_amount: '12641.54', fee: '1.50', residue: null } },
      {},
      'rounding',
      'ledger',
    ],
    [
      { ledger: { source_amount: '150.00', target_amount: '12641.55', fee: '1.51', residue: null } },
      {},
      'fee',
      'ledger',
    ],
    [{ ledger: null }, {}, 'rounding', 'ledger'],
    [{}, { fee: '1.49' }, 'fee', 'quote'],
    [{}, { cost_parts_per_million: '11000' }, 'total_cost', 'quote'],
  ]
  for (const [change, terms, step, stated_by] of cases) {
    const changedFacts = buildFacts(change, terms)
    expect(verifyPrice(changedFacts, recompute(changedFacts)), step).toMatchObject({
      verdict: 'mismatch',
      step,
      stated_by,
    })
  }
  const wrongFacts = buildFacts({ receipt: { ...buildFacts().receipt, target_amount: '12641.56', fee: '1.40' } })
  const price = recompute(wrongFacts)
  expect(verifyPrice(wrongFacts, price)).toMatchObject({ step: 'rounding', stated: '12641.56', recomputed: '12641.55' })
  expect(price && findDifferences(wrongFacts, price).map(({ step }) => step)).toEqual(['rounding', 'fee'])
})

test('a payment from outside may come late at a quote that was accepted in time', () => {
  const lateFacts = buildFacts({}, { accepted_at: '2024-11-21T17:09:00.000Z', may_be_late: true })
  expect(verifyPrice(lateFacts, recompute(lateFacts)).verdict).toBe('match')
})

test('without terms, or a fix, no verdict about the price is given', () => {
  const verifyFacts = (changedFacts: PriceFacts) => verifyPrice(changedFacts, recompute(changedFacts))
  expect(verifyFacts(buildFacts({ terms: null }))).toMatchObject({ verdict: 'unchecked', reason: 'terms_missing' })
  expect(verifyFacts(buildFacts({ values: null }))).toMatchObject({ verdict: 'unchecked', reason: 'fix_missing' })
  expect(verifyFacts(buildFacts({ status: 'PENDING' }))).toMatchObject({
    verdict: 'unchecked',
    reason: 'not_completed',
  })
  expect(verifyFacts(buildFacts({ values: [{ currency: 'INR', fixes: [eurInr] }] }))).toMatchObject({
    reason: 'fix_missing',
  })
  expect(verifyFacts(buildFacts({ values: null }, { is_authentic: false }))).toMatchObject({
    verdict: 'mismatch',
    step: 'quote',
  })
})

test('within one currency there is a fee, and nothing to convert', () => {
  const amounts = { source_amount: '10.10', target_amount: '10.10', fee: '0.05' }
  const plain = buildFacts({
    ...{ target_currency: 'USD', terms: null, values: null, reference_rate: null },
    ...{ receipt: { ...amounts, stablecoin_amount: null, rate: null }, ledger: { ...amounts, residue: null } },
  })
  const price = recompute(plain)
  expect(price?.steps.map(({ step }) => step)).toEqual(['fee', 'total_cost'])
  expect(verifyPrice(plain, price).verdict).toBe('match')
})

test('the spread against a reference is rounded half up, and negative where the rate is better', () => {
  expect(computeSpread(ratio(1n, 1n), ratio(999n, 1000n))).toBe(1000n)
  expect(computeSpread(ratio(1n, 1n), ratio(1001n, 1000n))).toBe(-1000n)
  expect(computeSpread(ratio(3n, 1n), ratio(3n, 1n))).toBe(0n)
  expect(computeSpread(ratio(2_000_000n, 1n), ratio(1_999_999n, 1n))).toBe(1n)
})

test('the stablecoin is crossed with its own rounding on each side', () => {
  for (const side of ['source', 'target'] as const) {
    const bridgedFacts = buildFacts({}, { route: 'stablecoin_bridge', side, inflow: '0.000000', outflow: '0.000000' })
    const price = recompute(bridgedFacts)
    const { inflow = 0n, outflow = 0n } = price?.bridgeAmounts ?? {}
    expect(inflow).toBeGreaterThanOrEqual(outflow)
    expect(inflow - outflow).toBeLessThan(20n * 10n ** BigInt(scaleOf(bridgeCurrency) - 3))
    expect(price?.steps.find(({ step }) => step === 'amount')?.lines.map(({ name }) => name)).toEqual(
      side === 'source' ? ['into_bridge', 'out_of_bridge'] : ['out_of_bridge', 'into_bridge'],
    )
    expect(price?.steps.find(({ step }) => step === 'rounding')?.lines[0]?.name).toBe('residue')
  }
})
