import { useQuery } from '@tanstack/react-query'
import { depositTerms } from '@tern/contract/banking'
import { payments } from '#messages/payments.ts'
import { buildQuery } from '../../../app/session/query.ts'
import { formatPercent } from '../../../ui/money/percent.ts'
import type { DepositModel } from './use-deposit.ts'

const dayHours = 24

/** Maturity and withdrawal cost of added money, shown before payment. */
export function MaturityNote({ model: { method, account } }: { model: DepositModel }) {
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

/** Loads maturity and withdrawal cost of money added by this method. */
const useDepositTerms = (method: 'card' | 'bank', bankAccountId: string | undefined) =>
  useQuery(
    buildQuery(['deposit-terms'], depositTerms, {
      query: { method, ...(bankAccountId === undefined ? {} : { bankAccountId }) },
    }),
  )
