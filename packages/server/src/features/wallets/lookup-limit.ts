import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { OutcomeLimit } from '../../platform/http/rate-limits.ts'
import { Refusal } from '../../platform/refuse.ts'
import { requireVerifiedToLookUp } from '../identity/identity.ts'
import type { Wallets } from './wallets.ts'

/** Refusals that reveal whether a user number exists, or its owner or wallet. */
const revealingCodes: ReadonlySet<RefusalCode> = new Set([
  'recipient_not_found',
  'currency_not_held',
  'step_up_required',
])

const isRevealing = (error: unknown): boolean => error instanceof Refusal && revealingCodes.has(error.code)

interface LookUpContext {
  readonly wallets: Pick<Wallets, 'hasPaid'>
  readonly limit: OutcomeLimit
  /** Counts a whole name that is shown to the caller. */
  readonly limitNames: FastifyInstance['limitNames']
  readonly now: () => Date
}

/** `limitLookUp` bound to the limits of an API. */
export type LimitedLookup = <T>(request: FastifyRequest, otherId: bigint, work: () => Promise<T>) => Promise<T>

interface LookupCall<T> {
  readonly request: FastifyRequest
  readonly otherId: bigint
  readonly work: () => Promise<T>
}

/**
 * Runs `work`, which looks up `otherId`, and counts it only if it ends with a revealing refusal. Refuses
 * `verification_required` first to callers who are not verified, then `rate_limited` above the limit. Payees whom the
 * caller has paid do not count.
 */
export async function limitLookUp<T>(
  { wallets, limit, limitNames, now }: LookUpContext,
  pool: pg.Pool,
  { request, otherId, work }: LookupCall<T>,
): Promise<T> {
  const callerId = request.caller?.userId
  // Usually cached, so that repeated payments need no query.
  const payment = callerId === undefined ? undefined : { senderId: callerId, recipientId: otherId, before: now() }
  if (payment && (await wallets.hasPaid(pool, payment))) return work()
  if (request.caller) requireVerifiedToLookUp(request.caller)
  try {
    return await limit.around(request, work, isRevealing)
  } catch (error) {
    // The step-up shows the recipient's name.
    if (error instanceof Refusal && error.code === 'step_up_required') await limitNames(request, otherId)
    throw error
  }
}

interface LookupParts {
  readonly wallets: Pick<Wallets, 'hasPaid'>
  readonly pool: pg.Pool
  readonly now: () => Date
}

/** Binds `limitLookUp` to the limits of an API. */
export function createLookUp(api: FastifyInstance, { wallets, pool, now }: LookupParts): LimitedLookup {
  const ctx: LookUpContext = { wallets, now, limit: api.limitLookups, limitNames: api.limitNames }
  return (request, otherId, work) => limitLookUp(ctx, pool, { request, otherId, work })
}
