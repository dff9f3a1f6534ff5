import '../../../css/site/security.css'
import { securityPage as page } from '#messages/site/security-page.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { paths } from '../../../app/paths.ts'
import { ClosingCall } from '../frame/ClosingCall.tsx'
import { PageScript } from '../frame/PageScript.tsx'
import { siteMeta } from '../site-meta.ts'
import { type Claim, sections } from './claims.ts'
import { Island } from './Island.tsx'

export const meta = (route: Parameters<typeof siteMeta>[0]) => siteMeta(route, page.description)

/** Protection of accounts, money and data. A claim that can be seen at work links to that page. */
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
          <Testing />
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
    <li data-with={license && 'license'} hidden={license}>
      <h3>{title}</h3>
      <div>
        <p className="muted">{license ? <span data-value="license" /> : text}</p>
        {'href' in proof && (
          <a className="more" href={proof.href}>
            {proof.where}
            <Icon name="next" />
          </a>
        )}
      </div>
    </li>
  )
}

/** How the claims are tested. The link to the documentation is shown where its address is configured. */
function Testing() {
  return (
    <section className="claims" id="testing">
      <h2 className="display-m">{page.testing}</h2>
      <div>
        <p className="lead">{page.testingText}</p>
        <p data-with="docs" hidden>
          <a className="more" data-value="docs" href={paths.security}>
            {page.testingDocs}
            <Icon name="next" />
          </a>
        </p>
      </div>
    </section>
  )
}

/** Shown only where a security contact is configured. */
function Weakness() {
  return (
    <section className="water" data-with="security-contact" hidden>
      <div className="site-width weakness">
        <div>
          <h2 className="display-l">{page.weakness}</h2>
          <p className="lead">{page.weaknessText}</p>
        </div>
        <p>
          <a className="button button-secondary button-big" href="/.well-known/security.txt">
            {page.report}
          </a>
        </p>
      </div>
    </section>
  )
}
