import type { depositTerms } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { readMaturityHours } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import { usableAccount } from '../instruments/instruments.ts'
import { readCostPolicy } from './card-cost.ts'
import { estimateWithdrawal } from './withdrawals.ts'

interface Asked {
  readonly method: 'card' | 'bank'
  readonly bankAccountId?: string | undefined
}

/**
 * Returns from when money that a person adds now can go to a bank, and its cost. Refuses `bank_account_needed` for another
 * person's bank account.
 */
async function readDepositTerms(
  context: PaymentContext,
  userId: bigint,
  { method, bankAccountId }: Asked,
): Promise<Reply<typeof depositTerms>> {
  const { pool, now } = context
  const isOfBank = method === 'bank' && bankAccountId !== undefined
  if (isOfBank) await usableAccount(context, userId, bankAccountId)
  const payer = { userId, method, bankAccountId: isOfBank ? bankAccountId : undefined, at: now() }
  const { basis_points: basisPoints, card_days: days } = await readCostPolicy(pool)
  return {
    to_bank_after_hours: await readMaturityHours(pool, payer),
    cost_basis_points: method === 'card' ? basisPoints : 0,
    cost_days: days,
  }
}

/** Maturity and cost of withdrawing money: shown before it is added and before it is withdrawn. */
export const bankTermsFor = (context: PaymentContext) => ({
  deposit: (userId: bigint, asked: Asked) => readDepositTerms(context, userId, asked),
  withdrawal: (userId: bigint, bankAccountId: string) => estimateWithdrawal(context, userId, bankAccountId),
})
