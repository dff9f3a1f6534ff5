import { Suspense } from 'react'
import { useUser } from '../../app/session/session.ts'
import { EntrySkeleton } from '../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const LimitsPart = lazyComponent(() => import('./LimitsPart.tsx'), 'LimitsPart')

export default function LimitSettings() {
  const userId = useUser()?.id
  return (
    <Suspense fallback={<EntrySkeleton />}>
      {userId === undefined ? <EntrySkeleton /> : <LimitsPart key={userId} userId={userId} />}
    </Suspense>
  )
}
