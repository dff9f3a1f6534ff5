import { QueryClient } from '@tanstack/react-query'
import { order } from '@tern/contract/orders/orders'
import { splitDetails } from '@tern/contract/requests/splits'
import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { describe, expect, test, vi } from 'vitest'
import { buildQuery, retryUnlessRefused, buildVisitorQuery } from './query.ts'

const calls = vi.hoisted(() => ({
  callApi: vi.fn(async () => 'as a member'),
  callAsVisitor: vi.fn(async () => 'as a visitor'),
}))
vi.mock('./session.ts', () => calls)

const split = (userId: number | undefined, id: string) =>
  buildQuery(['requests', userId], splitDetails, { params: { id } })

describe('a query of an endpoint', () => {
  test('has a key for each person, endpoint and input', () => {
    const keys = [
      split(1, 'a').queryKey,
      split(1, 'b').queryKey,
      split(2, 'a').queryKey,
      buildQuery(['requests', 1], order, { params: { id: 'a' } }).queryKey,
    ].map((key) => JSON.stringify(key))
    expect(new Set(keys).size).toBe(keys.length)
    expect(split(1, 'a').queryKey).toEqual(split(1, 'a').queryKey)
  })

  test('is refetched by its topic and person, and no other is', async () => {
    const client = new QueryClient()
    for (const query of [split(1, 'a'), split(1, 'b'), split(2, 'a')]) await client.fetchQuery(query)
    await client.invalidateQueries({ queryKey: ['requests', 1] })
    const isStale = (userId: number, id: string) => client.getQueryState(split(userId, id).queryKey)?.isInvalidated
    expect([isStale(1, 'a'), isStale(1, 'b'), isStale(2, 'a')]).toEqual([true, true, false])
  })

  test('waits until its person is known', () => {
    expect([split(undefined, 'a').enabled, split(1, 'a').enabled]).toEqual([false, true])
  })

  test('calls the endpoint with its input, as the person or as a visitor', async () => {
    const client = new QueryClient()
    const input = { params: { id: 'c' } }
    expect(await client.fetchQuery(buildQuery(['requests', 1], splitDetails, input))).toBe('as a member')
    expect(calls.callApi).toHaveBeenLastCalledWith(splitDetails, input, expect.any(AbortSignal))
    expect(await client.fetchQuery(buildVisitorQuery(['tracking'], splitDetails, input))).toBe('as a visitor')
    expect(calls.callAsVisitor).toHaveBeenLastCalledWith(splitDetails, input, expect.any(AbortSignal))
  })
})

test('a refusal is final, and a lost reply is asked for again', () => {
  const retry = retryUnlessRefused(2)
  const unreachable = new Unreachable(new Error('offline'))
  expect([retry(0, unreachable), retry(1, unreachable), retry(2, unreachable)]).toEqual([true, true, false])
  const refusal = new Refused({ code: 'not_found', detail: 'There is none.', status: 404 } as Refused['problem'])
  expect(retry(0, refusal)).toBe(false)
})
