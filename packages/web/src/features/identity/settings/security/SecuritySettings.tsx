import { Suspense } from 'react'
import { shell } from '#messages/shell.ts'
import { useUser } from '../../../../app/session/session.ts'
import { EntrySkeleton } from '../../../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../../../ui/lazy-component.ts'
import { useOldSettingsRedirect } from './use-old-settings-redirect.ts'

const SecurityRows = lazyComponent(() => import('./SecurityRows.tsx'), 'SecurityRows')

/** First settings tab: protection of the account and of outgoing money. */
export default function SecuritySettings() {
  const user = useUser()
  useOldSettingsRedirect()
  return (
    <Suspense fallback={<Skeletons />}>
      {user ? <SecurityRows key={user.id} user={user} fallback={<Skeletons />} /> : <Skeletons />}
    </Suspense>
  )
}

function Skeletons() {
  return (
    <div className="grid gap-8 pt-8" aria-busy="true" aria-label={shell.loading}>
      <EntrySkeleton />
      <EntrySkeleton />
      <EntrySkeleton />
    </div>
  )
}
