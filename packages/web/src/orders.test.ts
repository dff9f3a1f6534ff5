import { Refused, Unreachable } from '@tern/contract/client'
import { type RefusalCode, refusalSentence, refusalStatus } from '@tern/contract/refusal'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { insist, isOutcomeUnknown } from './orders.ts'

const refused = (code: RefusalCode) =>
  new Refused({
    type: 'about:blank',
    title: code,
    status: refusalStatus(code),
    detail: refusalSentence(code),
    code,
    requestId: 'r',
  })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('an order', () => {
  it('is given again while nobody knows its outcome, and then its answer counts', async () => {
    const order = vi.fn<() => Promise<string>>()
    order.mockRejectedValueOnce(new Unreachable(undefined)).mockRejectedValueOnce(refused('internal'))
    order.mockResolvedValueOnce('done')
    const onRetry = vi.fn<() => void>()
    const answer = insist(order, onRetry)
    await vi.runAllTimersAsync()
    await expect(answer).resolves.toBe('done')
    expect(order).toHaveBeenCalledTimes(3)
    expect(onRetry).toHaveBeenCalledTimes(2)
  })

  it('is not given again once the server has said no', async () => {
    const order = vi.fn<() => Promise<string>>().mockRejectedValue(refused('insufficient_funds'))
    await expect(insist(order, () => undefined)).rejects.toThrow('Insufficient balance')
    expect(order).toHaveBeenCalledTimes(1)
  })

  it('ends unknown, never failed, when no answer comes at all', async () => {
    const order = vi.fn<() => Promise<string>>().mockRejectedValue(new Unreachable(undefined))
    const answer = insist(order, () => undefined).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(isOutcomeUnknown(await answer)).toBe(true)
    expect(order).toHaveBeenCalledTimes(3)
  })

  it.each(['unauthenticated', 'rate_limited', 'not_your_account', 'verification_required'] as const)(
    'stays unknown when its repeat is turned away as %s before it was looked at',
    async (code) => {
      const order = vi.fn<() => Promise<string>>().mockRejectedValue(refused(code))
      order.mockRejectedValueOnce(new Unreachable(undefined))
      const answer = insist(order, () => undefined).catch((error: unknown) => error)
      await vi.runAllTimersAsync()
      expect(isOutcomeUnknown(await answer)).toBe(true)
      expect(order).toHaveBeenCalledTimes(2)

      const given = vi.fn<() => Promise<string>>().mockRejectedValue(refused(code))
      const again = insist(given, () => undefined, true).catch((error: unknown) => error)
      await vi.runAllTimersAsync()
      expect(isOutcomeUnknown(await again)).toBe(true)
    },
  )

  it('was not carried out when its first attempt was turned away, or a repeat was refused for what it asks', async () => {
    const order = vi.fn<() => Promise<string>>().mockRejectedValue(refused('rate_limited'))
    await expect(insist(order, () => undefined)).rejects.toMatchObject({ code: 'rate_limited' })

    const beyond = vi.fn<() => Promise<string>>().mockRejectedValue(refused('insufficient_funds'))
    beyond.mockRejectedValueOnce(new Unreachable(undefined))
    const answer = insist(beyond, () => undefined).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(await answer).toMatchObject({ code: 'insufficient_funds' })
    await expect(
      insist(
        () => Promise.reject(refused('proof_required')),
        () => undefined,
        true,
      ),
    ).rejects.toMatchObject({ code: 'proof_required' })
  })

  it('has an unknown outcome only where the server may have carried it out', () => {
    expect(isOutcomeUnknown(refused('request_in_progress'))).toBe(true)
    expect(isOutcomeUnknown(refused('quote_expired'))).toBe(false)
    expect(isOutcomeUnknown(refused('rates_unavailable'))).toBe(false)
    expect(isOutcomeUnknown(new TypeError('ours'))).toBe(false)
  })
})
