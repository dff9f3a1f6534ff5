import { amountAbove, computeFee, maxBeforeFeeAbove } from '@tern/money/fee'
import { type Money, money } from '@tern/money/money'
import { onlyRow, type Db } from '../../../platform/database/db.ts'
import { buildFirstId } from '../../../platform/ids.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { WithdrawalCostPolicyRow } from '../row-types.ts'

// Cost of withdrawing card money. Without it, a card deposit that is withdrawn to a bank would be a free cash advance.

/** Terms for withdrawing a wallet's money. */
export interface CostTerms {
  readonly version: number
  readonly basisPoints: bigint
  /** Days after a card deposit during which its withdrawal has this cost. */
  readonly days: number
  /** Amount that is no card money, and can be withdrawn without cost. */
  readonly free: Money
}

/** Cost of a withdrawal, on top of its amount. */
export interface Cost {
  readonly version: number
  readonly fee: Money
  /** Part of the amount that is card money. */
  readonly card: Money
}

const dayMs = 86_400_000
/**
 * Maximum time from the start of a payment, which is in its transaction id, to the arrival of its money, which is in
 * `created_at`. The bound on ids reaches back this much further.
 */
const listedWithinMs = 14 * dayMs

/** SQL condition: deposit `t` stayed in the wallet, and did not fund a send that was made or is held. */
export const depositInWalletSql = `t.kind = 'DEPOSIT' and not exists (
  select from payment p join transaction sent on sent.user_id = t.user_id and sent.id = p.transaction_id
   where p.id = t.payment_id and sent.kind = 'SEND' and sent.status <> 'FAILED')`

/** SQL condition: deposit or reversal `t` is card money, such as the card part of a send paid by card and wallet. */
export const fundedByCardSql = `t.payment_source in ('card', 'wallet_partial')`

/** SQL condition: send `t` was paid from the wallet, at least in part. */
export const fundedByWalletSql = `t.kind = 'SEND' and t.payment_source in ('wallet', 'wallet_partial')`

/**
 * SQL: amount that `t` took from the wallet, fee included, in minor units of currency `$2`. For a send paid by wallet
 * and card it is the wallet's part.
 */
export const paidFromWalletSql = `coalesce(
  (select p.wallet_part_minor from payment p where p.id = t.payment_id and p.method = 'wallet_partial' and t.kind = 'SEND'),
  t.source_amount + case when t.fee_currency = $2 then t.fee_amount else 0 end)`

/** Returns the newest version of the cost of withdrawing card money. */
export async function readCostPolicy(db: Db): Promise<WithdrawalCostPolicyRow> {
  const { rows } = await db.query<WithdrawalCostPolicyRow>(
    'select version, basis_points, card_days from withdrawal_cost_policy order by version desc limit 1',
  )
  return onlyRow(rows)
}

/**
 * Withdrawal terms of a wallet with this `balance` in its base currency, in minor units. Card money is the money paid
 * in by cards, including guests' cards, within the days of `withdrawal_cost_policy`, less refunds, chargebacks, later
 * sends, and earlier withdrawals of card money that were not returned. Other money is withdrawn first, without cost.
 * `except`: id of a payout to ignore.
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
                   when t.source_currency = $2 then -${paidFromWalletSql}
                   else 0 end as minor
         from transaction t left join payout o on o.id = t.payment_id and o.transaction_id = t.id
        where t.user_id = $1 and t.id >= $3 and t.status in ('COMPLETED', 'PENDING')
          and ((${depositInWalletSql} or t.kind = 'WITHDRAW') and ${fundedByCardSql} and t.created_at > $4 and t.status = 'COMPLETED'
            or ${fundedByWalletSql}
            or o.status <> 'returned' and o.id is distinct from $5::uuid)
     ), summed as (
       select *, sum(minor) over (order by created_at, id) as running from moved
     )
     select coalesce((select running from summed order by created_at desc, id desc limit 1) - least(0, (select min(running) from summed)), 0) as minor`,
    [userId, baseCurrency, buildFirstId(new Date(since.getTime() - listedWithinMs)), since, except ?? null],
  )
  const freeMinor = balance - onlyRow(rows).minor
  return { version, basisPoints: BigInt(basisPoints), days, free: money(baseCurrency, freeMinor > 0n ? freeMinor : 0n) }
}

export function computeCost(amount: Money, { version, basisPoints, free }: CostTerms): Cost {
  const card = amountAbove(amount, free)
  return { version, fee: computeFee(card, basisPoints), card }
}

/** Largest amount whose withdrawal, cost included, is covered by `available`. */
export const maxWithCost = (available: Money, { basisPoints, free }: CostTerms): Money =>
  maxBeforeFeeAbove(available, free, basisPoints)
