import { hash } from 'node:crypto'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { type Db, refuseMovement } from '@tern/ledger/ledger'
import { repeatRefusal } from '../outcome.ts'
import { Refusal, refuse, refuseField } from '../refuse.ts'

/** Returns the request hash that the ledger stores with a posting; equal for equal requests. */
export const requestHash = (request: Readonly<Record<string, unknown>>): Buffer =>
  hash('sha256', JSON.stringify(Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1))), 'buffer')

/**
 * Allows one call per key at a time in this process; refuses further ones with `request_in_progress`. Across processes,
 * the ledger's posting id decides, and the later call is a replay.
 */
export function createSingleFlight() {
  const running = new Set<string>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (running.has(key)) refuse('request_in_progress')
    running.add(key)
    try {
      return await work()
    } finally {
      running.delete(key)
    }
  }
}

/**
 * Refusals about the movement itself, which are stored under the key and repeated by any process. After other refusals
 * (caller, rate limit, missing confirmation, unavailable service) the key may be retried.
 */
const storedRefusalCodes: ReadonlySet<RefusalCode> = new Set([
  'insufficient_funds',
  'money_not_mature',
  'limit_exceeded',
  'recipient_not_found',
  'recipient_is_sender',
  'currency_not_held',
  'currency_not_supported',
  'amount_too_small',
  'quote_expired',
  'quote_used',
  'quote_mismatch',
  'payment_source_unavailable',
  'payment_method_not_found',
  'bank_account_needed',
])

/** Returns whether an error is a refusal stored with its key. */
export const isStoredRefusal = (error: unknown): error is Refusal =>
  error instanceof Refusal && storedRefusalCodes.has(error.code)

/** Request with its idempotency key, as the ledger stores it. */
export interface KeyedRequest {
  readonly id: string
  readonly requestHash: Buffer
  readonly kind: string
  readonly at: Date
}

/**
 * Stores a refusal under the request's key. Returns only if another process posted the movement meanwhile; otherwise
 * refuses with `refusal`, an earlier decision, or `idempotency_key_reused`.
 */
export async function storeRefusal(db: Db, request: KeyedRequest, { code, details }: Refusal): Promise<void> {
  const decision = await refuseMovement(db, { ...request, code, details })
  if (decision.status === 'key_reused') refuseField('idempotency_key_reused', 'Idempotency-Key')
  if (decision.status === 'refused') repeatRefusal(decision)
}
