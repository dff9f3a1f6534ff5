import type { Transaction } from '@tern/contract/transactions'
import { expect, test } from 'vitest'
import { groupByCurrency, groupByDay } from './day-groups.ts'

const at = (year: number, month: number, day: number) =>
  ({ timestamp: new Date(year, month - 1, day, 12).toISOString() }) as Transaction

test('older days are grouped by month', () => {
  const now = new Date(2026, 10, 21, 18)
  const list = [
    at(2026, 11, 21),
    at(2026, 11, 20),
    at(2026, 11, 7),
    at(2026, 11, 1),
    at(2026, 10, 30),
    at(2025, 12, 24),
  ]
  expect(groupByDay(list, now).map(({ heading, transactions }) => [heading, transactions.length])).toEqual([
    ['Today', 1],
    ['Yesterday', 1],
    ['Earlier in November', 2],
    ['October', 1],
    ['December 2025', 1],
  ])
})

test('amounts are grouped by currency, in the order of the list', () => {
  const list = ['USD', 'USD', 'ETH'].map((currency) => ({ currency }) as Transaction)
  expect(groupByCurrency(list).map(({ heading, transactions }) => [heading, transactions.length])).toEqual([
    ['USD', 2],
    ['ETH', 1],
  ])
})
