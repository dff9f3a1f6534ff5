import { beyond, feeOf, mostBeforeFeeBeyond } from '@tern/money/fee'
import { type Money, money } from '@tern/money/money'
import { only, type Db } from '../../../platform/database/db.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import type { Wallet } from '../../wallets/wallets.ts'

// What a withdrawal of card money costs: paid in by card and taken to a bank, it would be cash at no fee.

/** At what cost a wallet's money can go to a bank at some moment. */
export interface CostTerms {
  readonly version: number
  readonly basisPoints: bigint
  /** For how long money from a card costs that. */
  readonly days: number
  /** What goes without cost, since it is no card money. */
  readonly free: Money
}

/** What a withdrawal costs, on top of its amount. */
export interface Cost {
  readonly version: number
  readonly fee: Money
  /** What of its amount is card money. */
  readonly card: Money
}

const dayMs = 86_400_000
/** A payment has its id when it is begun, and is dated when its money comes. */
const listedWithinMs = 14 * dayMs

/** SQL: a deposit `t` is in the wallet. What came for a send that is held, or was made after it was held, is not. */
export const isKeptDeposit = `t.kind = 'DEPOSIT' and not exists (
  select from payment p join transaction sent on sent.user_id = t.user_id and sent.id = p.transaction_id
   where p.id = t.payment_id and sent.kind = 'SEND' and sent.status <> 'FAILED')`

/** SQL: a deposit or what takes it back, `t`, is money of a card; of a send that the wallet paid in part, the card's part. */
export const isOfCard = `t.payment_source in ('card', 'wallet_partial')`

/** SQL: a send `t` took money of the wallet. */
export const isOfWallet = `t.kind = 'SEND' and t.payment_source in ('wallet', 'wallet_partial')`

/** SQL: what `t` took from the wallet, fee included, in minor units of `$2`; of a send that a card paid in part, the wallet's part. */
export const takenFromWallet = `coalesce(
  (select p.wallet_part_minor from payment p where p.id = t.payment_id and p.method = 'wallet_partial' and t.kind = 'SEND'),
  t.source_amount + case when t.fee_currency = $2 then t.fee_amount else 0 end)`

interface CostPolicy {
  readonly version: number
  /** In hundredths of a percent. */
  readonly basis_points: number
  readonly card_days: number
}

/** Returns the newest version of the cost of withdrawing card money. */
export async function readCostPolicy(db: Db): Promise<CostPolicy> {
  const { rows } = await db.query<CostPolicy>(
    'select version, basis_points, card_days from withdrawal_cost_policy order by version desc limit 1',
  )
  return only(rows)
}

/**
 * The terms for a wallet that has this `balance` of its own currency, in minor units. Card money is what cards, also those of
 * guests, paid in within the days of `withdrawal_cost_policy`, less what they took back, what was sent to people since, and what a
 * withdrawal has paid the cost of, unless that came back. All else goes first, and free. `except`: a payout that is left out.
 */
export async function readCostTerms(
  db: Db,
  { userId, baseCurrency }: Wallet,
  { balance, at, except }: { balance: bigint; at: Date; except?: string },
): Promise<CostTerms> {
  const { version, basis_points: basisPoints, card_days: days } = await readCostPolicy(db)
  const since = new Date(at.getTime() - days * dayMs) // not money: days
  const { rows } = await db.query<{ minor: bigint }>(
    `with moved as (
       select t.id, t.created_at,
              case when o.id is not null then -(o.card_minor + o.fee_minor)
                   when t.kind = 'DEPOSIT' and t.target_currency = $2 then t.target_amount
                   when t.source_currency = $2 then -${takenFromWallet}
                   else 0 end as minor
         from transaction t left join payout o on o.id = t.payment_id and o.transaction_id = t.id
        where t.user_id = $1 and t.id >= $3 and t.status in ('COMPLETED', 'PENDING')
          and ((${isKeptDeposit} or t.kind = 'WITHDRAW') and ${isOfCard} and t.created_at > $4 and t.status = 'COMPLETED'
            or ${isOfWallet}
            or o.status <> 'returned' and o.id is distinct from $5::uuid)
     ), summed as (
       select *, sum(minor) over (order by created_at, id) as running from moved
     )
     select coalesce((select running from summed order by created_at desc, id desc limit 1) - least(0, (select min(running) from summed)), 0) as minor`,
    [userId, baseCurrency, firstIdAt(new Date(since.getTime() - listedWithinMs)), since, except ?? null],
  )
  const free = balance - only(rows).minor
  return { version, basisPoints: BigInt(basisPoints), days, free: money(baseCurrency, free > 0n ? free : 0n) }
}

/** What a withdrawal of this amount costs. */
export function costOf(amount: Money, { version, basisPoints, free }: CostTerms): Cost {
  const card = beyond(amount, free)
  return { version, fee: feeOf(card, basisPoints), card }
}

/** The most that can be withdrawn where so much may leave, cost included. */
export const mostWithCost = (available: Money, { basisPoints, free }: CostTerms): Money =>
  mostBeforeFeeBeyond(available, free, basisPoints)
