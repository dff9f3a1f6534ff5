import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { useUser } from '../../../app/session/session.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const MailChoices = lazyComponent(() => import('./MailChoices.tsx'), 'MailChoices')

/** The part of the settings about emails, below the one about taking back what was sent. */
export default function MailSettings() {
  const userId = useUser()?.id
  return (
    <>
      <Outlet />
      {userId !== undefined && (
        <Suspense>
          <MailChoices key={userId} userId={userId} />
        </Suspense>
      )}
    </>
  )
}
