import type pg from 'pg'
import type { depositTerms } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { readMaturityHours } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import { usableAccount } from '../instruments/instruments.ts'
import { readCostPolicy } from './card-cost.ts'

interface BankTermsQuery {
  readonly userId: bigint
  readonly method: 'card' | 'bank'
  readonly bankAccountId?: string | undefined
}

/**
 * Returns after how many hours money deposited now can be withdrawn, and at which cost. Refuses `bank_account_needed`
 * for an account that is not the user's.
 */
export async function readDepositTerms(
  ctx: PaymentContext,
  pool: pg.Pool,
  { userId, method, bankAccountId }: BankTermsQuery,
): Promise<Reply<typeof depositTerms>> {
  const isBankDeposit = method === 'bank' && bankAccountId !== undefined
  if (isBankDeposit) await usableAccount(ctx, pool, { userId, id: bankAccountId })
  const payer = { userId, method, bankAccountId: isBankDeposit ? bankAccountId : undefined, at: ctx.now() }
  const { basis_points: basisPoints, card_days: days } = await readCostPolicy(pool)
  return {
    to_bank_after_hours: await readMaturityHours(pool, payer),
    cost_basis_points: method === 'card' ? basisPoints : 0,
    cost_days: days,
  }
}
