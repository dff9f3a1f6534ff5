import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { RefusalCode } from '@tern/contract/protocol/refusal'

const pausesMs = [1000, 3000]
const openCodes: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'internal',
  'not_ready',
  'request_in_progress',
  'service_unavailable',
])
const stepUpCodes: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['step_up_required', 'step_up_invalid'])

/** With these, and with 401, 429 and 5xx, nothing was decided about the order: the same key may still be answered otherwise. */
const undecidedCodes: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'not_your_account',
  'verification_required',
  'request_in_progress',
  ...stepUpCodes,
])

/** True when nobody can say from this error whether the order was carried out. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Refused && openCodes.has(error.code))

/** True when the provider gave the server no answer: it may have taken the order on all the same. */
export const isProviderDown = (error: unknown): boolean =>
  error instanceof Refused && error.code === 'provider_unavailable'

/**
 * True when the server has decided against the order itself. It keeps such an answer with the Idempotency-Key, so the
 * same key brings the same refusal for good: pressing again is a fresh intention and needs a fresh key.
 */
export const isRefusedForGood = (error: unknown): boolean =>
  error instanceof Refused &&
  error.status < 500 &&
  error.status !== 401 &&
  error.status !== 429 &&
  !undecidedCodes.has(error.code)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Gives one order to the server, and the same again after a pause while its outcome is unknown. `order` must carry the
 * same Idempotency-Key each time; `isRepeat`: it was given before, and nobody knows what became of it. Throws what the last
 * attempt threw, or `Unreachable` when a repeat was turned away without a word about the order.
 */
export async function retrySameKey<T>(order: () => Promise<T>, onRetry: () => void, isRepeat = false): Promise<T> {
  let isUnknown = isRepeat
  for (let given = 0; ; given++) {
    try {
      return await order()
    } catch (error) {
      const isStepUpRequired = error instanceof Refused && stepUpCodes.has(error.code)
      if (isRefusedForGood(error) || isStepUpRequired) throw error
      const pauseMs = pausesMs[given]
      if (isOutcomeUnknown(error) && pauseMs !== undefined) {
        isUnknown = true
        onRetry()
        await pause(pauseMs)
      } else throw isUnknown && !isOutcomeUnknown(error) ? new Unreachable(error) : error
    }
  }
}

/** One Idempotency-Key for each intended movement, kept over all its retries. `left` is that of one before a reload. */
export function createIdempotencyKeys(left?: { intent: string; key: string }) {
  let kept = left
  const forget = () => void (kept = undefined)
  return {
    /** The key of this intention: the same for the same text, a new one for another. */
    of(intent: string): string {
      if (kept?.intent !== intent) kept = { intent, key: crypto.randomUUID() }
      return kept.key
    },
    /** What was intended is done, or was refused for good; the same text means a new order from now on. */
    forget,
    /** To be told of an attempt that failed: after a refusal for good the key is forgotten, otherwise it stays. */
    failed: (error: unknown) => (isRefusedForGood(error) ? forget() : undefined),
  }
}
