import { type Money, money, toDecimal } from '@tern/money/money'
import { only, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import type { StepUpCheck } from '../../transfers/transfers.ts'
import type { PaymentContext } from '../context.ts'
import { usdMinorOf } from '../records/payment-usage.ts'
import type { Order } from './withdrawal-order.ts'

/**
 * Above which value, in US dollar cents, withdrawals need a fresh proof: to an account that was first paid less than a
 * day ago, or never, and to any. What counts is everything ordered to the account within a day.
 */
const stepUpAboveUsdMinor = { newAccount: 10_000n, any: 100_000n } as const

const newAccountHours = 24

/** When a withdrawal needs a fresh confirmation: by what was ordered to its account, decided one at a time for a person. */
export const stepUpFor = (
  context: PaymentContext,
  caller: Caller,
  order: Order,
  confirmation: string | undefined,
): StepUpCheck => ({
  key: String(order.userId),
  isTrusted: () => Promise.resolve(false),
  async isNeeded(tx) {
    await lockName(tx, `withdrawals of ${order.userId}`)
    const dayAgo = new Date(order.at.getTime() - newAccountHours * 3_600_000)
    const usdMinor = order.usdMinor + usdMinorOf(context, await orderedSince(tx, order, dayAgo))
    if (usdMinor <= stepUpAboveUsdMinor.newAccount) return false
    return usdMinor > stepUpAboveUsdMinor.any || !(await isKnown(tx, order, dayAgo))
  },
  require: () => context.identity.stepUp.require(caller, actOf(order), confirmation),
})

async function isKnown(tx: Tx, { account }: Order, dayAgo: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from payout where bank_account_id = $1 and status = 'completed' and created_at < $2 limit 1`,
    [account.id, dayAgo],
  )
  return rowCount === 1
}

/** What was ordered to the account and has not come to nothing. Linked again, it is still the same account. */
async function orderedSince(tx: Tx, { userId, account, amount }: Order, since: Date): Promise<Money> {
  const { rows } = await tx.query<{ minor: bigint }>(
    `select coalesce(sum(p.amount_minor), 0) as minor
       from bank_account linked
       join bank_account same using (user_id, provider, fingerprint)
       join payout p on p.bank_account_id = same.id
      where linked.id = $1 and linked.user_id = $2 and p.currency = $3 and p.created_at >= $4
        and p.status not in ('failed', 'returned')`,
    [account.id, userId, amount.currency, since],
  )
  return money(amount.currency, only(rows).minor)
}

const actOf = ({ account, amount, expectedOn, idempotencyKey }: Order): SensitiveAction => ({
  action: 'withdraw_money',
  subject: {
    to: { code: 'bank_account', params: { bank: account.bank_name, last4: account.last4 } },
    amount: `${toDecimal(amount)} ${amount.currency}`,
    arrives: { code: 'by_day', params: { day: expectedOn } },
  },
  hidden: { account: account.id, idempotencyKey },
})
