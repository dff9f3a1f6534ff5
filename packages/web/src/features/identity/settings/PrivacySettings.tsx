import { Suspense } from 'react'
import { useUser } from '../../../app/session/session.ts'
import { EntrySkeleton } from '../../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const PrivacySection = lazyComponent(() => import('./privacy/PrivacySection.tsx'), 'PrivacySection')

/** Settings tab for stored data, access to it, and account deletion. */
export default function PrivacySettings() {
  const userId = useUser()?.id
  return (
    <Suspense fallback={<EntrySkeleton />}>
      {userId === undefined ? <EntrySkeleton /> : <PrivacySection key={userId} userId={userId} />}
    </Suspense>
  )
}
