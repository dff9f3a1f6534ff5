import '../../css/marketing.css'
import displayFont from '../../../fonts/display-marketing.woff2?url'
import textFont from '../../../fonts/text-marketing.woff2?url'
import { marketing } from '#messages/site/marketing.ts'
import { shell } from '#messages/shell.ts'
import { pageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { preloadFonts } from '../../app/shell/preload-fonts.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { PolarMap } from '../../ui/maps/PolarMap.tsx'
import { HeroMap } from './HeroMap.tsx'
import { HowItWorks } from './HowItWorks.tsx'
import { PriceCheck } from './PriceCheck.tsx'

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

/** The head of the public pages. It changes its look once the page is scrolled. */
function SiteHeader() {
  return (
    <header className="site-header">
      <div className="site-width row">
        <Brand href={paths.landing} />
        <nav className="row row-end" aria-label={marketing.menu}>
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

/** The foot of the public pages: where the name comes from. Dark in both themes. */
function SiteFooter() {
  return (
    <footer className="site-footer dark">
      <div className="site-width site-footer-grid">
        <div>
          <p className="display-l">{marketing.footerTitle}</p>
          <p className="muted site-footer-text">{marketing.footerText}</p>
          <p className="faint small">{marketing.copyright}</p>
        </div>
        <PolarMap className="footer-map" />
      </div>
    </footer>
  )
}
