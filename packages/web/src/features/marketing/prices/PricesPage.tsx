import '../../../css/site/prices.css'
import { prices } from '#messages/site/prices/price-list.ts'
import { PageScript } from '../frame/PageScript.tsx'
import { siteMeta } from '../site-meta.ts'
import { Calculator } from './Calculator.tsx'
import { PriceList } from './PriceList.tsx'
import { ReallyPaid } from './ReallyPaid.tsx'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, prices.description)

/** Our price list and a calculator, then what people really paid. Complete without its script except for those figures. */
export default function PricesPage() {
  return (
    <>
      <main id="main">
        <div className="site-width prices">
          <h1 className="display-xl">{prices.headline}</h1>
          <p className="lead">{prices.lead}</p>
          <div className="prices-columns">
            <PriceList />
            <Calculator />
          </div>
        </div>
        <ReallyPaid />
      </main>
      <PageScript name="prices" />
    </>
  )
}
