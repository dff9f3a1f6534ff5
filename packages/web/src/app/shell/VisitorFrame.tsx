import '../../css/visitor.css'
import { type ReactNode } from 'react'
import { visitor } from '#messages/transfers/tracking.ts'
import { paths } from '../paths.ts'
import { useUser } from '../session/session.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { Brand } from '../../ui/icon/Brand.tsx'

/** Frame of a page for visitors: the brand and, for a signed-in person, a link to their own pages. */
export function VisitorFrame({ children }: { children: ReactNode }) {
  const user = useUser()
  return (
    <div className="min-h-dvh">
      <header className="flex items-center min-h-16 px-[max(64px,_50%_-_656px)] border-b max-xl:px-10 max-md:min-h-14 max-md:ps-4 max-md:pe-2">
        <Brand href={user ? paths.dashboard : paths.landing} />
        {user && (
          <div className="row row-end">
            <span className="small muted wide-only">{user.name ?? user.username}</span>
            <LinkButton look="ghost" to={paths.dashboard}>
              {visitor.openDashboard}
            </LinkButton>
          </div>
        )}
      </header>
      <main id="main">{children}</main>
    </div>
  )
}
