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
import { combineQueries } from '../../ui/feedback/combine-queries.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { ScheduleList } from './ScheduleList.tsx'
import { schedulesQuery } from './schedule-queries.ts'

const VerificationRequired = lazyComponent(
  () => import('../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)
const BalanceOutlook = lazyComponent(() => import('./BalanceOutlook.tsx'), 'BalanceOutlook')
const PastDates = lazyComponent(() => import('./PastDates.tsx'), 'PastDates')
const ScheduleForm = lazyComponent(() => import('./ScheduleForm.tsx'), 'ScheduleForm')

export default function SchedulesPage() {
  const user = useUser()
  const [search] = useSearchParams()
  if (user && user.kyc_status !== 'verified') {
    return (
      <>
        <h1 className="display-m">{titles.scheduled}</h1>
        <Suspense>
          <VerificationRequired status={user.kyc_status} />
        </Suspense>
      </>
    )
  }
  const editedId = search.get('edit')
  if (user && (search.has('new') || editedId !== null)) return <FormPage user={user} editedId={editedId} />
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
  const page = combineQueries({
    scheduleData: useQuery(schedulesQuery(user.id)),
    wallet: useQuery(walletQuery(user.id)),
  })
  return (
    <DataShell query={page} skeleton={<ActivitySkeleton />} failed={schedules.loadFailed}>
      {({ scheduleData, wallet }) => (
        <>
          {scheduleData.schedules.length === 0 ? (
            <EmptyState title={schedules.empty} text={schedules.emptyText}>
              {scheduleData.past.length === 0 && (
                <LinkButton look="primary" to={`${paths.scheduled}?new`}>
                  {schedules.schedule}
                </LinkButton>
              )}
            </EmptyState>
          ) : (
            <>
              <Suspense fallback={<ActivitySkeleton rows={2} />}>
                <BalanceOutlook data={scheduleData} wallet={wallet} />
              </Suspense>
              <ScheduleList userId={user.id} data={scheduleData} />
            </>
          )}
          <Suspense>
            <PastDates past={scheduleData.past} />
          </Suspense>
        </>
      )}
    </DataShell>
  )
}

function FormPage({ user, editedId }: { user: CurrentUser; editedId: string | null }) {
  const scheduleData = useQuery(schedulesQuery(user.id))
  const wallet = useQuery(walletQuery(user.id))
  const schedule = editedId === null ? undefined : scheduleData.data?.schedules.find(({ id }) => id === editedId)
  if (wallet.data && (editedId === null || schedule)) {
    return (
      <Suspense fallback={<ActivitySkeleton />}>
        <ScheduleForm key={editedId} user={user} wallet={wallet.data} schedule={schedule} />
      </Suspense>
    )
  }
  if (wallet.isError || scheduleData.isError || (scheduleData.data && editedId !== null)) {
    return <ErrorState title={schedules.loadFailed} onRetry={() => void scheduleData.refetch()} />
  }
  return <ActivitySkeleton />
}
