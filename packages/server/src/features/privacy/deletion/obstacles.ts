import type { DeletionObstacle } from '@tern/contract/privacy/privacy'
import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type { UserAndTime } from '../../identity/identity.ts'
import type { Db } from '../../../platform/database/db.ts'
import { isDisclosedSql } from '../../compliance/compliance.ts'

/** Days during which the wallet must exist in case a bank returns a payout; later returns are left to an operator. */
const returnDays = 10

type Code = DeletionObstacle['code']

/** Rows that prevent a deletion, by code of the obstacle, as SQL after `select`; `$1` is the user, `$2` now. */
const tableByCode: Readonly<Partial<Record<Code, string>>> = {
  transfer_open: `from transfer where sender_id = $1 and state in ('held', 'awaiting_funding', 'processing')`,
  incoming_open: `from (
      select from transfer where recipient_id = $1 and state in ('held', 'awaiting_funding', 'processing')
      union all select from payment where recipient_id = $1 and status in ('pending', 'needs_review')) as coming`,
  payment_open: `from payment where user_id = $1 and status in ('pending', 'needs_review')`,
  payout_open: `from payout where user_id = $1 and status in ('held', 'pending', 'needs_review')`,
  payout_recent: `from payout where user_id = $1 and status = 'completed'
      and updated_at > $2::timestamptz - interval '${returnDays} days'`,
  order_open: `from exchange_order where user_id = $1 and state in ('open', 'in_review')`,
  schedule_open: `from schedule where user_id = $1 and state = 'active'`,
  request_open: `from payment_request where (requester_id = $1 or payer_id = $1) and status = 'open'
      and (expires_at > $2 or reserved_minor > 0)`,
  case_open: `from reconciliation_exception where closed_at is null and reference in (
      select id from payment where user_id = $1 union all select id from payout where user_id = $1
      union all select id from dispute where user_id = $1)`,
  check_open: `from compliance_case c where user_id = $1 and state <> 'cleared' and ${isDisclosedSql}`,
  dispute_open: `from dispute d where user_id = $1 and (state = 'open'
       or exists (select from dispute_objection o where o.dispute_id = d.id and o.state = 'open'))`,
  // A form that waits for the email confirmation is no obstacle: no provider has received it.
  verification_running: `from app_user where id = $1 and kyc_status in ('pending', 'in_review')
       and (email_verified_at is not null
            or exists (select from kyc_submission where user_id = $1 and provider_check_id is not null))`,
}

/**
 * SQL condition: the user with id `user` has an open secret case. The deletion waits for it silently, since an obstacle
 * would reveal it to the user.
 */
export const hasSecretCaseSql = (user: string): string =>
  `exists (select from compliance_case c where c.user_id = ${user} and c.state <> 'cleared' and not ${isDisclosedSql})`

const countsSql = Object.entries(tableByCode)
  .map(([code, rows]) => `select '${code}' as code, count(*)::int as count ${rows}`)
  .join('\nunion all\n')

interface Balance {
  readonly is_held: boolean
  readonly currency: string
  readonly minor: bigint
}

/** The user's non-zero balances, available and on hold. */
async function readBalances(db: Db, userId: bigint): Promise<Balance[]> {
  const { rows } = await db.query<Balance>(
    `select kind = 'hold' as is_held, currency, balance as minor from ledger.account
      where balance <> 0 and name = any(array(
        select prefix || wallet.id || ':' || currency.code
          from wallet, ledger.currency, unnest(array['wallet:', 'hold:']) as prefix where user_id = $1))
      order by currency`,
    [userId],
  )
  return rows
}

function listBalanceObstacles(code: 'balance' | 'on_hold', balances: readonly Balance[]): DeletionObstacle[] {
  if (balances.length === 0) return []
  const amounts = balances.map(({ currency, minor }) => {
    if (!isCurrencyCode(currency)) throw new Error(`an account is in ${currency}`)
    return { amount: toDecimal(money(currency satisfies CurrencyCode, minor)), currency }
  })
  return [{ code, count: balances.length, amounts }]
}

/** All obstacles to deleting an account; empty if the deletion can begin. */
export async function readObstacles(db: Db, { userId, at }: UserAndTime): Promise<DeletionObstacle[]> {
  const balances = await readBalances(db, userId)
  const { rows } = await db.query<{ code: Code; count: number }>(countsSql, [userId, at])
  return [
    ...listBalanceObstacles(
      'balance',
      balances.filter((balance) => !balance.is_held),
    ),
    ...listBalanceObstacles(
      'on_hold',
      balances.filter((balance) => balance.is_held),
    ),
    ...rows.filter(({ count }) => count > 0).map(({ code, count }) => ({ code, count, amounts: [] })),
  ]
}
