import { limits as texts } from '#messages/identity/limits.ts'
import { cents, type Say } from '../../app/limits/limit-queries.ts'

interface GaugeProps {
  say: Say
  /** Decimals in US dollars. `whole` is where the ruler ends: the product's limit, where there is one. */
  used: string
  whole: string
  isOurs: boolean
  own?: string | undefined
  /** What the person's limit will be; null: no longer any. */
  next?: string | null | undefined
}

/** How far along the ruler, in percent; never beyond its end. */
function placeOf(amount: string, whole: bigint): number {
  const hundredths = whole === 0n ? 10_000n : (cents(amount) * 10_000n) / whole
  return Number(hundredths > 10_000n ? 10_000n : hundredths) / 100 // not money: a percentage
}

const ticks = Array.from({ length: 11 }, (_, index) => index)

/** One ruler: sea is used, the ink tick is the person's own limit, the dotted one what it will be, the end the product's. */
export function LimitGauge({ say, used, whole, isOurs, own, next }: GaugeProps) {
  const all = cents(whole)
  const at = own === undefined ? undefined : placeOf(own, all)
  const nextText = next ? say(next) : undefined
  const label = texts.gauge(say(used), isOurs ? say(whole) : undefined, own && say(own), nextText)
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
          <line className="limit-ruler" x2="100%" y1="8" y2="8" />
          {ticks.map((tick) => (
            <line
              key={tick}
              className="limit-ruler"
              x1={`${tick * 10}%`}
              x2={`${tick * 10}%`}
              y1="8"
              y2={tick % 5 === 0 ? 15 : 12}
            />
          ))}
          <rect className="limit-used" y="5" width={`${placeOf(used, all)}%`} height="6" />
          {at !== undefined && <line className="limit-own" x1={`${at}%`} x2={`${at}%`} y1="-1" y2="17" />}
          {next && (
            <line className="limit-next" x1={`${placeOf(next, all)}%`} x2={`${placeOf(next, all)}%`} y1="-1" y2="17" />
          )}
          {isOurs && (
            <text className="limit-end" x="100%" y="32" textAnchor="end">
              {texts.ours(say(whole))}
            </text>
          )}
        </svg>
        {at !== undefined && own !== undefined && (
          <text x={`${at}%`} y="11" textAnchor={at < 25 ? 'start' : at > 75 ? 'end' : 'middle'}>
            {texts.yours(say(own))}
          </text>
        )}
      </svg>
    </div>
  )
}
