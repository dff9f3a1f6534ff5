import type { CardMoneyRule } from '../../../platform/http/installation/installation.ts'
import { onlyRow, type Db } from '../../../platform/database/db.ts'

/** Reads the default hold time of card money, for any country and account age, and the cost of withdrawing it. */
export async function readCardMoneyRule(db: Db): Promise<CardMoneyRule> {
  const { rows } = await db.query<CardMoneyRule>(
    `select coalesce((select m.hours from maturity_policy m
               where m.method = 'card' and m.country is null and m.account_younger_than_days is null), 0)::int as hours,
            c.basis_points as "basisPoints", c.card_days as days
       from withdrawal_cost_policy c order by c.version desc limit 1`,
  )
  return onlyRow(rows)
}
