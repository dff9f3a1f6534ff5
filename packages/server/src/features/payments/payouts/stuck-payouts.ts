import { type Money, money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { PaymentContext } from '../context.ts'
import { localDays } from './business-days.ts'
import { openCase } from '../records/reconciliation-exceptions.ts'
import type { PayoutRow } from '../row-types.ts'

/** Payout that is overdue, unconfirmed by its provider, or under review. */
export interface StuckPayout {
  readonly id: string
  readonly userId: bigint
  readonly amount: Money
  readonly status: 'pending' | 'needs_review'
  readonly provider: string
  /** Provider's id; null if the provider never confirmed the order. */
  readonly providerPayoutId: string | null
  readonly bank: string
  /** Calendar day in the country of the bank account. */
  readonly expectedOn: string
  readonly createdAt: Date
  readonly lastPolledAt: Date
}

type StuckRow = Omit<StuckPayout, 'amount'> & Pick<PayoutRow, 'amount_minor' | 'currency'>

const hourMs = 3_600_000

/**
 * Payouts under review, unconfirmed for an hour since they were ordered or released, or overdue: their expected day has
 * ended in the country of their bank. Oldest first. With `id`, that payout only.
 */
export async function findStuckPayouts(
  { now }: Pick<PaymentContext, 'now'>,
  db: Db,
  id?: string,
): Promise<StuckPayout[]> {
  if (id !== undefined && !isUuid(id)) return []
  const at = now()
  const { rows } = await db.query<StuckRow>(
    `select p.id, p.user_id as "userId", amount_minor, p.currency, status, p.provider, provider_payout_id as "providerPayoutId",
         bank_name || ' ··' || last4 as bank, expected_on as "expectedOn", p.created_at as "createdAt",
         last_polled_at as "lastPolledAt"
       from payout p join bank_account b on b.id = p.bank_account_id
      where (status = 'needs_review'
          or (status = 'pending' and (expected_on < coalesce($4::jsonb ->> b.country, $1)::date or (provider_payout_id is null and p.updated_at < $2))))
        and ($3::uuid is null or p.id = $3)
      order by p.created_at, p.id`,
    [at.toISOString().slice(0, 'yyyy-mm-dd'.length), new Date(at.getTime() - hourMs), id ?? null, localDays(at)],
  )
  return rows.map(({ amount_minor: minor, currency, ...row }) => Object.assign(row, { amount: money(currency, minor) }))
}

/** Opens a case about a late payout, so that it can be resolved manually. An open case stays unchanged. */
export async function openLatePayout(
  { now }: Pick<PaymentContext, 'now'>,
  db: Db,
  { id, provider, amount, createdAt, expectedOn }: StuckPayout,
): Promise<void> {
  const caseKey = { kind: 'unmatched', provider, subject: id, reference: id } as const
  const detail = { code: 'payout_late', params: { expected: expectedOn } } as const
  await openCase(db, { ...caseKey, amount, happenedAt: createdAt, detail }, now())
}
