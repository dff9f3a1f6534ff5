import '../../css/settings.css'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { titles } from '#messages/shell.ts'
import { useUser } from '../../app/session/session.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { ConfirmEmailNote } from './email-links/ConfirmEmailNote.tsx'
import { SettingsTabs } from './settings/SettingsTabs.tsx'

const LossSection = lazyComponent(() => import('./settings/losses/LossSection.tsx'), 'LossSection')

/** Frame of the settings: tabs, urgent notices on every tab, and the tab of the child route. */
export default function Settings() {
  const user = useUser()
  return (
    <>
      <h1 className="display-m">{titles.settings}</h1>
      <SettingsTabs />
      <div className="pt-2 [&>:is(.ruled,_.limits,_.privacy):first-child]:border-t-0 [&>div:first-child>.ruled:first-child]:border-t-0 [&>:is(.entry,_.mb-8):first-child]:mt-6">
        {user && <Urgent key={user.id} user={user} />}
        <Outlet />
      </div>
    </>
  )
}

function Urgent({ user }: { user: CurrentUser }) {
  return (
    <>
      <ConfirmEmailNote user={user} />
      <Suspense>
        <LossSection userId={user.id} isExpected={user.has_open_loss} />
      </Suspense>
    </>
  )
}
