import { Refused, Unreachable } from '@tern/contract/client'
import type { RefusalCode } from '@tern/contract/refusal'
import { useRef } from 'react'

const pausesMs = [1000, 3000]
const openCodes: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['internal', 'not_ready', 'request_in_progress'])

/** With these a call is turned away before the server looks whether its order was carried out already. */
const turningAwayCodes: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'unauthenticated',
  'rate_limited',
  'not_your_account',
  'verification_required',
])

/** True when nobody can say from this error whether the order was carried out. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Refused && openCodes.has(error.code))

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Gives one order to the server, and the same again after a pause while its outcome is unknown. `order` must carry the
 * same Idempotency-Key each time; `isRepeat`: it was given before, and nobody knows what became of it. Throws what the last
 * attempt threw, or `Unreachable` when a repeat was turned away without a word about the order.
 */
export async function insist<T>(order: () => Promise<T>, onRetry: () => void, isRepeat = false): Promise<T> {
  let isUnknown = isRepeat
  for (let given = 0; ; given++) {
    try {
      return await order()
    } catch (error) {
      if (error instanceof Refused && turningAwayCodes.has(error.code)) throw isUnknown ? new Unreachable(error) : error
      const pauseMs = pausesMs[given]
      if (!isOutcomeUnknown(error) || pauseMs === undefined) throw error
      isUnknown = true
      onRetry()
      await pause(pauseMs)
    }
  }
}

interface Keys {
  /** The key of this intent: the same for the same text, a new one for another. */
  of(intent: string): string
  /** What was intended is done; the same text means a new order from now on. */
  forget(): void
}

/** One Idempotency-Key for each intended movement, kept over all its retries. `left` is that of one before a reload. */
export function useIdempotencyKeys(left?: { intent: string; key: string }): Keys {
  const kept = useRef(left)
  return {
    of(intent) {
      if (kept.current?.intent !== intent) kept.current = { intent, key: crypto.randomUUID() }
      return kept.current.key
    },
    forget() {
      kept.current = undefined
    },
  }
}
