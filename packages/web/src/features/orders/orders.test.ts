import type { Order } from '@tern/contract/orders/orders'
import { toDecimal } from '@tern/money/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromUnits, toUnits } from '../../app/rates/rate-scale.ts'
import {
  buildCommand,
  emptyValues,
  validateOrder,
  isChanged,
  isFilledAtOnce,
  type OrderValues,
  choosePair,
  describeShortfall,
  chooseSide,
  computeSpendable,
  type Subject,
  computeSums,
  computeDefaultWorst,
  initialValues,
  formatTypedRate,
} from './order-form.ts'
import { buildLines } from './chart/chart-lines.tsx'
import { formatDistanceText, formatDistance, formatOwnRate } from './order-text.ts'
import { computeDistance, invertRate, moveRate, findNearest, chooseRatePair, chooseStep } from './pair.ts'

const order: Order = {
  id: '01930000-0000-7000-8000-000000000001',
  kind: 'stop',
  state: 'open',
  source_currency: 'USDT',
  target_currency: 'EUR',
  amount: '400.000000',
  rate_currency: 'USDT',
  rate: '0.9300',
  rate_side: 'at_most',
  worst_rate: '0.9207',
  minimum_target_amount: '368.28',
  fee: '4.000000',
  fee_basis_points: 100,
  on_hold: '404.000000',
  expires_at: '2026-12-20T21:00:00.000Z',
  rate_now: '0.9468',
  distance_percent: '-1.77',
  waiting: null,
  filled: null,
  transaction_id: '01930000-0000-7000-8000-000000000002',
  created_at: '2026-11-20T10:00:00.000Z',
  edited_at: null,
  ended_at: null,
}
const newSubject: Subject = { is: 'new' }
const wallet = { base_currency: 'EUR', assets: [{ currency: 'USDT', available: '230.500000', held: '0' }] } as never

const step = (rate: string) => fromUnits(chooseStep(toUnits(rate)))

describe('a grip', () => {
  test('moves by 0.0005 around one, and by about the same share of other rates', () => {
    expect(['0.9468', '1.06', '0.93'].map(step)).toEqual(['0.0005', '0.0005', '0.0005'])
    expect(['65000', '3200', '149.2', '0.0067'].map(step)).toEqual(['10', '1', '0.1', '0.000001'])
  })

  test('stays on multiples of its step, and never reaches zero', () => {
    const size = toUnits('0.0005')
    const to = (rate: string, steps: bigint) => fromUnits(moveRate(toUnits(rate), steps, size))
    expect(to('0.9550', 1n)).toBe('0.9555')
    expect(to('0.9550', -10n)).toBe('0.95')
    expect(to('0.95512', 1n)).toBe('0.9555')
    expect(to('0.0007', -10n)).toBe('0.0005')
  })

  test('returns to its start after as many steps down as up', () => {
    fc.assert(
      fc.property(fc.bigInt(1_000n, 10n ** 17n), fc.bigInt(1n, 40n), (units, steps) => {
        const size = chooseStep(units)
        const start = findNearest(units, size)
        expect(moveRate(moveRate(start, steps, size), -steps, size)).toBe(start)
        // A step is at most 0.07 % of the rate, or one unit.
        expect(size * 10_000n <= units * 7n || size === 1n).toBe(true)
      }),
      { seed: 20_261_128 },
    )
  })

  test('writes rates with the decimals of its steps', () => {
    expect(['0.955', '1.1', '65000', '0.0067'].map((rate) => formatTypedRate(toUnits(rate)))).toEqual([
      '0.9550',
      '1.1000',
      '65000',
      '0.006700',
    ])
  })
})

describe('the rate of a pair', () => {
  test('is per unit of the source currency, or of the coin if that is worth far more', () => {
    expect(chooseRatePair('USDT', 'EUR')).toEqual({ rateCurrency: 'USDT', otherCurrency: 'EUR' })
    expect(chooseRatePair('EUR', 'USDT')).toEqual({ rateCurrency: 'EUR', otherCurrency: 'USDT' })
    expect(chooseRatePair('EUR', 'BTC')).toEqual({ rateCurrency: 'BTC', otherCurrency: 'EUR' })
    expect(chooseRatePair('BTC', 'EUR')).toEqual({ rateCurrency: 'BTC', otherCurrency: 'EUR' })
    expect(chooseRatePair('JPY', 'USDT')).toEqual({ rateCurrency: 'USDT', otherCurrency: 'JPY' })
  })

  test('can be inverted', () => {
    expect(invertRate('0.8')).toBe('1.2500')
  })

  test('states its distance from the current rate', () => {
    expect(computeDistance('0.9550', '0.94679')).toBe(87n)
    expect(computeDistance('0.9300', '0.94679')).toBe(-177n)
    expect(computeDistance('0.9300', undefined)).toBeUndefined()
    expect(formatDistanceText(87n)).toBe('0.87% above the current rate')
    expect(formatDistanceText(-177n)).toBe('1.77% below the current rate')
    expect(formatDistanceText(0n)).toBe('The current rate')
    expect([formatDistance('0.87'), formatDistance('-1.77')]).toEqual(['+0.87%', '−1.77%'])
  })

  test('keeps every typed decimal', () => {
    expect(['0.955', '0.95512', '65000', '65000.5'].map(formatOwnRate)).toEqual([
      '0.9550',
      '0.95512',
      '65,000.00',
      '65,000.50',
    ])
  })
})

