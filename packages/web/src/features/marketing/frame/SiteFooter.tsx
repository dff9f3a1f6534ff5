import { frame } from '#messages/site/frame.ts'
import { paths } from '../../../app/paths.ts'
import { FooterMap } from './FooterMap.tsx'
import { legalLinks, mainLinks } from './links.ts'

/**
 * The footer of the public pages: where the name comes from, every public page, who licenses; the server puts the license
 * in where one is set. Dark in both themes.
 */
export function SiteFooter() {
  return (
    <footer className="site-footer dark">
      <div className="site-width">
        <div className="site-footer-grid">
          <div>
            <p className="display-l">{frame.footerTitle}</p>
            <p className="muted site-footer-text">{frame.footerText}</p>
          </div>
          <nav className="site-footer-links" aria-label={frame.footer}>
            <FooterLinks title={frame.product} links={[...mainLinks, { path: paths.login, name: frame.logIn }]} />
            <FooterLinks title={frame.legal} links={legalLinks} />
          </nav>
        </div>
        <div className="site-footer-base small muted">
          <p>
            <b>{frame.license}</b> <span data-without="license">{frame.noLicense}</span>
            <span data-with="license" hidden>
              <span data-value="license" />
            </span>{' '}
            {frame.notABank}
          </p>
          <p>{frame.copyright}</p>
        </div>
      </div>
      <FooterMap />
    </footer>
  )
}

interface FooterLinksProps {
  title: string
  links: readonly { readonly path: string; readonly name: string }[]
}

function FooterLinks({ title, links }: FooterLinksProps) {
  return (
    <div>
      <h2 className="faint">{title}</h2>
      {links.map(({ path, name }) => (
        <a key={path} href={path}>
          {name}
        </a>
      ))}
    </div>
  )
}
