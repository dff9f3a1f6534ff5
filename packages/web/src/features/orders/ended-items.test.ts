import { expect, test } from 'vitest'
import { endOfPage, mergeEnded } from './ended-items.ts'
import type { Alerts, Orders } from './order-queries.ts'

const buildPage = (endedAt: readonly string[], nextCursor: string | null) =>
  ({ history: endedAt.map((at) => ({ id: at, ended_at: at })), next_cursor: nextCursor }) as unknown as Orders
const alerts = { told: ['09', '07', '05', '03', '01'].map((at) => ({ id: at, told: { at } })) } as unknown as Alerts
const listTimes = (page: Orders, endedBefore?: string) => mergeEnded(page, alerts, endedBefore).map(({ at }) => at)

test('each triggered alert is shown on exactly one page of ended orders', () => {
  const [newest, middle, last] = [buildPage(['08', '06'], 'a'), buildPage(['05', '04'], 'b'), buildPage(['02'], null)]
  expect(listTimes(newest)).toEqual(['09', '08', '07', '06'])
  expect(listTimes(middle, endOfPage(newest))).toEqual(['05', '05', '04'])
  expect(listTimes(last, endOfPage(middle))).toEqual(['03', '02', '01'])
})

test('the last page has all remaining alerts, even without an order', () => {
  expect(listTimes(buildPage([], null))).toEqual(['09', '07', '05', '03', '01'])
  expect(listTimes(buildPage([], null), '04')).toEqual(['03', '01'])
})
