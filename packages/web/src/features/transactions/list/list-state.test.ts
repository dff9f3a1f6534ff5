import { expect, test } from 'vitest'
import { narrowingsOf, listQueryOf, readState, writeState } from './list-state.ts'

const stateOf = (address: string) => readState(new URLSearchParams(address))

test('the state of a list round-trips through its address', () => {
  const address =
    'search=rent&type=WITHDRAWAL&days=30&status=PENDING&currency=USDT&sort=amount&order=asc&cursor=Abc-_1&from=51&rows=25&details=abc'
  expect(writeState(stateOf(address)).toString()).toBe(address)
  expect(writeState(stateOf('at=2026-03-01&rows=50')).toString()).toBe('at=2026-03-01&rows=50')
  expect(writeState(stateOf('')).toString()).toBe('')
})

test('invalid parameters of an address are ignored', () => {
  const state = stateOf(
    'type=GIFT&days=31&status=LOST&currency=XYZ&sort=id&order=up&from=0&at=2026-13-01&rows=1000&page=4',
  )
  expect(state).toEqual(stateOf(''))
  expect(narrowingsOf(state)).toBe(0)
})

test('a page begins at its cursor or at a date, and an empty search is omitted', () => {
  const shared = { limit: '25', sort: 'date', order: 'desc' }
  expect(listQueryOf(stateOf('cursor=abc&from=76&rows=25&search=+'))).toEqual({ ...shared, cursor: 'abc' })
  const endOfDay = new Date(2026, 2, 1, 23, 59, 59, 999).toISOString()
  expect(listQueryOf(stateOf('at=2026-03-01&rows=25'))).toEqual({ ...shared, at: endOfDay })
  const beginOfDay = new Date(2026, 2, 1).toISOString()
  expect(listQueryOf(stateOf('at=2026-03-01&order=asc&rows=25'))).toEqual({ ...shared, order: 'asc', at: beginOfDay })
  expect(listQueryOf(stateOf('at=2026-03-01&cursor=abc&rows=25'))).toEqual({ ...shared, cursor: 'abc' })
})

test('numbers and dates in a search use the locale and time zone of the device', () => {
  expect(listQueryOf(stateOf('search=22.11.2026'))).toMatchObject({
    search: '22.11.2026',
    locale: expect.any(String) as string,
    time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  expect(listQueryOf(stateOf('search=rent'))).not.toHaveProperty('locale')
})
