import '../../css/account-menu.css'
import { type MouseEvent, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { shell } from '#messages/shell.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { paths } from '../paths.ts'
import { NavigationList } from './navigation/NavigationList.tsx'

interface AccountMenuProps {
  user: { readonly username: string; readonly name: string | null }
  pathname: string
  onLogout: () => void
}

/** The signed-in person in the top bar: a link to the profile; on phones, a button with the account menu. */
export function AccountMenu({ user, pathname, onLogout }: AccountMenuProps) {
  const menu = useRef<HTMLElement>(null)
  // Closed on `popstate` rather than on the page change, by which time the user may have opened it again.
  useEffect(() => {
    const close = () => menu.current?.hidePopover()
    addEventListener('popstate', close)
    return () => removeEventListener('popstate', close)
  }, [])
  const avatar = <Avatar name={user.name ?? user.username} />
  return (
    <>
      <Link
        className="flex gap-2 items-center min-w-0 min-h-(--touch) no-underline hover:text-ink small muted wide-only"
        to={paths.profile}
      >
        {avatar}
        <span className="last:truncate" translate="no">
          {user.username}
        </span>
      </Link>
      <button type="button" className="button button-square narrow-only" popoverTarget="account-menu">
        <span className="visually-hidden">{shell.accountMenuOf(user.username)}</span>
        {avatar}
      </button>
      <nav
        className="[inset:60px_8px_auto_auto] [box-shadow:var(--shadow)] border w-[min(280px,100vw-16px)] m-0 p-2 rounded-sheet bg-sheet [&>p]:py-2 [&>p]:px-3 [&>p]:wrap-anywhere rtl:[inset:60px_auto_auto_8px]"
        id="account-menu"
        popover="auto"
        ref={menu}
        aria-label={shell.accountMenu}
        onClick={hideOnChoice}
      >
        <p className="small muted" translate="no">
          {user.username}
        </p>
        <NavigationList menu="account" pathname={pathname} />
        <button type="button" className="nav-item" onClick={onLogout}>
          <Icon name="logout" />
          {shell.logout}
        </button>
      </nav>
    </>
  )
}

function hideOnChoice({ target, currentTarget }: MouseEvent<HTMLElement>) {
  if ((target as Element).closest('a, button')) currentTarget.hidePopover()
}
