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
 * Footer of the public pages: origin of the name, links to the public pages, and the operator. The server fills in operator,
 * license and support contact if configured. Dark in both themes.
 */
export function SiteFooter() {
  return (
    <footer className="dark relative overflow-hidden">
      <div className="site-width">
        <div className="columns-7-5 items-stretch pt-22 pb-18 max-md:pt-16 max-md:pb-10">
          <div>
            <p className="display-l">{frame.footerTitle}</p>
            <p className="muted mt-5 max-w-130">{frame.footerText}</p>
          </div>
          <nav
            className="grid w-full max-w-100 grid-cols-[1fr_1fr] content-start gap-6 justify-self-end max-md:justify-self-start"
            aria-label={frame.footer}
          >
            <FooterLinks title={frame.product} links={productLinks} />
            <FooterLinks title={frame.legal} links={legalLinks} />
          </nav>
        </div>
        <div className="small muted grid grid-cols-[minmax(0,1fr)_auto] gap-x-10 gap-y-4 border-t pt-6 pb-10 max-md:grid-cols-1 [&_b]:font-medium">
          <div className="max-w-180">
            <span data-with="operator" hidden>
              {frame.operatedBy} <b data-value="operator" />.{' '}
            </span>
            <span data-with="license" hidden>
              <b>{frame.license}</b> <i className="not-italic" data-value="license" />.{' '}
            </span>
            {frame.notABank}
            <p data-with="support" hidden>
              {frame.support}{' '}
              <a data-value="support" href={paths.help}>
                <b data-value="support-label" />
              </a>
            </p>
          </div>
          <p className="max-w-180">{frame.copyright}</p>
        </div>
      </div>
      <FooterMap />
    </footer>
  )
}

function FooterLinks({ title, links }: { title: string; links: readonly FooterLink[] }) {
  return (
    <div>
      <h2 className="faint mb-2 text-fine/5 font-medium">{title}</h2>
      {links.map(({ path, name, when }) => (
        <a className="flex min-h-11 items-center no-underline hover:underline" key={path} href={path} data-when={when}>
          {name}
        </a>
      ))}
    </div>
  )
}
