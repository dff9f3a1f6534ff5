import { marketing } from '#messages/site/marketing.ts'
import { pathIfPresent, paths } from '../../app/paths.ts'
import { Brand } from '../../ui/icon/Brand.tsx'

const pages = [
  { page: 'howItWorks', label: marketing.howItWorksLink },
  { page: 'security', label: marketing.securityLink },
]

/** The head of the public pages. It changes its look once the page is scrolled. */
export function SiteHeader() {
  return (
    <header className="site-header">
      <div className="site-width row">
        <Brand href={paths.landing} />
        <nav className="row row-end" aria-label={marketing.menu}>
          {pages.map(({ page, label }) => {
            const path = pathIfPresent(page)
            return (
              path && (
                <a className="button button-ghost wide-only" key={page} href={path}>
                  {label}
                </a>
              )
            )
          })}
          <a className="button button-ghost" href={paths.login}>
            {marketing.logIn}
          </a>
          <a className="button button-primary" href={paths.signup}>
            {marketing.signUp}
          </a>
        </nav>
      </div>
    </header>
  )
}
