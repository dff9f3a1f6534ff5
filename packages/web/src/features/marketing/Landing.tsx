import '../../css/marketing.css'
import displayFont from '../../../fonts/display-marketing.woff2?url'
import textFont from '../../../fonts/text-marketing.woff2?url'
import { marketing } from '#messages/site/marketing.ts'
import { shell } from '#messages/shell.ts'
import { pageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { preloadFonts } from '../../app/shell/preload-fonts.ts'
import { HeroMap } from './HeroMap.tsx'
import { HowItWorks } from './HowItWorks.tsx'
import { PriceCheck } from './PriceCheck.tsx'
import { SiteFooter } from './SiteFooter.tsx'
import { SiteHeader } from './SiteHeader.tsx'

export const links = () => preloadFonts(displayFont, textFont)

export const meta = (page: Parameters<typeof pageTitle>[0]) => [
  ...pageTitle(page),
  { name: 'description', content: marketing.description },
]

/** The first page: what a transfer costs, how it works, why it is worth it. Sent without application script. */
export default function Landing() {
  return (
    <>
      <a className="button button-primary skip-link" href="#main">
        {shell.skipToContent}
      </a>
      <SiteHeader />
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
      </main>
      <SiteFooter />
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
