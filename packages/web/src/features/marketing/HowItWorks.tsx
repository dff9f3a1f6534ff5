import { marketing } from '#messages/site/marketing.ts'
import { example, priceOf } from './price.ts'
import { formatMoney, formatWithCode, isolate } from '../../ui/format/format.ts'

const { sent, received } = priceOf(example)
const dollars = formatMoney(sent, 'USD', { unit: 'none' })
const amounts = [
  isolate(`${dollars} USD`),
  isolate(`${dollars} USDT`),
  isolate(`${dollars} USDT`),
  formatWithCode(received, example.target),
]

/** The example of the price check followed through its four steps. */
export function HowItWorks() {
  return (
    <section className="band site-width" id="how">
      <h2 className="display-l">
        {marketing.howItWorks} <span className="muted">{marketing.simplyPut}</span>
      </h2>
      <svg className="flight how-flight wide-only" viewBox="0 0 1200 96" aria-hidden="true">
        <path className="flight-ground" d="M0 86H1200" />
        <path d="M5 86A236 236 0 0 1 315 86M315 86A236 236 0 0 1 624 86M624 86A236 236 0 0 1 934 86" />
        <circle className="flight-start" cx="5" cy="86" r="5" />
        <circle className="flight-start" cx="315" cy="86" r="5" />
        <circle className="flight-start" cx="624" cy="86" r="5" />
        <circle className="flight-end" cx="934" cy="86" r="7" />
      </svg>
      <ol className="how">
        {marketing.steps.map(({ title, text }, index) => (
          <li key={title}>
            <p className="small tabular how-amount">{amounts[index]}</p>
            <h3 className="display-s">{title}</h3>
            <p className="muted">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
