import { type Money, money } from '@tern/money/money'
import { only, type Queryable } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import { type CostTerms, isKeptDeposit, isOfCard, isOfWallet, mostWithCost, takenFromWallet } from './card-cost.ts'

/** Money of a wallet that came lately, and may not go to a bank yet. */
export interface Immature {
  readonly amount: Money
  /** When all of it may; undefined where there is none. */
  readonly until: Date | undefined
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A payment has its id when it is begun, and is dated when its money comes. */
const listedWithinMs = 14 * dayMs

/**
 * What of a wallet's own currency may not go to a bank yet: what cards paid in, which their owners can take back, as long as
 * `maturity_policy` says for the method, the country of residence and the age of the account. What was sent to people since is
 * taken to have been such money first.
 */
export async function immatureMoney(
  db: Queryable,
  { userId, baseCurrency }: Wallet,
  country: string | undefined,
  at: Date,
): Promise<Immature> {
  const hoursOf = await readHours(db, userId, country, at)
  const [card, bank] = [hoursOf('card'), hoursOf('bank')]
  const since = new Date(at.getTime() - Math.max(card, bank) * hourMs) // not money: hours
  const { rows } = await db.query<{ minor: bigint; last_at: Date | null; method: string | null }>(
    `with moved as (
       select id, created_at, payment_source,
              case when kind = 'DEPOSIT' and target_currency = $2 then target_amount
                   when source_currency = $2 then -${takenFromWallet}
                   else 0 end as minor
         from transaction t
        where user_id = $1 and id >= $3 and status in ('COMPLETED', 'PENDING')
          and ((${isKeptDeposit} or kind = 'WITHDRAW') and ${isOfCard} and created_at > $4 and status = 'COMPLETED'
            or (${isKeptDeposit} or kind = 'WITHDRAW') and payment_source = 'bank' and exists (select from payment where payment.id = t.payment_id)
               and created_at > $5 and status = 'COMPLETED'
            or ${isOfWallet})
     ), summed as (
       select *, sum(minor) over (order by created_at, id) as running from moved
     )
     select coalesce((select running from summed order by created_at desc, id desc limit 1) - least(0, (select min(running) from summed)), 0) as minor,
            (select max(created_at) from moved where minor > 0) as last_at,
            (select payment_source from moved where minor > 0 order by created_at desc limit 1) as method`,
    [
      userId,
      baseCurrency,
      firstIdAt(new Date(since.getTime() - listedWithinMs)),
      new Date(at.getTime() - card * hourMs),
      new Date(at.getTime() - bank * hourMs),
    ],
  )
  const { minor, last_at: lastAt, method } = only(rows)
  const hours = method === 'bank' ? bank : card
  const until = minor > 0n && lastAt ? new Date(lastAt.getTime() + hours * hourMs) : undefined
  return { amount: money(baseCurrency, minor), until }
}

async function readHours(db: Queryable, userId: bigint, country: string | undefined, at: Date) {
  const { rows } = await db.query<{ method: string; hours: number }>(
    `select method, max(hours) as hours from maturity_policy, app_user
      where id = $1 and (country is null or country = $2)
        and (account_younger_than_days is null or created_at > $3::timestamptz - make_interval(days => account_younger_than_days))
      group by method`,
    [userId, country ?? null, at],
  )
  return (method: 'card' | 'bank'): number => rows.find((row) => row.method === method)?.hours ?? 0
}

/**
 * Refuses `money_not_mature` where less than the `total` of a withdrawal, cost included, may go to a bank; `balance` includes what
 * is withdrawn now.
 */
export function requireMature(
  { currency, minor }: Money,
  balance: bigint,
  { amount: immature, until }: Immature,
  terms: CostTerms,
): void {
  const mature = balance - immature.minor
  if (minor <= mature || until === undefined) return
  const params = {
    available: amountText(mostWithCost(money(currency, mature > 0n ? mature : 0n), terms)),
    day: new Date(until.getTime() + dayMs - 1).toISOString().slice(0, 10),
  }
  refuseField('money_not_mature', 'amount', { code: 'card_money_not_mature', params })
}
