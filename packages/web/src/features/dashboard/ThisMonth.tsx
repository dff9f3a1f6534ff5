import { useQuery } from '@tanstack/react-query'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { dashboard } from '#messages/home/dashboard.ts'
import { totalsQuery } from '../../app/session/live.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const skeleton = <TextSkeleton lines={5} />
// Loaded lazily: in parallel with its data.
const MonthFigures = lazyComponent(() => import('./MonthFigures.tsx'), 'MonthFigures')

interface ThisMonthProps {
  wallet: Wallet | undefined
  /** Before the first transfer: shows the cost of one instead of the month's figures. */
  isFirst: boolean
  failed: boolean
}

/** Money in and out this month, and the saving against an average bank; all computed by the server. */
export function ThisMonth({ wallet, isFirst, failed }: ThisMonthProps) {
  const { data, isError, refetch } = useQuery(totalsQuery(wallet))
  return (
    <section className="sheet month" aria-labelledby="this-month" aria-busy={!data && !isError && !failed}>
      <h2 className="display-s" id="this-month">
        {isFirst ? dashboard.costTitle : dashboard.thisMonth}
      </h2>
      {data ? (
        <Suspense fallback={skeleton}>
          <MonthFigures totals={data} isFirst={isFirst} />
        </Suspense>
      ) : isError || failed ? (
        <ErrorState title={dashboard.monthFailed} {...(wallet && { onRetry: () => void refetch() })} />
      ) : (
        skeleton
      )}
    </section>
  )
}
