import { type ReactNode } from 'react'
import { pay } from '#messages/requests.ts'
import { paths } from '../../../app/paths.ts'
import { useUser } from '../../../app/session/session.ts'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { Brand } from '../../../ui/icon/Brand.tsx'

/** The frame of a page that strangers open: the mark, and for whoever is signed in the way to their own pages. */
export function PayFrame({ children }: { children: ReactNode }) {
  const user = useUser()
  return (
    <div className="pay-page">
      <header className="pay-top">
        <Brand href={user ? paths.dashboard : paths.landing} />
        {user && (
          <div className="row row-end">
            <span className="small muted wide-only">{user.name ?? user.username}</span>
            <LinkButton look="ghost" to={paths.dashboard}>
              {pay.openDashboard}
            </LinkButton>
          </div>
        )}
      </header>
      <main id="main">{children}</main>
    </div>
  )
}
