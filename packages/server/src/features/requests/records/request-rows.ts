import { type Money, money } from '@tern/money/money'
import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import type { PaymentRequestRow, RequestPaymentRow } from '../row-types.ts'

export const toRequestMoney = ({ currency }: Pick<PaymentRequestRow, 'currency'>, minor: bigint): Money =>
  money(currency, minor)

/** Request with this id, of any user. */
export async function findRequest(db: Db, id: string): Promise<PaymentRequestRow | undefined> {
  const { rows } = await db.query<PaymentRequestRow>('select * from payment_request where id = $1', [id])
  return rows[0]
}

/** Request with this id, locked until the transaction ends. Must be locked before the accounts of its payments. */
export async function lockRequest(tx: Tx, id: string): Promise<PaymentRequestRow> {
  const { rows } = await tx.query<PaymentRequestRow>('select * from payment_request where id = $1 for no key update', [
    id,
  ])
  return onlyRow(rows)
}

/** Payment with the guest's name, if a guest paid. */
export type ShownPayment = RequestPaymentRow & { readonly guest_name: string | null }

/** Payments of these requests that were not released, newest first. */
export async function loadPayments(db: Db, ids: readonly string[]): Promise<Map<string, ShownPayment[]>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<ShownPayment>(
    `select q.*, p.payer_name as guest_name from request_payment q left join payment p on p.id = q.payment_id
      where q.request_id = any($1) and q.status <> 'released' order by q.created_at desc, q.posting_id`,
    [ids],
  )
  return Map.groupBy(rows, ({ request_id: requestId }) => requestId)
}
