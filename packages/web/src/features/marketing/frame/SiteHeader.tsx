import { useLocation } from 'react-router'
import { frame } from '#messages/site/frame.ts'
import { paths } from '../../../app/paths.ts'
import { Brand } from '../../../ui/icon/Brand.tsx'
import { Drawing } from '../../../ui/icon/Icon.tsx'
import { AccountButton, LogInLink, WaitlistLink } from './AccountLinks.tsx'
import { mainLinks } from './links.ts'

const menuButton = 'grid size-11 cursor-pointer list-none place-items-center [&::-webkit-details-marker]:hidden'
const menuLink =
  'flex min-h-12 items-center rounded-control px-4 font-book no-underline hover:bg-sea-wash aria-[current]:text-sea'

/** Header of the public pages. Shrinks and turns opaque on scrolling; has a menu on phones. */
export function SiteHeader() {
  // Prerendered pages have a trailing slash.
  const pathname = useLocation().pathname.replace(/(.)\/$/, '$1')
  const links = (className: string) =>
    mainLinks.map(({ path, name }) => (
      <a className={className} key={path} href={path} aria-current={pathname === path ? 'page' : undefined}>
        {name}
      </a>
    ))
  return (
    <header className="site-header">
      <div className="site-width flex h-full items-center gap-2 max-md:gap-1">
        <Brand href={paths.landing} />
        <nav className="wide-only me-2 flex gap-2" aria-label={frame.menu}>
          {links('tab-link px-3 hover:text-ink')}
        </nav>
        <LogInLink className="tab-link px-3 text-ink hover:underline max-md:px-2" />
        <WaitlistLink className="button button-secondary wide-only" />
        <AccountButton className="min-w-0 whitespace-normal max-md:px-3" />
        <details className="narrow-only relative -me-2.5">
          <summary className={menuButton} aria-label={frame.openMenu}>
            <Drawing name="menu" path="M4 7h16M4 12h16M4 17h16" />
          </summary>
          <nav className="raised absolute end-0 top-13 w-55 rounded-sheet border bg-sheet p-2" aria-label={frame.menu}>
            {links(menuLink)}
            <WaitlistLink className={menuLink} />
          </nav>
        </details>
      </div>
    </header>
  )
}
