import { limits as texts } from '#messages/identity/limits.ts'
import { cents, type FormatDollars } from '../../app/limits/limit-queries.ts'

interface GaugeProps {
  format: FormatDollars
  /** Decimals in US dollars. `total` is the end of the gauge: the product's limit if there is one. */
  used: string
  total: string
  isProductLimit: boolean
  own?: string | undefined
  /** Pending limit of the user; null if it will be removed. */
  next?: string | null | undefined
}

/** Position on the gauge in percent, capped at its end. */
function computePosition(amount: string, total: bigint): number {
  const hundredths = total === 0n ? 10_000n : (cents(amount) * 10_000n) / total
  return Number(hundredths > 10_000n ? 10_000n : hundredths) / 100 // not money: a percentage
}

const ticks = Array.from({ length: 11 }, (_, index) => index)

/**
 * Gauge of one limit: the filled part is the used amount, a solid tick the user's limit, a dotted tick the pending one,
 * and the end the product's limit.
 */
export function LimitGauge({ format, used, total, isProductLimit, own, next }: GaugeProps) {
  const all = cents(total)
  const at = own === undefined ? undefined : computePosition(own, all)
  const nextText = next ? format(next) : undefined
  const label = texts.gauge(format(used), isProductLimit ? format(total) : undefined, own && format(own), nextText)
  return (
    <div role="img" aria-label={label}>
      <svg
        className="limit-gauge"
        width="100%"
        height={at === undefined ? 40 : 60}
        aria-hidden="true"
        focusable="false"
      >
        <svg y={at === undefined ? 0 : 20} width="100%" overflow="visible">
          <line className="stroke-line-strong" x2="100%" y1="8" y2="8" />
          {ticks.map((tick) => (
            <line
              key={tick}
              className="stroke-line-strong"
              x1={`${tick * 10}%`}
              x2={`${tick * 10}%`}
              y1="8"
              y2={tick % 5 === 0 ? 15 : 12}
            />
          ))}
          <rect className="fill-sea" y="5" width={`${computePosition(used, all)}%`} height="6" />
          {at !== undefined && <line className="stroke-ink stroke-2" x1={`${at}%`} x2={`${at}%`} y1="-1" y2="17" />}
          {next && (
            <line
              className="stroke-ink stroke-2 [stroke-dasharray:2_3]"
              x1={`${computePosition(next, all)}%`}
              x2={`${computePosition(next, all)}%`}
              y1="-1"
              y2="17"
            />
          )}
          {isProductLimit && (
            <text className="limit-end" x="100%" y="32" textAnchor="end">
              {texts.ours(format(total))}
            </text>
          )}
        </svg>
        {at !== undefined && own !== undefined && (
          <text x={`${at}%`} y="11" textAnchor={at < 25 ? 'start' : at > 75 ? 'end' : 'middle'}>
            {texts.yours(format(own))}
          </text>
        )}
      </svg>
    </div>
  )
}
