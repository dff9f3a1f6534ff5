import { expect, test } from 'vitest'
import { isSameNumber, normalizeDecimal } from './plain-decimal.ts'
import { amountInput, rateInput } from '../wire.ts'

test.each([
  ['0', '0'],
  ['-0', '0'],
  ['0.0', '0'],
  ['1E2', '100'],
  ['0.1e1', '1'],
  ['1e-7', '0.0000001'],
  ['12.50', '12.5'],
  ['1.25e1', '12.5'],
  ['1234e-2', '12.34'],
  ['-1.5e+3', '-1500'],
  ['1e21', '1000000000000000000000'],
  ['100.000e-2', '1'],
])('%s is %s', (number, plain) => expect(normalizeDecimal(number)).toBe(plain))

test.each([
  ['0', '-0.00', true],
  ['0e99', '0', true],
  ['100', '1e2', true],
  ['0.0150', '1.5E-2', true],
  ['1e-400', '0.1e-399', true],
  ['1e400', '10e399', true],
  ['1', '-1', false],
  ['1', '10', false],
  ['1e400', '1e401', false],
  ['1.0000000000000001', '1', false],
])('%s and %s are the same number: %s', (one, other, isSame) => expect(isSameNumber(one, other)).toBe(isSame))

test.each([
  [1e-7, '0.0000001'],
  [0.1, '0.1'],
  [1e21, '1000000000000000000000'],
  [12.5, '12.5'],
  ['12.50', '12.50'],
])('the amount %j is %s', (input, expected) => expect(amountInput.parse(input)).toBe(expected))

test.each([-0, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-300, '1e2', '-1', '', ' 1', '1.', '.5', true, null])(
  '%j is no amount and no rate',
  (input) => {
    expect(amountInput.safeParse(input).error?.issues[0]?.message).toBe('invalid_amount')
    expect(rateInput.safeParse(input).error?.issues[0]?.message).toBe('invalid_rate')
  },
)
