import { marketing } from '#messages/site/marketing.ts'
import { priceForm } from '#messages/site/prices/price-form.ts'
import { priceCheck } from '#messages/site/prices/price-check.ts'
import { formatMoney, monogram } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { formatRateLine } from '../../ui/money/rates.ts'
import { mainLinks } from './frame/links.ts'
import { firstCountries, firstPicture, firstView } from './globe/first-picture.ts'
import { example, computePrice } from './price.ts'

const price = computePrice(example)
const received = formatMoney(price.received, example.target)
const fee = formatMoney(price.fee, example.source)
const total = formatMoney(price.total, example.source)

/** Decorative price sheet and success page with the example's amounts. */
export function ProductPicture() {
  return (
    <section className="water">
      <div className="site-width band grid grid-cols-[minmax(0,4fr)_minmax(0,8fr)] items-center gap-16 max-xl:grid-cols-1 max-xl:gap-10">
        <div>
          <h2 className="display-l">{marketing.fullPrice}</h2>
          <p className="lead mt-5 max-w-110">{marketing.fullPriceText}</p>
          <a className="more mt-2" href={mainLinks[0].path}>
            {mainLinks[0].name} <Icon name="next" />
          </a>
        </div>
        <figure>
          <div
            className="relative h-150 max-xl:max-w-215 max-[700px]:grid max-[700px]:h-auto max-[700px]:gap-6"
            aria-hidden="true"
          >
            <PriceSheet />
            <Phone />
          </div>
          <figcaption className="tiny faint mt-5">{marketing.sampleNote}</figcaption>
        </figure>
      </div>
    </section>
  )
}

function Row({ name, value, isSum }: { name: string; value: string; isSum?: boolean }) {
  return (
    <div className={isSum ? 'definitions-sum' : undefined}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function PriceSheet() {
  return (
    <div className="sheet raised absolute start-0 top-16 w-[calc(100%-340px)] max-w-120 max-[700px]:relative max-[700px]:inset-auto max-[700px]:w-full max-[700px]:max-w-none">
      <div className="scale-bar" />
      <div className="p-6">
        <p className="mb-6 flex items-center gap-3">
          <span className="monogram">{monogram(marketing.samplePerson)}</span>
          <span>
            <b>{marketing.samplePerson}</b>
            <br />
            <span className="small muted">{marketing.sampleUsername}</span>
          </span>
        </p>
        <p className="small muted">{marketing.sampleGets}</p>
        <p className="figure mt-1 mb-3">{received}</p>
        <dl className="definitions small">
          <Row name={marketing.sampleAmount} value={formatMoney(price.sent, example.source)} />
          <Row name={priceCheck.rate} value={formatRateLine(example.rate, example.source, example.target)} />
          <Row name={priceCheck.fee(price.feePercent)} value={fee} />
          <Row name={priceForm.total} value={total} isSum />
        </dl>
        <p className="small muted mt-3 mb-5">{marketing.sampleArrives}</p>
        <span className="button button-primary button-big button-wide">{marketing.sampleSend}</span>
      </div>
    </div>
  )
}

function Phone() {
  const { x, y, radius } = firstView
  const circle = { cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1) }
  const [start = [0, 0], end = [0, 0]] = firstPicture.ends
  return (
    <div className="phone dark raised absolute end-0 top-0 flex h-150 w-75 flex-col overflow-hidden border max-[700px]:relative max-[700px]:inset-auto max-[700px]:h-148 max-[700px]:w-71 max-[700px]:justify-self-center">
      <svg className="map h-53 w-full flex-none overflow-hidden border-b bg-paper" viewBox="-58 53 635 451">
        <circle className="map-sea" {...circle} />
        <use href="#globe-ground" />
        <path className="map-country" d={firstCountries} />
        <circle className="map-limb" {...circle} />
        <path className="map-arc map-arc-key" d={firstPicture.arc} />
        <circle className="map-dot" cx={start[0].toFixed()} cy={start[1].toFixed()} r="8" />
        <circle className="map-dot map-dot-end" cx={end[0].toFixed()} cy={end[1].toFixed()} r="12" />
      </svg>
      <div className="flex flex-1 flex-col gap-1 p-5">
        <p className="display-s">{marketing.sampleSuccess}</p>
        <p className="small muted">{marketing.sampleSuccessText}</p>
        <p className="figure mt-4 mb-2 text-[44px]">{received}</p>
        <dl className="definitions small">
          <Row name={marketing.samplePaid} value={total} />
          <Row name={marketing.sampleFee} value={fee} />
          <Row name={marketing.sampleId} value={marketing.sampleReference} />
        </dl>
        <span className="button button-secondary button-wide mt-auto">{marketing.sampleBack}</span>
      </div>
    </div>
  )
}
