import '../../css/site/landing.css'
import { frame } from '#messages/site/frame.ts'
import { marketing } from '#messages/site/marketing.ts'
import { pageTitle } from '../../app/page-title.ts'
import { Advantages } from './Advantages.tsx'
import { Evidence } from './Evidence.tsx'
import { AccountButton } from './frame/AccountLinks.tsx'
import { ClosingCall } from './frame/ClosingCall.tsx'
import { PageScript } from './frame/PageScript.tsx'
import { WaitlistForm } from './frame/WaitlistForm.tsx'
import { countries, land } from './globe/land.ts'
import { HeroMap } from './HeroMap.tsx'
import { HowItWorks } from './HowItWorks.tsx'
import { PriceCheck } from './PriceCheck.tsx'
import { ProductPicture } from './ProductPicture.tsx'

export const meta = (page: Parameters<typeof pageTitle>[0]) => [
  ...pageTitle(page),
  { name: 'description', content: marketing.description },
]

/** What the globe's script draws from. */
const atlas = JSON.stringify({ land, countries })

/** The first page: the way in, what a transfer costs, how it works, and evidence. Sent without application script. */
export default function Landing() {
  return (
    <>
      <main id="main">
        <section className="hero">
          <div className="site-width">
            <div className="hero-text">
              <h1 className="display-xl">{marketing.headline}</h1>
              <p className="lead">{marketing.lead}</p>
              <p className="hero-action">
                <AccountButton className="button-big" />
                <span className="small muted" data-when="out">
                  {frame.freeToOpen}
                </span>
              </p>
              <WaitlistForm />
            </div>
            <HeroMap />
            <PriceCheck />
          </div>
        </section>
        <HowItWorks />
        <ProductPicture />
        <Advantages />
        <Evidence />
        <ClosingCall />
      </main>
      {/* Coordinates from which the script draws the globe. */}
      <span id="land" data-atlas={atlas} hidden />
      <PageScript name="landing" />
    </>
  )
}
