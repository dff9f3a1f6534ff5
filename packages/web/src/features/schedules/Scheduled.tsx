import '../../css/schedules.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { schedules } from '#messages/schedules/schedules.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { walletQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { together } from '../../ui/feedback/together.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { ScheduleList } from './ScheduleList.tsx'
import { schedulesQuery } from './schedule-queries.ts'

const VerifyFirst = lazyComponent(() => import('../../app/shell/VerifyFirst.tsx'), 'VerifyFirst')
const BalanceOutlook = lazyComponent(() => import('./BalanceOutlook.tsx'), 'BalanceOutlook')
const PastDates = lazyComponent(() => import('./PastDates.tsx'), 'PastDates')
const ScheduleForm = lazyComponent(() => import('./ScheduleForm.tsx'), 'ScheduleForm')

export default function Scheduled() {
  const user = useUser()
  const [search] = useSearchParams()
  if (user && user.kyc_status !== 'verified') {
    return (
      <>
        <h1 className="display-m">{titles.scheduled}</h1>
        <Suspense>
          <VerifyFirst status={user.kyc_status} />
        </Suspense>
      </>
    )
  }
  const edited = search.get('edit')
  if (user && (search.has('new') || edited !== null)) return <FormPage user={user} edited={edited} />
  return (
    <>
      <div className="flex flex-wrap gap-4 items-center justify-between">
        <h1 className="display-m">{titles.scheduled}</h1>
        <LinkButton look="primary" icon="plus" to={`${paths.scheduled}?new`}>
          {schedules.schedule}
        </LinkButton>
      </div>
      {user ? <UserSchedules user={user} /> : <ActivitySkeleton />}
    </>
  )
}

function UserSchedules({ user }: { user: CurrentUser }) {
  const page = together({ sends: useQuery(schedulesQuery(user.id)), wallet: useQuery(walletQuery(user.id)) })
  return (
    <DataShell query={page} skeleton={<ActivitySkeleton />} failed={schedules.loadFailed}>
      {({ sends, wallet }) => (
        <>
          {sends.schedules.length === 0 ? (
            <EmptyState title={schedules.empty} text={schedules.emptyText}>
              {sends.past.length === 0 && (
                <LinkButton look="primary" to={`${paths.scheduled}?new`}>
                  {schedules.schedule}
                </LinkButton>
              )}
            </EmptyState>
          ) : (
            <>
              <Suspense fallback={<ActivitySkeleton rows={2} />}>
                <BalanceOutlook data={sends} wallet={wallet} />
              </Suspense>
              <ScheduleList userId={user.id} data={sends} />
            </>
          )}
          <Suspense>
            <PastDates past={sends.past} />
          </Suspense>
        </>
      )}
    </DataShell>
  )
}

function FormPage({ user, edited }: { user: CurrentUser; edited: string | null }) {
  const sends = useQuery(schedulesQuery(user.id))
  const wallet = useQuery(walletQuery(user.id))
  const schedule = edited === null ? undefined : sends.data?.schedules.find(({ id }) => id === edited)
  if (wallet.data && (edited === null || schedule)) {
    return (
      <Suspense fallback={<ActivitySkeleton />}>
        <ScheduleForm key={edited} user={user} wallet={wallet.data} schedule={schedule} />
      </Suspense>
    )
  }
  if (wallet.isError || sends.isError || (sends.data && edited !== null)) {
    return <ErrorState title={schedules.loadFailed} onRetry={() => void sends.refetch()} />
  }
  return <ActivitySkeleton />
}
