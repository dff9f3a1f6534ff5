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

const atlas = JSON.stringify({ land, countries })

/** Landing page: sign-up, price of a transfer, how it works, evidence. Served without application script. */
export default function Landing() {
  return (
    <>
      <main id="main">
        <section className="relative -mt-22 overflow-hidden border-b pt-22 pb-16 max-md:-mt-16 max-md:pt-16 max-md:pb-12">
          <div className="site-width relative">
            <div className="hero-text relative z-1 flex min-h-127 w-140 flex-col justify-center py-8 max-xl:w-135 max-md:min-h-0 max-md:w-auto max-md:pb-0">
              <h1 className="display-xl">{marketing.headline}</h1>
              <p className="lead mt-6 mb-8 max-w-125 max-md:mt-5 max-md:mb-6">{marketing.lead}</p>
              <p className="flex flex-wrap items-center gap-x-5 gap-y-3">
                <AccountButton className="button-big max-md:max-w-140 max-md:flex-[1_1_100%]" />
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
