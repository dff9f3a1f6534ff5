import type { linkBankAccount } from '@tern/contract/banking'
import type { Money } from '@tern/money/money'
import type * as z from 'zod/mini'
import { amountText, parseAmount } from '../../../platform/http/amount.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { PaymentContext } from '../context.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import type { Cost } from './card-cost.ts'
import { type Order, priceWithdrawal, requireWalletCurrency, reservationOf, totalOf } from './withdrawal-order.ts'

// A withdrawal stated before its account is linked: one confirmation covers the link and the withdrawal.

/** For how long the withdrawal may follow its confirmation: the bank's pages take minutes. */
const confirmedMinutes = 15

/** A withdrawal to the account that is linked next. */
export interface StatedWithdrawal {
  readonly amount: Money
  readonly cost: Cost
}

type Stated = NonNullable<z.output<(typeof linkBankAccount)['body']>['withdrawal']>

/**
 * Prices a withdrawal to an account that is yet to be linked. Refuses `currency_not_supported`, `insufficient_funds`,
 * `money_not_mature` and amounts that are none.
 */
export async function stateWithdrawal(
  context: PaymentContext,
  { userId }: Caller,
  { amount: text, currency }: Stated,
): Promise<StatedWithdrawal> {
  const wallet = (await context.wallets.walletOf(userId)) ?? refuse('not_found')
  requireWalletCurrency(wallet, currency)
  const amount = parseAmount('withdrawal', currency, text)
  return { amount, cost: await priceWithdrawal(context, wallet, amount, context.now()) }
}

/** What its owner confirms of a stated withdrawal, beside the link. */
export function subjectOf({ amount, cost }: StatedWithdrawal): SensitiveAction['subject'] {
  const withdraws = amountText(amount)
  if (cost.fee.minor === 0n) return { withdraws }
  return { withdraws, fee: amountText(cost.fee), total: amountText(totalOf({ amount, cost })) }
}

/** Columns of a link that was confirmed together with a withdrawal. */
export const columnsOf = ({ amount, cost }: StatedWithdrawal, confirmedAt: Date) => ({
  withdrawal_minor: amount.minor,
  withdrawal_fee_minor: cost.fee.minor,
  withdrawal_currency: amount.currency,
  withdrawal_confirmed_at: confirmedAt,
})

/**
 * Spends the confirmation of exactly this withdrawal that was given when this session linked its account; gives when it was
 * given. It covers one withdrawal, which may be repeated under its own idempotency key. Undefined without one.
 */
export async function spendLinkConfirmation(
  { pool }: PaymentContext,
  { userId, sessionId }: Caller,
  { account, amount, cost, idempotencyKey }: Order,
): Promise<Date | undefined> {
  const { rows } = await pool.query<{ confirmed_at: Date }>(
    `with own as (
       select id from bank_link
        where user_id = $1 and login_session_id = $2 and bank_account_id = $3 and status = 'linked'
          and withdrawal_minor = $4 and withdrawal_fee_minor = $5 and withdrawal_currency = $6
          and withdrawal_confirmed_at > now() - make_interval(mins => $8)
          and (withdrawal_id is null or withdrawal_id = $7)
        order by withdrawal_id nulls last limit 1 for update)
     update bank_link set withdrawal_id = $7 from own where bank_link.id = own.id
     returning withdrawal_confirmed_at as confirmed_at`,
    [
      userId,
      sessionId,
      account.id,
      amount.minor,
      cost.fee.minor,
      amount.currency,
      reservationOf(userId, idempotencyKey),
      confirmedMinutes,
    ],
  )
  return rows[0]?.confirmed_at
}
