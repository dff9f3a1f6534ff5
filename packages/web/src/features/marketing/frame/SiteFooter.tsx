import { frame } from '#messages/site/frame.ts'
import { paths } from '../../../app/paths.ts'
import { FooterMap } from './FooterMap.tsx'
import { legalLinks, mainLinks } from './links.ts'

interface FooterLink {
  readonly path: string
  readonly name: string
  /** Shown to visitors or members only. */
  readonly when?: 'in' | 'out'
}

const productLinks: readonly FooterLink[] = [
  ...mainLinks,
  { path: paths.help, name: frame.help },
  { path: paths.login, name: frame.logIn, when: 'out' },
  { path: paths.dashboard, name: frame.openDashboard, when: 'in' },
]

/**
 * The footer of the public pages: origin of the name, every public page, and who runs the service. The server fills in
 * operator, license and support contact where they are set. Dark in both themes.
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
            <FooterLinks title={frame.product} links={productLinks} />
            <FooterLinks title={frame.legal} links={legalLinks} />
          </nav>
        </div>
        <div className="site-footer-base small muted">
          <div>
            <span data-with="operator" hidden>
              {frame.operatedBy} <b data-value="operator" />.{' '}
            </span>
            <span data-with="license" hidden>
              <b>{frame.license}</b> <i data-value="license" />.{' '}
            </span>
            {frame.notABank}
            <p data-with="support" hidden>
              {frame.support}{' '}
              <a data-value="support" href={paths.help}>
                <b data-value="support-label" />
              </a>
            </p>
          </div>
          <p>{frame.copyright}</p>
        </div>
      </div>
      <FooterMap />
    </footer>
  )
}

function FooterLinks({ title, links }: { title: string; links: readonly FooterLink[] }) {
  return (
    <div>
      <h2 className="faint">{title}</h2>
      {links.map(({ path, name, when }) => (
        <a key={path} href={path} data-when={when}>
          {name}
        </a>
      ))}
    </div>
  )
}
