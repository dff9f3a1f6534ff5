import { type ReactNode, Suspense, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { shell } from '#messages/shell.ts'
import { paths } from '../paths.ts'
import { Mark } from '../../ui/icon/Brand.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { TabBar } from './navigation/TabBar.tsx'

// Loaded lazily: the prerendered links work without it.
const SideNavigation = lazyComponent(() => import('./navigation/SideNavigation.tsx'), 'SideNavigation')
const SectionTabs = lazyComponent(() => import('./navigation/SectionTabs.tsx'), 'SectionTabs')
// Loaded lazily: opened on phones only.
const MoreSheet = lazyComponent(() => import('./navigation/MoreSheet.tsx'), 'MoreSheet')
// Loaded lazily: shown once the session is known.
const Bell = lazyComponent(() => import('../notifications/Bell.tsx'), 'Bell')
const AccountMenu = lazyComponent(() => import('./AccountMenu.tsx'), 'AccountMenu')

interface AppShellProps {
  /** Undefined until the session is known. */
  user: { readonly id: number; readonly username: string; readonly name: string | null } | undefined
  onLogout: () => void
  children: ReactNode
}

/** Frame around the app: top bar, side navigation (a tab bar and More on phones), and the page under its tabs. */
export function AppShell({ user, onLogout, children }: AppShellProps) {
  const { pathname } = useLocation()
  const moreButton = useRef<HTMLButtonElement>(null)
  const [isMoreOpen, setIsMoreOpen] = useState(false)
  // Memoized, so that the prerendered markup is kept until its script has loaded.
  const side = useMemo(
    () => (
      <Suspense>
        <SideNavigation pathname={pathname} />
      </Suspense>
    ),
    [pathname],
  )
  const tabs = useMemo(
    () => (
      <Suspense>
        <SectionTabs pathname={pathname} />
      </Suspense>
    ),
    [pathname],
  )
  const closeMore = () => {
    setIsMoreOpen(false)
    moreButton.current?.focus()
  }
  return (
    <div className="app">
      <header className="app-top" inert={isMoreOpen}>
        <a className="button button-primary skip-link" href="#main">
          {shell.skipToContent}
        </a>
        <Link className="brand" to={paths.dashboard}>
          <Mark />
          {shell.brand}
        </Link>
        <span className="row-end">
          <Suspense>{user && <Bell key={user.id} userId={user.id} />}</Suspense>
        </span>
        <Suspense>{user && <AccountMenu user={user} pathname={pathname} onLogout={onLogout} />}</Suspense>
        <Button look="ghost" icon="logout" className="wide-only" onClick={onLogout}>
          {shell.logout}
        </Button>
      </header>
      <div className="app-side">{side}</div>
      <main className="app-main" id="main" tabIndex={-1} inert={isMoreOpen}>
        {tabs}
        {children}
      </main>
      {isMoreOpen && (
        <Suspense>
          <MoreSheet onClose={closeMore} onLogout={onLogout} />
        </Suspense>
      )}
      <TabBar
        pathname={pathname}
        isMoreOpen={isMoreOpen}
        onChoose={() => setIsMoreOpen(false)}
        onMore={() => (isMoreOpen ? closeMore() : setIsMoreOpen(true))}
        moreButton={moreButton}
      />
    </div>
  )
}
