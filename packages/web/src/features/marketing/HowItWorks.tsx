import { marketing } from '#messages/site/marketing.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { Mark } from '../../ui/icon/Brand.tsx'
import { example, computePrice } from './price.ts'

const { sent, received } = computePrice(example)
const dollars = formatMoney(sent, example.source)
const transitText = formatMoney(sent, 'USDT')
const amounts = [dollars, transitText, transitText, formatMoney(received, example.target)]

/** The price check's example in its four steps. */
export function HowItWorks() {
  return (
    <section className="site-width band" id="how">
      <div className="columns-7-5 max-md:gap-4">
        <h2 className="display-l">
          {marketing.howItWorks} <span className="muted">{marketing.simplyPut}</span>
        </h2>
        <p className="lead max-w-115">{marketing.follow(dollars)}</p>
      </div>
      <div className="flown wide-only" aria-hidden="true">
        <svg className="flown-line" viewBox="0 0 1312 150" preserveAspectRatio="none" data-draw="">
          <path d="M6 138H338" pathLength="1" />
          <path d="M338 138A520 520 0 0 1 1020 138" pathLength="1" />
        </svg>
        <i className="flown-dot" />
        <i className="flown-dot" />
        <i className="flown-dot" />
        <Mark />
      </div>
      <ol className="how">
        {marketing.steps.map(({ title, text }, index) => (
          <li className="stop-line" key={title}>
            <p className="mb-2 text-control/6 font-medium text-sea">{amounts[index]}</p>
            <h3 className="display-s mb-2">{title}</h3>
            <p className="muted">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
