import { useQuery } from '@tanstack/react-query'
import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { wallets } from '#messages/wallets.ts'
import { BalanceChart } from '../../app/history/BalanceChart.tsx'
import { computeChange } from '../../app/history/history-change.ts'
import { historyQuery } from '../../app/session/live.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { isZero } from '../../ui/format/format.ts'
import { Amount } from '../../ui/money/Amount.tsx'

/** Main balance over the last 30 days, with its change. */
export function BalanceTrend({ wallet }: { wallet: Wallet }) {
  const query = useQuery(historyQuery(wallet, '30'))
  const { data: history } = query
  if (!history) return <DataShell query={query} skeleton={null} failed={wallets.trendFailed} />
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
