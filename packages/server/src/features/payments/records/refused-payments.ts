import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { isStoredRefusal } from '../../../platform/http/idempotency.ts'
import { refuseField } from '../../../platform/refuse.ts'
import { repeatRefusal } from '../../../platform/outcome.ts'
import type { PaymentContext } from '../context.ts'
import type { PaymentRow, RefusedPaymentRow } from '../row-types.ts'

/** Request of a user under an idempotency key. */
export interface Request {
  readonly userId: bigint
  readonly idempotencyKey: string
  /** Hash of the whole request. */
  readonly hash: Buffer
}

/** Serializes decisions about a key. Taken before any other lock. */
export const lockKey = (tx: Tx, { userId, idempotencyKey }: Request): Promise<void> =>
  lockName(tx, `payment ${userId} ${idempotencyKey}`)

const isSame = ({ request_hash: storedHash }: { request_hash: Buffer }, { hash }: Request): boolean =>
  storedHash.equals(hash) || refuseField('idempotency_key_reused', 'Idempotency-Key')

/** Payment begun under this key, if any. Repeats a stored refusal of the key, and refuses a key of another request. */
export async function findByKey(db: Db, request: Request): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>('select * from payment where user_id = $1 and idempotency_key = $2', [
    request.userId,
    request.idempotencyKey,
  ])
  const [payment] = rows
  if (payment && isSame(payment, request)) return payment
  await repeatStoredRefusal(db, request)
  return undefined
}

/** Repeats the stored refusal of this key, if any. Refuses `idempotency_key_reused` for another request. */
export async function repeatStoredRefusal(db: Db, request: Request): Promise<void> {
  const { rows } = await db.query<Pick<RefusedPaymentRow, 'request_hash' | 'code' | 'details'>>(
    'select request_hash, code, details from refused_payment where user_id = $1 and idempotency_key = $2',
    [request.userId, request.idempotencyKey],
  )
  if (rows[0] && isSame(rows[0], request)) repeatRefusal(rows[0])
}

/** Stores a refusal with its key and throws it, unless another process has begun the payment meanwhile. */
export async function storePaymentRefusal(
  { now }: Pick<PaymentContext, 'now'>,
  pool: pg.Pool,
  { request, error }: { readonly request: Request; readonly error: unknown },
): Promise<PaymentRow> {
  if (!isStoredRefusal(error)) throw error
  const { userId, idempotencyKey, hash } = request
  await transact(pool, async (tx) => {
    await lockKey(tx, request)
    await tx.query(
      `insert into refused_payment (user_id, idempotency_key, request_hash, code, details, refused_at)
       select $1, $2, $3, $4, $5, $6
        where not exists (select from payment where user_id = $1 and idempotency_key = $2)
       on conflict do nothing`,
      [userId, idempotencyKey, hash, error.code, JSON.stringify(error.details), now()],
    )
  })
  const existingPayment = await findByKey(pool, request)
  if (existingPayment) return existingPayment
  throw error
}
