import { payments } from '#messages/payments.ts'
import { formatPercent } from '../../../ui/money/percent.ts'
import { type DepositModel, useDepositTerms } from './use-deposit.ts'

const dayHours = 24

/** Maturity and withdrawal cost of added money, shown before payment, beside what pays. */
export function ToBankLater({ model: { method, account } }: { model: DepositModel }) {
  const { data: terms } = useDepositTerms(method, method === 'bank' ? account?.id : undefined)
  if (!terms) return null
  const { to_bank_after_hours: hours, cost_basis_points: basisPoints, cost_days: costDays } = terms
  const days = Math.ceil(hours / dayHours)
  return (
    <p className="small muted">
      {days > 0 ? payments.toBankAfter[method](days) : payments.toBankAtOnce}
      {basisPoints > 0 && <> {payments.toBankCost(formatPercent(basisPoints), costDays)}</>}
    </p>
  )
}
