import { useQuery } from '@tanstack/react-query'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense, useState } from 'react'
import { dashboard } from '#messages/home/dashboard.ts'
import { type HistoryDays, historyQuery } from '../../app/session/live.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

// Loaded lazily: below the first screen.
const HistoryChart = lazyComponent(() => import('./HistoryChart.tsx'), 'HistoryChart')

/** Same height as the chart with its dates. */
const skeleton = <div className="chart-skeleton" />

const periods: readonly HistoryDays[] = ['30', '90', '365']

/** Balance over time, read from the ledger. */
export function BalanceHistory({ wallet, failed }: { wallet: Wallet | undefined; failed: boolean }) {
  const [days, setDays] = useState<HistoryDays>('30')
  const { data, isError, refetch } = useQuery(historyQuery(wallet, days))
  return (
    <section className="home-chart" aria-labelledby="balance-over-time">
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
      {(isError && !data) || (failed && !wallet) ? (
        <ErrorState title={dashboard.historyFailed} {...(wallet && { onRetry: () => void refetch() })} />
      ) : (
        <Suspense fallback={skeleton}>{data ? <HistoryChart history={data} /> : skeleton}</Suspense>
      )}
    </section>
  )
}
