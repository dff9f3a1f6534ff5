import type { Queryable, Tx } from '../../../platform/database/db.ts'
import { transact } from '../../../platform/database/db.ts'
import { isKept } from '../../../platform/http/idempotency.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { refuseAgain } from '../../../platform/outcome.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { PaymentContext } from '../context.ts'
import type { PaymentRow } from './payment-rows.ts'

// A payment that was refused before it was begun keeps its key refused, also for another process that is about to begin it.

/** One request of a user, as it can be repeated. */
export interface Request {
  readonly userId: bigint
  readonly idempotencyKey: string
  /** Of all that was asked for. */
  readonly hash: Buffer
}

/** Lets one transaction at a time decide about a key. To be taken before anything else is locked. */
export const lockKey = (tx: Tx, { userId, idempotencyKey }: Request): Promise<void> =>
  lockName(tx, `payment ${userId} ${idempotencyKey}`)

/** The payment that this key began. Refuses as the key was refused before, and when it is another request's. */
export async function findByKey(
  { pool }: Pick<PaymentContext, 'pool'>,
  request: Request,
): Promise<PaymentRow | undefined> {
  const { userId, idempotencyKey, hash } = request
  const { rows } = await pool.query<PaymentRow>('select * from payment where user_id = $1 and idempotency_key = $2', [
    userId,
    idempotencyKey,
  ])
  const [payment] = rows
  if (payment && !payment.request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
  if (!payment) await refuseAsBefore(pool, request)
  return payment
}

/** Refuses as this key was refused before, if it was; `idempotency_key_reused` when that was another request. */
export async function refuseAsBefore(db: Queryable, { userId, idempotencyKey, hash }: Request): Promise<void> {
  const { rows } = await db.query<{ request_hash: Buffer; code: string; details: unknown }>(
    'select request_hash, code, details from refused_payment where user_id = $1 and idempotency_key = $2',
    [userId, idempotencyKey],
  )
  const [refused] = rows
  if (!refused) return
  if (!refused.request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
  refuseAgain(refused)
}

/**
 * What follows when a payment cannot be begun: a refusal that is decided about it is kept with its key and thrown. Gives the
 * payment that another process has begun under the key meanwhile; throws every other error on.
 */
export async function keepPaymentRefusal(
  context: PaymentContext,
  request: Request,
  error: unknown,
): Promise<PaymentRow> {
  if (!isKept(error)) throw error
  const { userId, idempotencyKey, hash } = request
  await transact(context.pool, async (tx) => {
    await lockKey(tx, request)
    await tx.query(
      `insert into refused_payment (user_id, idempotency_key, request_hash, code, details, refused_at)
       select $1, $2, $3, $4, $5, $6
        where not exists (select from payment where user_id = $1 and idempotency_key = $2)
       on conflict do nothing`,
      [userId, idempotencyKey, hash, error.code, JSON.stringify(error.details), context.now()],
    )
  })
  const begun = await findByKey(context, request)
  if (begun) return begun
  throw error
}
