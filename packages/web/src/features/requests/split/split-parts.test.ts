import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  computeDraft,
  validateSplit,
  hasRemainder,
  buildSplitRequest,
  type SplitPerson,
  type SplitValues,
} from './split-parts.ts'

const person = (id: number, overrides: Partial<SplitPerson> = {}): SplitPerson => ({
  user: { id, username: `user-${id}`, name: null, base_currency: 'EUR' },
  ...{ isOwn: id === 1, shares: '1', amount: '' },
  ...overrides,
})
const bill = (overrides: Partial<SplitValues> = {}): SplitValues => ({
  ...{ total: '487.60', description: '', method: 'equal', personText: '' },
  people: [1, 2, 3, 4, 5, 6].map((id) => person(id)),
  ...overrides,
})
const computeMinors = (currency: 'USD' | 'JPY', values: SplitValues) =>
  computeDraft(currency, values).parts.map((part) => part?.minor)

describe('the parts', () => {
  test('of an equal split distribute odd cents down the list, to the splitter first', () => {
    expect(computeMinors('USD', bill())).toEqual([8127n, 8127n, 8127n, 8127n, 8126n, 8126n])
    expect(computeDraft('USD', bill())).toMatchObject({
      requested: { minor: 40_633n },
      remaining: { minor: 0n },
      otherCount: 5,
    })
  })

  test('of yen have no decimals', () => {
    expect(computeMinors('JPY', bill({ total: '1000', people: [1, 2, 3].map((id) => person(id)) }))).toEqual([
      334n,
      333n,
      333n,
    ])
    expect(validateSplit('JPY', bill({ total: '1000.5' }))).toEqual({ total: 'Please enter a valid amount' })
  })

  test('with given amounts leave a rest to assign, or an excess', () => {
    const createValues = (...amounts: string[]) =>
      bill({ method: 'amounts', total: '10.00', people: amounts.map((amount, index) => person(index + 1, { amount })) })
    expect(computeDraft('USD', createValues('4.00', '')).remaining.minor).toBe(600n)
    expect(hasRemainder(createValues('4.00', ''), computeDraft('USD', createValues('4.00', '')))).toBe(true)
    expect(computeDraft('USD', createValues('4.00', '6.01')).remaining.minor).toBe(-1n)
    expect(hasRemainder(createValues('4.00', '6.00'), computeDraft('USD', createValues('4.00', '6.00')))).toBe(false)
    expect(validateSplit('USD', createValues('10.00', '0'))).toEqual({
      'part-1': 'Enter an amount, or remove this person',
    })
  })
})

test('the sent parts always sum to the bill, for any shares', () => {
  const shares = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 30 })
  fc.assert(
    fc.property(fc.bigInt({ min: 30_000n, max: 10n ** 12n }), shares, (minor, counts) => {
      const people = counts.map((count, index) => person(index + 1, { shares: String(count) }))
      const order = buildSplitRequest('JPY', bill({ method: 'shares', total: String(minor), people }))
      const parts = [order?.own, ...(order?.people ?? [])].map((part) => BigInt(part?.amount ?? '0'))
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(minor)
      expect(order?.people.map((part) => part.shares)).toEqual(counts.slice(1))
    }),
    { seed: 20_261_128 },
  )
})

test.each<readonly [string, Partial<SplitValues>, object]>([
  ['no bill', { total: '' }, { total: 'Please enter a valid amount' }],
  ['nobody else', { people: [person(1)] }, { personText: 'Add the people who share this bill' }],
  ['one other alone', { people: [person(2)] }, { personText: 'Add one more person, or add yourself' }],
  [
    'too many',
    { people: Array.from({ length: 31 }, (_, index) => person(index + 1)) },
    { personText: 'A bill is split between 30 people at most' },
  ],
  [
    'half a share',
    { method: 'shares', people: [person(1), person(2, { shares: '1.5' })] },
    { 'part-1': 'Enter a whole number from 1 to 1000' },
  ],
  ['a cent for six', { total: '0.05' }, { total: 'This is too small for 6 people. Everyone needs a part.' }],
  ['nothing wrong', {}, {}],
])('%s', (_, values, errors) => {
  expect(validateSplit('USD', bill(values))).toEqual(errors)
})

test('a splitter without a part requests the whole', () => {
  const order = buildSplitRequest('USD', bill({ total: '5.01', people: [person(2), person(3)] }))
  expect(order).not.toHaveProperty('own')
  expect(order).toMatchObject({
    people: [
      { user_id: 2, amount: '2.51' },
      { user_id: 3, amount: '2.50' },
    ],
  })
})
