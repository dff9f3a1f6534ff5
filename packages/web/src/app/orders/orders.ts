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

/** Codes that, like 401, 429 and 5xx, leave an order undecided: the same key may still get another reply. */
const undecidedCodes: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'not_your_account',
  'verification_required',
  'request_in_progress',
  ...stepUpCodes,
])

/** True if the error leaves open whether the order was carried out. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Refused && openCodes.has(error.code))

/** True if the provider did not answer the server: it may still have accepted the order. */
export const isProviderDown = (error: unknown): boolean =>
  error instanceof Refused && error.code === 'provider_unavailable'

/**
 * True if the server has refused the order itself. The server stores that reply under the Idempotency-Key, so another
 * attempt needs a new key.
 */
export const isFinalRefusal = (error: unknown): boolean =>
  error instanceof Refused &&
  error.status < 500 &&
  error.status !== 401 &&
  error.status !== 429 &&
  !undecidedCodes.has(error.code)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Sends one order, and again after pauses while its outcome is unknown. `order` must carry the same Idempotency-Key
 * each time; `isRepeat` marks an order sent before with unknown outcome. Throws the error of the last attempt, or
 * `Unreachable` if a repeat was rejected without a decision about the order.
 */
export async function retrySameKey<T>(order: () => Promise<T>, onRetry: () => void, isRepeat = false): Promise<T> {
  let isUnknown = isRepeat
  for (let retryCount = 0; ; retryCount++) {
    try {
      return await order()
    } catch (error) {
      const isStepUpRequired = error instanceof Refused && stepUpCodes.has(error.code)
      if (isFinalRefusal(error) || isStepUpRequired) throw error
      const pauseMs = pausesMs[retryCount]
      if (isOutcomeUnknown(error) && pauseMs !== undefined) {
        isUnknown = true
        onRetry()
        await pause(pauseMs)
      } else throw isUnknown && !isOutcomeUnknown(error) ? new Unreachable(error) : error
    }
  }
}

/** Idempotency-Keys: one per movement, kept across its retries. `persisted` was stored before a reload. */
export function createIdempotencyKeys(persisted?: { intent: string; key: string }) {
  let entry = persisted
  const clear = () => void (entry = undefined)
  return {
    /** Key of an intent: the same for the same text, a new one for another. */
    getKey(intent: string): string {
      if (entry?.intent !== intent) entry = { intent, key: crypto.randomUUID() }
      return entry.key
    },
    /** Forgets the key once the intent is done or permanently refused; the same text then means a new order. */
    clear,
    /** Takes the error of a failed attempt: forgets the key after a final refusal, otherwise keeps it. */
    failed: (error: unknown) => (isFinalRefusal(error) ? clear() : undefined),
  }
}
