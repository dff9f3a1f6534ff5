import '../../../css/site/security.css'
import { securityPage as page } from '#messages/site/security-page.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { paths } from '../../../app/paths.ts'
import { ClosingCall } from '../frame/ClosingCall.tsx'
import { PageScript } from '../frame/PageScript.tsx'
import { siteMeta } from '../site-meta.ts'
import { type Claim, sections } from './claims.ts'
import { SecurityIllustration } from './SecurityIllustration.tsx'

export const meta = (route: Parameters<typeof siteMeta>[0]) => siteMeta(route, page.description)

const claimsGrid =
  'grid grid-cols-[minmax(0,3fr)_minmax(0,9fr)] gap-10 border-t py-18 max-md:grid-cols-1 max-md:gap-6 max-md:py-14'
const claimRow =
  'grid grid-cols-[minmax(0,4fr)_minmax(0,5fr)] gap-8 border-t py-6 first:border-t-ink ' +
  'max-md:grid-cols-1 max-md:gap-1 sm:max-md:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] sm:max-md:gap-8'

/** Protection of accounts, money and data. Claims that can be seen in the product link to that page. */
export default function SecurityPage() {
  return (
    <>
      <main id="main">
        <section className="site-width page-head grid grid-cols-2 items-center gap-10 max-md:grid-cols-1">
          <div>
            <h1 className="display-xl">{page.headline}</h1>
            <p className="lead">{page.lead}</p>
            <nav className="mt-6 flex flex-wrap gap-x-6 max-sm:grid max-sm:grid-cols-[1fr_1fr]" aria-label={page.jump}>
              {sections.map(({ id, short }) => (
                <a className="more" key={id} href={`#${id}`}>
                  {short}
                </a>
              ))}
            </nav>
          </div>
          <SecurityIllustration />
        </section>
        <div className="site-width">
          {sections.map(({ id, title, claims }) => (
            <section className={claimsGrid} id={id} key={id}>
              <h2 className="sticky top-24 self-start display-m max-md:static">{title}</h2>
              <ul>
                {claims.map((claim) => (
                  <ClaimRow key={claim.title} {...claim} />
                ))}
              </ul>
            </section>
          ))}
          <TestingSection />
        </div>
        <WeaknessSection />
        <ClosingCall />
      </main>
      <PageScript name="site" />
    </>
  )
}

function ClaimRow({ title, text, proof, license }: Claim) {
  return (
    <li className={claimRow} data-with={license && 'license'} hidden={license}>
      <h3 className="text-lead font-medium">{title}</h3>
      <div>
        <p className="muted">{license ? <span data-value="license" /> : text}</p>
        {'href' in proof && (
          <a className="more more-under mt-0.5" href={proof.href}>
            {proof.where}
            <Icon name="next" />
          </a>
        )}
      </div>
    </li>
  )
}

/** How the claims are tested. The documentation link is shown if its address is configured. */
function TestingSection() {
  return (
    <section className={claimsGrid} id="testing">
      <h2 className="sticky top-24 self-start display-m max-md:static">{page.testing}</h2>
      <div>
        <p className="lead">{page.testingText}</p>
        <p data-with="docs" hidden>
          <a className="more more-under mt-0.5" data-value="docs" href={paths.security}>
            {page.testingDocs}
            <Icon name="next" />
          </a>
        </p>
      </div>
    </section>
  )
}

/** Shown only if a security contact is configured. */
function WeaknessSection() {
  return (
    <section className="water" data-with="security-contact" hidden>
      <div className="site-width columns-7-5 py-22 max-md:gap-6 max-md:py-18">
        <div>
          <h2 className="display-l">{page.weakness}</h2>
          <p className="lead mt-3">{page.weaknessText}</p>
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
