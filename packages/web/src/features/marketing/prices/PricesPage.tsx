import '../../../css/site/prices.css'
import { prices } from '#messages/site/prices/price-list.ts'
import { PageScript } from '../frame/PageScript.tsx'
import { siteMeta } from '../site-meta.ts'
import { Calculator } from './Calculator.tsx'
import { PriceList } from './PriceList.tsx'
import { FeeIndex } from './FeeIndex.tsx'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, prices.description)

/** Price list and calculator, then prices actually paid. Complete without its script except for the latter. */
export default function PricesPage() {
  return (
    <>
      <main id="main">
        <div className="site-width pt-14 pb-22 max-md:pt-8 max-md:pb-16">
          <h1 className="display-xl">{prices.headline}</h1>
          <p className="lead mt-5 mb-12 max-w-130 max-md:mb-8">{prices.lead}</p>
          <div className="grid grid-cols-[minmax(0,7fr)_minmax(0,5fr)] items-start gap-16 max-xl:grid-cols-1 max-xl:gap-10">
            <PriceList />
            <Calculator />
          </div>
        </div>
        <FeeIndex />
      </main>
      <PageScript name="prices" />
    </>
  )
}
