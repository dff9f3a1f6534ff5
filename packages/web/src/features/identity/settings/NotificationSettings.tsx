import { Suspense } from 'react'
import { useUser } from '../../../app/session/session.ts'
import { EntrySkeleton } from '../../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const MailChoices = lazyComponent(() => import('./MailChoices.tsx'), 'MailChoices')

export default function NotificationSettings() {
  const userId = useUser()?.id
  return (
    <Suspense fallback={<EntrySkeleton />}>
      {userId === undefined ? <EntrySkeleton /> : <MailChoices key={userId} userId={userId} />}
    </Suspense>
  )
}
