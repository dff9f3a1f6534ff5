import { type MouseEvent, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { Link, NavLink } from 'react-router'
import { menu as menuTitles, shell } from '#messages/shell.ts'
import { pages, type PageName } from '@tern/contract/pages'
import { paths } from '../paths.ts'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { Mark } from '../../ui/icon/Brand.tsx'
import { Button, IconButton } from '../../ui/forms/Button.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const Bell = lazyComponent(() => import('../notifications/Bell.tsx'), 'Bell')

type MenuPage = { [Name in PageName]: (typeof pages)[Name] extends { menu: string } ? Name : never }[PageName]

const pagesIn = (menu: 'main' | 'account') =>
  (Object.keys(pages) as PageName[]).filter((name): name is MenuPage => {
    const page = pages[name]
    return 'menu' in page && page.menu === menu
  })

interface AppShellProps {
  /** Undefined until it is known who is signed in. */
  user: { readonly id: number; readonly username: string; readonly name: string | null } | undefined
  onLogout: () => void
  children: ReactNode
}

/** The frame around the app: top bar, side menu (a drawer on narrow screens), and the page. */
export function AppShell({ user, onLogout, children }: AppShellProps) {
  const drawer = useRef<HTMLDialogElement>(null)
  const menu = useRef<HTMLElement>(null)
  // Going back leaves the menus. Not when the other page has come: it may have been opened again by then.
  useEffect(() => {
    const close = () => {
      drawer.current?.close()
      menu.current?.hidePopover()
    }
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
        <span className="row-end">
          <Suspense>{user && <Bell key={user.id} userId={user.id} />}</Suspense>
        </span>
        <span className="app-user small muted wide-only" translate="no">
          {user?.username}
        </span>
        <Button look="ghost" icon="logout" className="wide-only" onClick={onLogout}>
          {shell.logout}
        </Button>
        {user && (
          <button type="button" className="button button-square narrow-only" popoverTarget="account-menu">
            <span className="visually-hidden">{shell.accountMenuOf(user.username)}</span>
            <Avatar name={user.name ?? user.username} />
          </button>
        )}
        <nav
          className="account-menu"
          id="account-menu"
          popover="auto"
          ref={menu}
          aria-label={shell.accountMenu}
          onClick={hideWhenChosen}
        >
          <p className="small muted" translate="no">
            {user?.username}
          </p>
          <AccountItems onLogout={onLogout} />
        </nav>
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

/** Closes the account menu when something in it was chosen. */
function hideWhenChosen({ target, currentTarget }: MouseEvent<HTMLElement>) {
  if ((target as Element).closest('a, button')) currentTarget.hidePopover()
}

function HomeLink() {
  return (
    <Link className="brand" to={paths.dashboard}>
      <Mark />
      {shell.brand}
    </Link>
  )
}

function Menus({ onLogout }: { onLogout: () => void }) {
  return (
    <>
      <nav aria-label={shell.mainMenu}>
        <NavigationList menu="main" />
      </nav>
      <nav className="mt-auto border-t pt-4" aria-label={shell.accountMenu}>
        <AccountItems onLogout={onLogout} />
      </nav>
    </>
  )
}

function AccountItems({ onLogout }: { onLogout: () => void }) {
  return (
    <>
      <NavigationList menu="account" />
      <button type="button" className="nav-item" onClick={onLogout}>
        <Icon name="logout" />
        {shell.logout}
      </button>
    </>
  )
}

function NavigationList({ menu }: { menu: 'main' | 'account' }) {
  return pagesIn(menu).map((name) => (
    <NavLink key={name} className="nav-item" to={paths[name]} reloadDocument={name === 'help'}>
      <Icon name={pages[name].icon} />
      {menuTitles[name]}
    </NavLink>
  ))
}
