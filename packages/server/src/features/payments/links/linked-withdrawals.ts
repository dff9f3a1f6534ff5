import type pg from 'pg'
import type { linkBankAccount } from '@tern/contract/banking'
import type { Money } from '@tern/money/money'
import type * as z from 'zod/mini'
import { amountText, parseAmount } from '../../../platform/http/amount.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import { findWallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import type { SensitiveAction } from '../../identity/identity.ts'
import type { Cost } from '../payouts/card-cost.ts'
import { priceWithdrawal, requireWalletCurrency, computeTotal } from '../payouts/withdrawal-order.ts'

// Withdrawals requested together with the link of their account. One confirmation covers both;
// `consumeLinkConfirmation` of withdrawals consumes it.

/** Withdrawal to an account that is being linked. */
export interface LinkedWithdrawal {
  readonly amount: Money
  readonly cost: Cost
}

type WithdrawalTerms = NonNullable<z.output<(typeof linkBankAccount)['body']>['withdrawal']>

/**
 * Prices a withdrawal to an account that is not linked yet. Refuses `currency_not_supported`, `insufficient_funds`,
 * `money_not_mature` and malformed amounts.
 */
export async function prepareLinkedWithdrawal(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller: { userId }, terms }: { readonly caller: Caller; readonly terms: WithdrawalTerms },
): Promise<LinkedWithdrawal> {
  const { amount: text, currency } = terms
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  requireWalletCurrency(wallet, currency)
  const amount = parseAmount('withdrawal', currency, text)
  return { amount, cost: await priceWithdrawal(pool, { wallet, amount, at: ctx.now() }) }
}

/** Facts of a withdrawal that its owner confirms together with the link. */
export function toSubject({ amount, cost }: LinkedWithdrawal): SensitiveAction['subject'] {
  const withdraws = amountText(amount)
  if (cost.fee.minor === 0n) return { withdraws }
  return { withdraws, fee: amountText(cost.fee), total: amountText(computeTotal({ amount, cost })) }
}

/** Columns of `bank_link` for a withdrawal that was confirmed together with the link. */
export const toColumns = ({ amount, cost }: LinkedWithdrawal, confirmedAt: Date) => ({
  withdrawal_minor: amount.minor,
  withdrawal_fee_minor: cost.fee.minor,
  withdrawal_currency: amount.currency,
  withdrawal_confirmed_at: confirmedAt,
})
