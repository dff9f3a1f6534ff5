import '../../css/flight.css'
import '../../css/arc.css'
import '../../css/flow.css'
import { prices } from '#messages/prices.ts'
import { formatExactly, formatMoney } from '../format/format.ts'
import { personLocale } from '../format/locale.ts'
import { Icon } from '../icon/Icon.tsx'
import type { ConversionLegs, Leg } from './conversion.ts'
import { formatRateLine } from './rates.ts'

interface ConversionFlowProps extends ConversionLegs {
  /** Draws the arc once, when a transfer has just completed. */
  isAnimated?: boolean | undefined
}

/** Amounts of a conversion, joined by an arc with the rate at its top. The intermediate amount is shown on request. */
export function ConversionFlow({ from, via, to, rate, isAnimated }: ConversionFlowProps) {
  const rateLine = rate === undefined ? undefined : formatRateLine(rate, from.currency, to.currency)
  return (
    <div>
      <p className="visually-hidden">
        {[prices.flow(formatLeg(from), undefined, formatLeg(to)), rateLine].filter(Boolean).join('. ')}
      </p>
      <div className="flow-arcs small" aria-hidden="true">
        <svg className="flight" viewBox="0 0 560 76">
          <path className="flight-ground" d="M6 66H554" />
          <path className={isAnimated ? 'arc-draws' : undefined} pathLength={1} d="M6 66A748 748 0 0 1 554 66" />
          <circle className="flight-start" cx="6" cy="66" r="5" />
          <circle className="flight-end" cx="554" cy="66" r="6" />
        </svg>
        {rateLine && <span className="top-[18%] start-1/2">{rateLine}</span>}
      </div>
      <Legs legs={[from, to]} />
      {via && (
        <details className="flow-step mt-3 border-y open:pb-4 [&[open]>summary_.icon]:rotate-180">
          <summary>
            {prices.usdtStep}
            <Icon name="down" />
          </summary>
          <p className="visually-hidden">{prices.flow(formatLeg(from), formatLeg(via), formatLeg(to))}</p>
          <div className="flow-arcs small muted" aria-hidden="true">
            <svg className="flight" viewBox="0 0 560 76">
              <path className="flight-ground" d="M6 66H554" />
              <path d="M6 66A260 260 0 0 1 280 66A260 260 0 0 1 554 66" />
              <circle className="flight-start" cx="6" cy="66" r="5" />
              <circle className="flight-stop" cx="280" cy="66" r="5" />
              <circle className="flight-end" cx="554" cy="66" r="6" />
            </svg>
            {via.rates.map((viaRate, index) => (
              <span key={index}>{formatWholeRate(viaRate)}</span>
            ))}
          </div>
          <Legs legs={[from, via, to]} />
        </details>
      )}
    </div>
  )
}

const formatLeg = ({ amount, currency }: Leg): string => formatMoney(amount, currency)

function Legs({ legs }: { legs: readonly Leg[] }) {
  return (
    <div className="flow-legs">
      {legs.map((leg, index) => (
        <p key={index}>
          <b translate="no">{formatLeg(leg)}</b>
          <span className="small muted">{leg.caption}</span>
        </p>
      ))}
    </div>
  )
}

/** Rate with all its decimals, at least four: "1.0007", "0.94061234". */
function formatWholeRate(rate: string, locale: string = personLocale()): string {
  const format = new Intl.NumberFormat(locale, {
    numberingSystem: 'latn',
    minimumFractionDigits: 4,
    maximumFractionDigits: 12,
  })
  return formatExactly(format, rate)
}
