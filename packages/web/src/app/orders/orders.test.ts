import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { type RefusalCode, refusalCodes, refusalStatus } from '@tern/contract/protocol/refusal'
import { refusals } from '@tern/messages/en/problems'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createIdempotencyKeys, retrySameKey, isOutcomeUnknown, isFinalRefusal } from './orders.ts'

const createRefusal = (code: RefusalCode) =>
  new Refused({
    type: 'about:blank',
    title: code,
    status: refusalStatus(code),
    detail: refusals[code],
    code,
    requestId: 'r',
  })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('an order', () => {
  it('is resent while its outcome is unknown, until it is answered', async () => {
    const order = vi.fn<() => Promise<string>>()
    order.mockRejectedValueOnce(new Unreachable(undefined)).mockRejectedValueOnce(createRefusal('internal'))
    order.mockResolvedValueOnce('done')
    const onRetry = vi.fn<() => void>()
    const answer = retrySameKey(order, onRetry)
    await vi.runAllTimersAsync()
    await expect(answer).resolves.toBe('done')
    expect(order).toHaveBeenCalledTimes(3)
    expect(onRetry).toHaveBeenCalledTimes(2)
  })

  it('is resent when the server could not reach its database, and ends unknown if it still cannot', async () => {
    const order = vi.fn<() => Promise<string>>().mockRejectedValue(createRefusal('service_unavailable'))
    const answer = retrySameKey(order, () => undefined).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(isOutcomeUnknown(await answer)).toBe(true)
    expect(order).toHaveBeenCalledTimes(3)
  })

  it('is not resent once the server has refused it', async () => {
    const order = vi.fn<() => Promise<string>>().mockRejectedValue(createRefusal('insufficient_funds'))
    await expect(retrySameKey(order, () => undefined)).rejects.toThrow('Insufficient balance')
    expect(order).toHaveBeenCalledTimes(1)
  })

  it('ends unknown, never failed, without any answer', async () => {
    const order = vi.fn<() => Promise<string>>().mockRejectedValue(new Unreachable(undefined))
    const answer = retrySameKey(order, () => undefined).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(isOutcomeUnknown(await answer)).toBe(true)
    expect(order).toHaveBeenCalledTimes(3)
  })

  it.each([
    'unauthenticated',
    'rate_limited',
    'not_your_account',
    'verification_required',
    'rates_unavailable',
    'provider_unavailable',
  ] as const)('stays unknown when its retry is turned away unprocessed with %s', async (code) => {
    const order = vi.fn<() => Promise<string>>().mockRejectedValue(createRefusal(code))
    order.mockRejectedValueOnce(new Unreachable(undefined))
    const answer = retrySameKey(order, () => undefined).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(isOutcomeUnknown(await answer)).toBe(true)
    expect(order).toHaveBeenCalledTimes(2)

    const callWithCode = vi.fn<() => Promise<string>>().mockRejectedValue(createRefusal(code))
    const repeatedCall = retrySameKey(callWithCode, () => undefined, true).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(isOutcomeUnknown(await repeatedCall)).toBe(true)
  })

  it('was not executed if its first attempt was turned away, or a retry was refused for its content', async () => {
    const order = vi.fn<() => Promise<string>>().mockRejectedValue(createRefusal('rate_limited'))
    await expect(retrySameKey(order, () => undefined)).rejects.toMatchObject({ code: 'rate_limited' })

    const refusedCall = vi.fn<() => Promise<string>>().mockRejectedValue(createRefusal('insufficient_funds'))
    refusedCall.mockRejectedValueOnce(new Unreachable(undefined))
    const answer = retrySameKey(refusedCall, () => undefined).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(await answer).toMatchObject({ code: 'insufficient_funds' })
    await expect(
      retrySameKey(
        () => Promise.reject(createRefusal('step_up_required')),
        () => undefined,
        true,
      ),
    ).rejects.toMatchObject({ code: 'step_up_required' })
  })

  it('has an unknown outcome only if the server may have executed it', () => {
    expect(isOutcomeUnknown(createRefusal('request_in_progress'))).toBe(true)
    expect(isOutcomeUnknown(createRefusal('quote_expired'))).toBe(false)
    expect(isOutcomeUnknown(createRefusal('rates_unavailable'))).toBe(false)
    expect(isOutcomeUnknown(new TypeError('ours'))).toBe(false)
  })
})

describe('the key of an order', () => {
  const order = (amount: string) => JSON.stringify({ amount })
  const pendingErrors = [
    'internal',
    'not_ready',
    'rates_unavailable',
    'provider_unavailable',
    'request_in_progress',
    'unauthenticated',
    'rate_limited',
    'too_many_attempts',
    'not_your_account',
    'verification_required',
    'step_up_required',
    'step_up_invalid',
  ] as const

  it('is one per content, and a new one for the same content after completion', () => {
    const keys = createIdempotencyKeys()
    const key = keys.getKey(order('5.00'))
    expect(keys.getKey(order('5.00'))).toBe(key)
    keys.clear()
    expect(keys.getKey(order('5.00'))).not.toBe(key)
  })

  it.each(['insufficient_funds', 'limit_exceeded', 'recipient_not_found', 'quote_used', 'quote_expired'] as const)(
    'is dropped when the order is refused with %s, which is final',
    (code) => {
      const keys = createIdempotencyKeys()
      const key = keys.getKey(order('5.00'))
      keys.failed(createRefusal(code))
      expect(keys.getKey(order('5.00'))).not.toBe(key)
    },
  )

  it.each([...pendingErrors.map(createRefusal), new Unreachable(undefined), new TypeError('ours')])(
    'is kept after %s',
    (error) => {
      const keys = createIdempotencyKeys({ intent: order('5.00'), key: 'of before a reload' })
      keys.failed(error)
      expect(keys.getKey(order('5.00'))).toBe('of before a reload')
    },
  )

  it('is kept after every answer of 401, 429 or 5xx', () => {
    const keptCodes = refusalCodes.filter((code) => !isFinalRefusal(createRefusal(code)))
    const isDecision = (code: RefusalCode) => refusalStatus(code) < 500 && ![401, 429].includes(refusalStatus(code))
    expect(keptCodes.filter(isDecision).toSorted()).toEqual(
      [
        'not_your_account',
        'step_up_invalid',
        'step_up_required',
        'request_in_progress',
        'verification_required',
      ].toSorted(),
    )
    expect(refusalCodes.filter((code) => !isDecision(code) && !keptCodes.includes(code))).toEqual([])
  })
})
