import { marketing } from '#messages/site/marketing.ts'
import { pathIfPresent } from '../../app/paths.ts'
import { PolarMap } from '../../ui/maps/PolarMap.tsx'

const pages = [
  { page: 'terms', label: marketing.terms },
  { page: 'privacy', label: marketing.privacy },
  { page: 'compliance', label: marketing.compliance },
]

/** The foot of the public pages: where the name comes from, and the legal pages that exist. Dark in both themes. */
export function SiteFooter() {
  return (
    <footer className="site-footer dark">
      <div className="site-width site-footer-grid">
        <div>
          <p className="display-l">{marketing.footerTitle}</p>
          <p className="muted site-footer-text">{marketing.footerText}</p>
          <div className="row site-footer-links">
            {pages.map(({ page, label }) => {
              const path = pathIfPresent(page)
              return (
                path && (
                  <a key={page} href={path}>
                    {label}
                  </a>
                )
              )
            })}
            <span className="faint small">{marketing.copyright}</span>
          </div>
        </div>
        <PolarMap className="footer-map" />
      </div>
    </footer>
  )
}
