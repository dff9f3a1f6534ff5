import { useLocation } from 'react-router'
import { frame } from '#messages/site/frame.ts'
import { paths } from '../../../app/paths.ts'
import { Brand } from '../../../ui/icon/Brand.tsx'
import { Drawing } from '../../../ui/icon/Icon.tsx'
import { AccountButton, LogInLink, WaitlistLink } from './AccountLinks.tsx'
import { mainLinks } from './links.ts'

/** The header of the public pages. It gets smaller and opaque once the page is scrolled; on a phone it has a menu. */
export function SiteHeader() {
  // Pages are built with a slash at the end of their address.
  const pathname = useLocation().pathname.replace(/(.)\/$/, '$1')
  const links = mainLinks.map(({ path, name }) => (
    <a key={path} href={path} aria-current={pathname === path ? 'page' : undefined}>
      {name}
    </a>
  ))
  return (
    <header className="site-header">
      <div className="site-width">
        <Brand href={paths.landing} />
        <nav className="site-nav wide-only" aria-label={frame.menu}>
          {links}
        </nav>
        <LogInLink className="site-log-in" />
        <WaitlistLink className="button button-secondary wide-only" />
        <AccountButton className="site-open" />
        <details className="site-menu narrow-only">
          <summary aria-label={frame.openMenu}>
            <Drawing name="menu" path="M4 7h16M4 12h16M4 17h16" />
          </summary>
          <nav aria-label={frame.menu}>
            {links}
            <WaitlistLink />
          </nav>
        </details>
      </div>
    </header>
  )
}
