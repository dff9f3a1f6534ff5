import { money, toDecimal } from '@tern/money/money'
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

const newAccountMs = 24 * 3_600_000

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
    const { ordered, isKnown } = await readPayouts(tx, order, new Date(order.at.getTime() - newAccountMs))
    const usdMinor = order.usdMinor + usdMinorOf(context, money(order.amount.currency, ordered))
    if (usdMinor <= stepUpAboveUsdMinor.newAccount) return false
    return usdMinor > stepUpAboveUsdMinor.any || !isKnown
  },
  require: () => context.identity.stepUp.require(caller, actOf(order), confirmation),
})

/**
 * What was ordered to the account since then and has not come to nothing (linked again, it is still the same account), and
 * whether it was paid before.
 */
async function readPayouts(tx: Tx, { userId, account, amount }: Order, since: Date) {
  const { rows } = await tx.query<{ ordered: bigint; isKnown: boolean }>(
    `select coalesce(sum(p.amount_minor), 0) as ordered,
         exists (select from payout where bank_account_id = $1 and status = 'completed' and created_at < $4) as "isKnown"
       from bank_account linked
       join bank_account same using (user_id, provider, fingerprint)
       join payout p on p.bank_account_id = same.id
      where linked.id = $1 and linked.user_id = $2 and p.currency = $3 and p.created_at >= $4
        and p.status not in ('failed', 'returned')`,
    [account.id, userId, amount.currency, since],
  )
  return only(rows)
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
