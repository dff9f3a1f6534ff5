import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fetchRecipient } from './find-recipient.ts'

const { callApi } = vi.hoisted(() => ({ callApi: vi.fn<() => Promise<unknown>>() }))
vi.mock('../session/session.ts', () => ({ callApi }))

const own = { id: 1_234_567_897, username: 'ines', name: null, base_currency: 'EUR' } as const
const ana = { id: 1_234_567_898, username: 'ana.silva', name: 'A. S.', base_currency: 'EUR' }
const createRefusal = (status: number, code: RefusalCode, detail: string) =>
  new Refused({ status, code, detail } as never)

let reportedErrors: unknown[]
beforeEach(() => {
  reportedErrors = []
  vi.stubGlobal('reportError', (error: unknown) => void reportedErrors.push(error))
})
afterEach(() => vi.unstubAllGlobals())

test('a user is found by username, and an empty query finds no one', async () => {
  callApi.mockResolvedValueOnce([ana])
  expect(await fetchRecipient('ana.silva', own)).toEqual({ found: ana })
  callApi.mockResolvedValueOnce([])
  expect(await fetchRecipient('ana.silva', own)).toEqual({ found: undefined })
})

test.each([
  [403, 'verification_required', 'Verify your identity first.'],
  [429, 'rate_limited', 'Wait a moment.'],
] as const)('a search refused with %s %s says why, and not that no one was found', async (status, code, detail) => {
  callApi.mockRejectedValueOnce(createRefusal(status, code, detail))
  expect(await fetchRecipient('ana.silva', own)).toEqual({ refusal: detail })
  expect(reportedErrors).toEqual([])
})

test('an unknown number has its own message', async () => {
  callApi.mockRejectedValueOnce(createRefusal(404, 'not_found', 'Not found.'))
  expect(await fetchRecipient('1234567890', own)).toEqual({})
})

test('without a network the field shows an error', async () => {
  callApi.mockRejectedValueOnce(new Unreachable(new TypeError('offline')))
  expect(await fetchRecipient('ana.silva', own)).toEqual({ refusal: 'Network error. Please try again later.' })
  expect(reportedErrors).toHaveLength(1)
})

test('an unexpected error is not shown as a person who does not exist', async () => {
  callApi.mockRejectedValueOnce(new TypeError('unexpected reply'))
  expect(await fetchRecipient('ana.silva', own)).toEqual({
    refusal: 'We couldn’t search for this person. Please try again.',
  })
  expect(reportedErrors).toHaveLength(1)
})
