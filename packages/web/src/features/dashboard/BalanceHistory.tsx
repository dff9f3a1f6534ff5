import { useQuery } from '@tanstack/react-query'
import type { Wallet } from '@tern/contract/wallets'
import { useState } from 'react'
import { dashboard } from '#messages/home/dashboard.ts'
import { type HistoryDays, historyQuery } from '../../app/session/live.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { HistoryChart } from './HistoryChart.tsx'

const periods: readonly HistoryDays[] = ['30', '90', '365']

/** How the balance went, straight from the ledger, with its change in one sentence. */
export function BalanceHistory({ wallet, failed }: { wallet: Wallet | undefined; failed: boolean }) {
  const [days, setDays] = useState<HistoryDays>('30')
  const history = useQuery({
    ...historyQuery(wallet?.user_id ?? 0, wallet?.id ?? '', days),
    enabled: wallet !== undefined,
  })
  return (
    <section aria-labelledby="balance-over-time">
      <div className="section-head">
        <h2 className="display-s grow" id="balance-over-time">
          {dashboard.balanceOverTime}
        </h2>
        <Segmented
          label={dashboard.period}
          value={days}
          onChange={setDays}
          choices={periods.map((value) => ({ value, label: dashboard.periods[value] }))}
        />
      </div>
      {(history.isError && !history.data) || (failed && !wallet) ? (
        <ErrorState title={dashboard.historyFailed} {...(wallet && { onRetry: () => void history.refetch() })} />
      ) : history.data ? (
        <HistoryChart history={history.data} />
      ) : (
        <ChartSkeleton />
      )}
    </section>
  )
}

/** As high as the chart with its dates and its sentence. */
function ChartSkeleton() {
  return (
    <div aria-hidden="true">
      <div className="chart">
        <SkeletonLine className="h-full opacity-40" />
        <ol className="chart-x tiny">
          <li>&nbsp;</li>
        </ol>
      </div>
      <SkeletonLine className="mt-5 mb-1 w-3/5" />
    </div>
  )
}
