import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { endpoint, listRefusals } from './endpoint.ts'

const get = { method: 'GET', path: '/thing', summary: '', reply: z.undefined() } as const

test('an endpoint is refused in the ways that its fields imply, and in its own', () => {
  expect(listRefusals(endpoint({ ...get, access: 'public' }))).toEqual([])
  expect(listRefusals(endpoint({ ...get, access: 'session', refusals: ['not_found'] }))).toEqual([
    'unauthenticated',
    'not_found',
  ])
  expect(listRefusals(endpoint({ ...get, access: 'public', params: z.object({}) }))).toEqual(['invalid_request'])
  const order = {
    ...get,
    access: 'session',
    body: z.object({}),
    idempotencyKey: 'required',
    stepUp: 'accepted',
  } as const
  expect(listRefusals(endpoint({ ...order, refusals: ['limit_exceeded', 'unauthenticated'] }))).toEqual([
    'unauthenticated',
    'invalid_request',
    'step_up_required',
    'step_up_invalid',
    'idempotency_key_required',
    'idempotency_key_reused',
    'request_in_progress',
    'limit_exceeded',
  ])
})
