import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { Link, NavLink } from 'react-router'
import { shell } from '#messages/shell.ts'
import { pathIfPresent, paths } from '../paths.ts'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { Mark } from '../../ui/layout/Brand.tsx'
import { Button, IconButton } from '../../ui/forms/Button.tsx'
import { Icon } from '../../ui/layout/Icon.tsx'
import type { IconName } from '../../ui/layout/icons.ts'

interface NavigationItem {
  /** The page's name in paths.ts; an item shows as soon as its page stands there. */
  readonly page: string
  readonly label: string
  readonly icon: IconName
}

const mainItems: readonly NavigationItem[] = [
  { page: 'dashboard', label: shell.dashboard, icon: 'home' },
  { page: 'wallet', label: shell.wallet, icon: 'wallet' },
  { page: 'send', label: shell.send, icon: 'send' },
  { page: 'receive', label: shell.receive, icon: 'receive' },
  { page: 'transactions', label: shell.transactions, icon: 'list' },
]

const accountItems: readonly NavigationItem[] = [
  { page: 'profile', label: shell.profile, icon: 'person' },
  { page: 'settings', label: shell.settings, icon: 'settings' },
]

interface AppShellProps {
  /** Undefined until it is known who is signed in. */
  user: { readonly username: string; readonly name: string | null } | undefined
  onLogout: () => void
  children: ReactNode
}

/** The frame around the app: top bar, side menu (a drawer on narrow screens), and the page. */
export function AppShell({ user, onLogout, children }: AppShellProps) {
  const drawer = useRef<HTMLDialogElement>(null)
  // Going back leaves the drawer. Not when the other page has come: it may have been opened again by then.
  useEffect(() => {
    const close = () => drawer.current?.close()
    addEventListener('popstate', close)
    return () => removeEventListener('popstate', close)
  }, [])
  return (
    <div className="app">
      <a className="button button-primary skip-link" href="#main">
        {shell.skipToContent}
      </a>
      <header className="app-top">
        <IconButton
          className="narrow-only"
          icon="menu"
          label={shell.openMenu}
          aria-haspopup="dialog"
          onClick={() => drawer.current?.showModal()}
        />
        <HomeLink />
        <span className="row-end small muted wide-only">{user?.username}</span>
        <Button look="ghost" icon="logout" className="wide-only" onClick={onLogout}>
          {shell.logout}
        </Button>
        <span className="row-end narrow-only">
          <span className="visually-hidden">{user?.username}</span>
          {user && <Avatar name={user.name ?? user.username} />}
        </span>
      </header>
      <div className="app-side">
        <Menus onLogout={onLogout} />
      </div>
      <main className="app-main" id="main" tabIndex={-1}>
        {children}
      </main>
      <dialog className="drawer" ref={drawer} aria-label={shell.menu} onClick={closeWhenChosen}>
        <div className="row mb-4 ms-3">
          <HomeLink />
          <IconButton className="row-end" icon="cross" label={shell.closeMenu} />
        </div>
        <Menus onLogout={onLogout} />
      </dialog>
    </div>
  )
}

/** Closes the drawer when something in it was chosen, or what lies beside it was pressed. */
function closeWhenChosen({ target, currentTarget }: MouseEvent<HTMLDialogElement>) {
  if (target === currentTarget || (target as Element).closest('a, button')) currentTarget.close()
}

function HomeLink() {
  return (
    <Link className="brand" to={pathIfPresent('dashboard') ?? paths.landing}>
      <Mark />
      {shell.brand}
    </Link>
  )
}

function Menus({ onLogout }: { onLogout: () => void }) {
  return (
    <>
      <nav aria-label={shell.mainMenu}>
        <NavigationList items={mainItems} />
      </nav>
      <nav className="nav-low" aria-label={shell.accountMenu}>
        <NavigationList items={accountItems} />
        <button type="button" className="nav-item" onClick={onLogout}>
          <Icon name="logout" />
          {shell.logout}
        </button>
      </nav>
    </>
  )
}

function NavigationList({ items }: { items: readonly NavigationItem[] }) {
  return items.map((item) => {
    const path = pathIfPresent(item.page)
    return (
      path && (
        <NavLink key={item.page} className="nav-item" to={path}>
          <Icon name={item.icon} />
          {item.label}
        </NavLink>
      )
    )
  })
}
