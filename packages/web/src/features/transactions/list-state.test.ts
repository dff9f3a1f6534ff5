import { expect, test } from 'vitest'
import { narrowingsOf, queryOf, readState, writeState } from './list-state.ts'

const stateOf = (address: string) => readState(new URLSearchParams(address))

test('an address leads to a list and back to the same address', () => {
  const address =
    'search=rent&type=WITHDRAWAL&days=30&status=PENDING&currency=USDT&sort=amount&order=asc&page=3&rows=25&details=abc'
  expect(writeState(stateOf(address)).toString()).toBe(address)
  expect(writeState(stateOf('')).toString()).toBe('')
})

test('what an address may not say is ignored', () => {
  const state = stateOf('type=GIFT&days=31&status=LOST&currency=XYZ&sort=id&order=up&page=0&rows=1000')
  expect(state).toEqual(stateOf(''))
  expect(narrowingsOf(state)).toBe(0)
})

test('a page becomes an offset, and an empty search is not asked for', () => {
  expect(queryOf(stateOf('page=4&rows=25&search=+'))).toEqual({
    limit: '25',
    offset: '75',
    sort: 'date',
    order: 'desc',
  })
})
