import { createHash } from 'node:crypto'
import type { Transaction } from '@tern/contract/transactions'
import type { Outcome } from '@tern/ledger/movement'
import type pg from 'pg'
import { refuse, refuseField } from '../../refuse.ts'
import { findTransaction } from './transactions.ts'

/** Turns a refused outcome of the ledger into the refusal a person reads; gives back the others. */
export function acceptOutcome(outcome: Outcome): 'posted' | 'replayed' {
  if (outcome.status !== 'refused') return outcome.status
  switch (outcome.reason) {
    case 'insufficient_funds':
      return refuseField('insufficient_funds', 'amount')
    case 'limit_exceeded':
      return refuseField('limit_exceeded', 'amount')
    case 'key_reused':
      return refuseField('idempotency_key_reused', 'Idempotency-Key')
    case 'already_used':
      return refuseField('quote_used', 'quote_id')
    case 'unknown_account':
    case 'currency_mismatch':
    case 'not_permitted':
      throw new Error(`the ledger refused a movement it was built for: ${outcome.reason}`)
  }
}

/** What was asked for, as the hash the ledger keeps with a posting: the same request always gives the same hash. */
export const requestHash = (request: Readonly<Record<string, unknown>>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest()

/** The transaction an earlier request with this posting id made, if it made one; refuses when it asked for something else. */
export async function findReplay(
  pool: pg.Pool,
  userId: bigint,
  postingId: string,
  hash: Buffer,
): Promise<Transaction | undefined> {
  const { rows } = await pool.query<{ reference: string; request_hash: Buffer }>(
    'select reference, request_hash from ledger.posting where id = $1',
    [postingId],
  )
  const earlier = rows[0]
  if (!earlier) return undefined
  if (!earlier.request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
  return findTransaction(pool, userId, earlier.reference)
}

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