const limit: OrderValues = { ...emptyValues('limit', 'USDT', 'EUR'), amount: '600', rate: '0.9550' }

describe('an order', () => {
  test('states the minimum amount and the hold', () => {
    const { minimum, fee, onHold } = computeSums(limit, 'USDT')
    expect([minimum, fee, onHold].map((sum) => sum && toDecimal(sum))).toEqual(['573.00', '6.000000', '606.000000'])
    const buyValues: OrderValues = { ...emptyValues('limit', 'EUR', 'BTC'), amount: '100', rate: '80000' }
    expect(toDecimal(computeSums(buyValues, 'BTC').minimum ?? throwNever())).toBe('0.00125000')
  })

  test('has a worst rate derived from the stop until one is typed', () => {
    expect(computeDefaultWorst('0.9300', 'at_most')).toBe('0.9207')
    expect(computeDefaultWorst('80000', 'at_least')).toBe('80800')
    const stop: OrderValues = { ...limit, kind: 'stop', rate: '0.9300' }
    expect(computeSums(stop, 'USDT').worst).toBe('0.9207')
    expect(computeSums({ ...stop, worst: '0.90' }, 'USDT').worst).toBe('0.90')
    expect(
      validateOrder({ ...stop, worst: '0.94' }, computeSums({ ...stop, worst: '0.94' }, 'USDT'), 'at_most').worst,
    ).toBe('The worst rate can’t be better than the rate of the order')
  })

  test('is filled at or better than a limit, and at or worse than a stop', () => {
    expect(chooseSide(limit, 'USDT')).toBe('at_least')
    expect(chooseSide({ ...limit, kind: 'stop' }, 'USDT')).toBe('at_most')
    expect(chooseSide({ ...limit, from: 'EUR', to: 'BTC' }, 'BTC')).toBe('at_most')
    expect(isFilledAtOnce('at_least', '0.94', '0.9468')).toBe(true)
    expect(isFilledAtOnce('at_least', '0.9550', '0.9468')).toBe(false)
    expect(isFilledAtOnce('at_most', '0.9550', undefined)).toBe(false)
  })

  test('states the direction of an alert', () => {
    const alert = emptyValues('alert', 'USD', 'EUR')
    expect(chooseSide(alert, 'USD', '0.95', '0.94')).toBe('at_least')
    expect(chooseSide(alert, 'USD', '0.93', '0.94')).toBe('at_most')
  })

  test('names missing fields', () => {
    const empty = emptyValues('limit', 'USDT', 'EUR')
    expect(validateOrder({ ...empty, expires: '' }, computeSums(empty, 'USDT'), 'at_least')).toMatchObject({
      amount: 'Enter an amount to exchange',
      rate: 'Please enter a valid rate',
      expires: 'Choose a date within a year',
    })
    const spendable = computeSpendable(wallet, limit, newSubject)
    expect(describeShortfall(computeSums({ ...limit, amount: '800' }, 'USDT'), spendable)).toBe(
      'Not enough USDT. This order needs 808.00 USDT; 230.50 USDT is available.',
    )
  })

  test('under edit can spend its own hold, and keeps its time unless its day changes', () => {
    const subject: Subject = { is: 'order', order }
    const values = initialValues(subject)
    expect(values).toMatchObject({ amount: '400', rate: '0.9300', worst: '0.9207' })
    expect(toDecimal(computeSpendable(wallet, values, subject))).toBe('634.500000')
    expect(isChanged(values, subject)).toBe(false)
    expect(isChanged({ ...values, rate: '0.93' }, subject)).toBe(false)
    expect(isChanged({ ...values, rate: '0.935' }, subject)).toBe(true)
    const { rateCurrency } = choosePair(values, subject)
    const buildCall = (changed: OrderValues) =>
      buildCommand(1, changed, subject, { sums: computeSums(changed, rateCurrency), rateCurrency, side: 'at_most' })
        ?.call
    expect(buildCall(values)).toEqual({
      act: 'edit',
      id: order.id,
      body: { amount: '400.000000', rate: '0.9300', worst_rate: '0.9207' },
    })
    expect(buildCall({ ...values, expires: '2027-01-20' })?.body).toHaveProperty('expires_at')
  })
})

function throwNever(): never {
  throw new Error('there is a sum')
}

test('the chart labels a rate as typed, and an inverted one with four decimals', () => {
  const labels = (rateCurrency: 'USDT' | 'EUR', rate: string) =>
    buildLines(
      [{ ...order, rate }],
      [],
      { rateCurrency, otherCurrency: rateCurrency === 'USDT' ? 'EUR' : 'USDT' },
      undefined,
    ).map(({ value }) => value)
  expect(labels('USDT', '0.93051')).toEqual(['0.93051'])
  expect(labels('EUR', '1.05')).toEqual(['0.9524'])
})
