import { expect, test } from 'vitest'
import { findKind, listDays, listPeriods, nameKind, type NamedKind } from './period-choices.ts'

test.each([
  ['2026-11', 'month', '2026-11-01', '2026-11-30'],
  ['2028-02', 'month', '2028-02-01', '2028-02-29'],
  ['2100-02', 'month', '2100-02-01', '2100-02-28'],
  ['2026-Q1', 'quarter', '2026-01-01', '2026-03-31'],
  ['2026-Q4', 'quarter', '2026-10-01', '2026-12-31'],
  ['2026', 'year', '2026-01-01', '2026-12-31'],
])('%s is a %s from %s to %s', (period, kind, from, to) => {
  expect(findKind({ period })).toBe(kind)
  expect(listDays({ period })).toEqual([from, to])
  expect(nameKind(kind as NamedKind, from)).toBe(period)
  expect(nameKind(kind as NamedKind, to)).toBe(period)
})

test('periods are listed from today back to the one in which the account began', () => {
  expect(listPeriods('month', '2026-10-31', '2027-01-01')).toEqual(['2027-01', '2026-12', '2026-11', '2026-10'])
  expect(listPeriods('quarter', '2026-06-30', '2027-01-01')).toEqual(['2027-Q1', '2026-Q4', '2026-Q3', '2026-Q2'])
  expect(listPeriods('year', '2026-12-31', '2026-12-31')).toEqual(['2026'])
})
