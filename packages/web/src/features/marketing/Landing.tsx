import '../../css/site/landing.css'
import { marketing } from '#messages/site/marketing.ts'
import { pageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { ClosingCall } from './frame/ClosingCall.tsx'
import { PageScript } from './frame/PageScript.tsx'
import { HeroMap } from './HeroMap.tsx'
import { HowItWorks } from './HowItWorks.tsx'
import { PriceCheck } from './PriceCheck.tsx'

export const meta = (page: Parameters<typeof pageTitle>[0]) => [
  ...pageTitle(page),
  { name: 'description', content: marketing.description },
]

/** The first page: what a transfer costs, how it works, why it is worth it. Sent without application script. */
export default function Landing() {
  return (
    <>
      <main id="main">
        <section className="hero">
          <div className="site-width hero-grid">
            <div className="hero-text">
              <h1 className="display-xl">{marketing.headline}</h1>
              <p className="lead">{marketing.lead}</p>
              <a className="button button-primary button-big" href={paths.signup}>
                {marketing.openWallet}
              </a>
              <p className="hint">{marketing.openWalletHint}</p>
            </div>
            <HeroMap />
            <PriceCheck />
          </div>
        </section>
        <HowItWorks />
        <Advantages />
        <ClosingCall />
      </main>
      <PageScript name="landing" />
    </>
  )
}

function Advantages() {
  return (
    <section className="band advantages">
      <div className="site-width">
        {marketing.advantages.map(({ name, claim, text }) => (
          <div className="advantage" key={name}>
            <h2 className="small">{name}</h2>
            <p className="display-l">{claim}</p>
            <p className="lead">{text}</p>
          </div>
        ))}
      </div>
    </section>
  )
}
