import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import type { GuestPaymentRow } from '../row-types.ts'

/** Guest's data of a payment; undefined for members' payments, and for old failed ones, whose data was deleted. */
export async function findGuestPayment(db: Db, paymentId: string): Promise<GuestPaymentRow | undefined> {
  const { rows } = await db.query<GuestPaymentRow>('select * from guest_payment where payment_id = $1', [paymentId])
  return rows[0]
}

/** Limits for guests, who are not verified, in US dollar cents; `per30Days` applies per email and per card. */
export const guestLimits = { perPayment: 15_000n, per30Days: 30_000n } as const
const monthMs = 30 * 86_400_000

interface CountedUsage {
  readonly by: 'email' | 'card_fingerprint'
  readonly value: string
  readonly paymentId: string
  readonly usdMinor: bigint
  readonly at: Date
}

/** True if a payment is within the limit of its email or card; locks that limit until the transaction ends. */
export async function fitsGuestLimit(tx: Tx, { by, value, paymentId, usdMinor, at }: CountedUsage): Promise<boolean> {
  await lockName(tx, `guest ${by} ${value}`)
  const { rows } = await tx.query<{ sum: bigint }>(
    `select coalesce(sum(g.usd_minor), 0) as sum from guest_payment g join payment p on p.id = g.payment_id
      where g.${by} = $1 and g.created_at > $2 and g.payment_id <> $3 and p.status <> 'failed'`,
    [value, new Date(at.getTime() - monthMs), paymentId],
  )
  return onlyRow(rows).sum + usdMinor <= guestLimits.per30Days
}
