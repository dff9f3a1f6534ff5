import type { CurrencyCode } from '@tern/money/currency'
import { isPositive, parseDecimal } from '@tern/money/money'
import { withdrawals } from '#messages/withdrawals.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { formatPercent } from '../../../ui/money/percent.ts'
import type { WithdrawalEstimate } from './use-withdrawal.ts'

/** Reason for the fee of a withdrawal, and the amount that is free. */
export function FeeExplanation({ estimate, currency }: { estimate: WithdrawalEstimate; currency: CurrencyCode }) {
  const { cost_days: days, cost_basis_points: basisPoints, without_cost: freeAmount } = estimate
  return (
    <p className="small mt-4">
      {withdrawals.whyFee(days, formatPercent(basisPoints))}{' '}
      {isPositive(parseDecimal(currency, freeAmount)) && withdrawals.withoutFee(formatExact(freeAmount, currency))}
    </p>
  )
}
