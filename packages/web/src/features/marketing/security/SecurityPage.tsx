import '../../../css/site/security.css'
import { securityPage as page } from '#messages/site/security-page.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { ClosingCall } from '../frame/ClosingCall.tsx'
import { PageScript } from '../frame/PageScript.tsx'
import { siteMeta } from '../site-meta.ts'
import { type Claim, sections } from './claims.ts'
import { Island } from './Island.tsx'

export const meta = (route: Parameters<typeof siteMeta>[0]) => siteMeta(route, page.description)

/** What protects an account, money and data. Each claim leads to where it can be seen or names the test behind it. */
export default function SecurityPage() {
  return (
    <>
      <main id="main">
        <section className="site-width page-head security-head">
          <div>
            <h1 className="display-xl">{page.headline}</h1>
            <p className="lead">{page.lead}</p>
            <nav className="security-jump" aria-label={page.jump}>
              {sections.map(({ id, short }) => (
                <a className="more" key={id} href={`#${id}`}>
                  {short}
                </a>
              ))}
            </nav>
          </div>
          <Island />
        </section>
        <div className="site-width">
          {sections.map(({ id, title, claims }) => (
            <section className="claims" id={id} key={id}>
              <h2 className="display-m">{title}</h2>
              <ul>
                {claims.map((claim) => (
                  <ClaimRow key={claim.title} {...claim} />
                ))}
              </ul>
            </section>
          ))}
        </div>
        <Weakness />
        <ClosingCall />
      </main>
      <PageScript name="site" />
    </>
  )
}

function ClaimRow({ title, text, proof, license }: Claim) {
  return (
    <li>
      <h3>{title}</h3>
      <div>
        {license ? (
          <p className="muted">
            <span data-without="license">{text}</span>
            <span data-with="license" hidden>
              <span data-value="license" />
            </span>
          </p>
        ) : (
          <p className="muted">{text}</p>
        )}
        {'href' in proof && (
          <a className="more" href={proof.href}>
            {page.seeIt(proof.where)}
            <Icon name="next" />
          </a>
        )}
        {'test' in proof && (
          <p className="small faint claim-test">
            {page.provenBy} <code translate="no">{proof.test.replace(/^.*\//, '')}</code>
          </p>
        )}
      </div>
    </li>
  )
}

function Weakness() {
  return (
    <section className="water">
      <div className="site-width weakness">
        <div>
          <h2 className="display-l">{page.weakness}</h2>
          <p className="lead">{page.weaknessText}</p>
        </div>
        <div>
          <p className="muted" data-without="security-contact">
            {page.noContact}
          </p>
          <p data-with="security-contact" hidden>
            <a className="button button-secondary button-big" href="/.well-known/security.txt">
              {page.report}
            </a>
          </p>
        </div>
      </div>
    </section>
  )
}
