import { useQuery } from '@tanstack/react-query'
import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { wallets } from '#messages/wallets.ts'
import { BalanceChart } from '../../app/history/BalanceChart.tsx'
import { computeChange } from '../../app/history/history-change.ts'
import { historyQuery } from '../../app/session/live.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { isZero } from '../../ui/format/format.ts'
import { Amount } from '../../ui/money/Amount.tsx'

/** Main balance over the last 30 days, with its change. */
export function BalanceTrend({ wallet }: { wallet: Wallet }) {
  const { data: history, isError, refetch } = useQuery(historyQuery(wallet.user_id, wallet.id, '30'))
  if (!history) return isError ? <ErrorState title={wallets.trendFailed} onRetry={() => void refetch()} /> : null
  const change = toDecimal(computeChange(history))
  const isEmpty = history.points.length === 0 && isZero(history.closing_balance)
  return (
    <>
      <h2 className="small muted row">
        <span className="grow">{wallets.lastDays}</span>
        {!isZero(change) && (
          <Amount amount={change} currency={history.currency} direction={change.startsWith('-') ? 'out' : 'in'} />
        )}
      </h2>
      {isEmpty ? <p className="muted mt-4">{wallets.noTrend}</p> : <BalanceChart history={history} />}
    </>
  )
}
