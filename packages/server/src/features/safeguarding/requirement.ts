import type { CurrencyCode } from '@tern/money/currency'
import type { Db } from '../../platform/database/db.ts'

/**
 * Returns customers' money at a time in minor units, by fiat currency: all wallets, and all that is on hold. It is the
 * balance now without the entries since then, in one snapshot.
 */
export async function readRequirement(db: Db, at: Date): Promise<ReadonlyMap<CurrencyCode, bigint>> {
  const { rows } = await db.query<{ currency: CurrencyCode; minor: bigint }>(
    `with later as (
       select account_id, sum(amount) as amount from ledger.entry where created_at >= $1 group by account_id
     )
     select a.currency, sum(a.balance - coalesce(l.amount, 0)) as minor
       from ledger.account a
       join ledger.currency c on c.code = a.currency and c.kind = 'fiat'
       left join later l on l.account_id = a.id
      where a.kind in ('wallet', 'hold') group by a.currency order by a.currency`,
    [at],
  )
  return new Map(rows.map(({ currency, minor }) => [currency, minor]))
}
