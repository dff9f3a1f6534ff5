import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { useUser } from '../../app/session/session.ts'
import { EntrySkeleton } from '../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const LimitsPart = lazyComponent(() => import('./LimitsPart.tsx'), 'LimitsPart')

/** The part of the settings about limits, above what routes.ts puts below it. */
export default function LimitsSettings() {
  const userId = useUser()?.id
  return (
    <>
      {userId !== undefined && (
        <Suspense fallback={<EntrySkeleton />}>
          <LimitsPart key={userId} userId={userId} />
        </Suspense>
      )}
      <Outlet />
    </>
  )
}
