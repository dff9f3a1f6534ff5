import { createHash } from 'node:crypto'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { type Queryable, refuseMovement } from '@tern/ledger/ledger'
import { refuseAgain } from '../outcome.ts'
import { Refusal, refuse, refuseField } from '../refuse.ts'

/** What was asked for, as the hash the ledger keeps with a posting: the same request always gives the same hash. */
export const requestHash = (request: Readonly<Record<string, unknown>>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest()

/**
 * Lets each key run once at a time in this process: a second call while the first runs is refused `request_in_progress`.
 * Across processes the ledger's posting id decides, so a race there ends as a replay.
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
 * Refusals that are decided about the movement itself. They are kept with the key: the same request is answered the same for
 * good, whichever process gets it. Others say nothing about it (who asks, too many calls, a proof that is missing, a
 * service that is away), and the same key may be tried again.
 */
const keptCodes: ReadonlySet<RefusalCode> = new Set([
  'insufficient_funds',
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

/** Whether an error is a refusal that is kept with its key. */
export const isKept = (error: unknown): error is Refusal => error instanceof Refusal && keptCodes.has(error.code)

/** A request under its key, as the ledger knows it. */
export interface KeyedRequest {
  /** The id of the movement that it would make. */
  readonly id: string
  readonly requestHash: Buffer
  readonly kind: string
  readonly at: Date
}

/**
 * Keeps a refusal with the key of its request. Returns only when another process has posted the movement meanwhile; otherwise
 * refuses: as `refusal` says, or as was decided before, or `idempotency_key_reused`.
 */
export async function keepRefusal(db: Queryable, request: KeyedRequest, { code, details }: Refusal): Promise<void> {
  const decision = await refuseMovement(db, { ...request, code, details })
  if (decision.status === 'key_reused') refuseField('idempotency_key_reused', 'Idempotency-Key')
  if (decision.status === 'refused') refuseAgain(decision)
}
