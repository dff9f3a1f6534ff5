import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'

const get = { method: 'GET', path: '/thing', summary: '', reply: z.undefined() } as const

test('an endpoint is refused in the ways that its fields imply, and in its own', () => {
  expect(endpoint({ ...get, access: 'public' }).refusals).toEqual([])
  expect(endpoint({ ...get, access: 'session', refusals: ['not_found'] }).refusals).toEqual([
    'unauthenticated',
    'not_found',
  ])
  expect(endpoint({ ...get, access: 'public', params: z.object({}) }).refusals).toEqual(['invalid_request'])
  const order = {
    ...get,
    access: 'session',
    body: z.object({}),
    idempotencyKey: 'required',
    stepUp: 'accepted',
  } as const
  expect(endpoint({ ...order, refusals: ['limit_exceeded', 'unauthenticated'] }).refusals).toEqual([
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
