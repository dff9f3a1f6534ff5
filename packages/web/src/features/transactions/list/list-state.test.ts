import { expect, test } from 'vitest'
import { countFilters, buildQuery, readState, writeState } from './list-state.ts'

const parseState = (address: string) => readState(new URLSearchParams(address))

test('the state of a list round-trips through its address', () => {
  const address =
    'search=rent&type=WITHDRAWAL&days=30&status=PENDING&currency=USDT&sort=amount&order=asc&cursor=Abc-_1&from=51&rows=25&details=abc'
  expect(writeState(parseState(address)).toString()).toBe(address)
  expect(writeState(parseState('at=2026-03-01&rows=50')).toString()).toBe('at=2026-03-01&rows=50')
  expect(writeState(parseState('')).toString()).toBe('')
})

test('invalid parameters of an address are ignored', () => {
  const state = parseState(
    'type=GIFT&days=31&status=LOST&currency=XYZ&sort=id&order=up&from=0&at=2026-13-01&rows=1000&page=4',
  )
  expect(state).toEqual(parseState(''))
  expect(countFilters(state)).toBe(0)
})

test('a page begins at its cursor or at a date, and an empty search is omitted', () => {
  const sharedQuery = { limit: '25', sort: 'date', order: 'desc' }
  expect(buildQuery(parseState('cursor=abc&from=76&rows=25&search=+'))).toEqual({ ...sharedQuery, cursor: 'abc' })
  const endOfDay = new Date(2026, 2, 1, 23, 59, 59, 999).toISOString()
  expect(buildQuery(parseState('at=2026-03-01&rows=25'))).toEqual({ ...sharedQuery, at: endOfDay })
  const startOfDay = new Date(2026, 2, 1).toISOString()
  expect(buildQuery(parseState('at=2026-03-01&order=asc&rows=25'))).toEqual({
    ...sharedQuery,
    order: 'asc',
    at: startOfDay,
  })
  expect(buildQuery(parseState('at=2026-03-01&cursor=abc&rows=25'))).toEqual({ ...sharedQuery, cursor: 'abc' })
})

test('numbers and dates in a search use the locale and time zone of the device', () => {
  expect(buildQuery(parseState('search=22.11.2026'))).toMatchObject({
    search: '22.11.2026',
    locale: expect.any(String) as string,
    time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  expect(buildQuery(parseState('search=rent'))).not.toHaveProperty('locale')
})
