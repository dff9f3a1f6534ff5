import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { groupsQuery } from './notification-queries.ts'

const { callApi } = vi.hoisted(() => ({ callApi: vi.fn<() => Promise<unknown>>() }))
vi.mock('../session/session.ts', () => ({ callApi }))

const buildGroup = (id: string, code: string, params: object) => ({
  latest: { id, code, params, subject_id: null, needs_action: false, read_at: null, answered_at: null },
  count: 1,
})

test('a notification of a newer server is left out, and the others are shown', async () => {
  const known = buildGroup('1', 'deposit_arrived', { amount: '4.50', currency: 'USD', method: 'card' })
  const groups = [buildGroup('2', 'not_invented_yet', {}), known, buildGroup('3', 'request_paid', { wrong: true })]
  callApi.mockResolvedValueOnce({ needs_action: [], groups, unread: 0, next_cursor: null })
  const { rows } = await new QueryClient().fetchQuery(groupsQuery(1, 1))
  expect(rows.map(({ latest }) => latest.id)).toEqual(['1'])
})
