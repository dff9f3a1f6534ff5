import '../../css/arc.css'
import '../../css/flow.css'
import { prices } from '#messages/prices.ts'
import { classNames } from '../icon/class-names.ts'
import { formatMoney } from '../format/format.ts'
import { formatRate } from './rates.ts'

export interface Leg {
  readonly amount: string
  readonly currency: string
  /** What happens there: 'you pay', 'in transit', 'Lucas gets'. */
  readonly caption: string
}

interface ConversionFlowProps {
  /** Two legs (direct) or three (through the stablecoin). */
  legs: readonly [Leg, Leg] | readonly [Leg, Leg, Leg]
  /** The rate of each arc, as a decimal string. */
  rates: readonly string[]
  /** Draws the arcs once, when a transfer has just completed. */
  draws?: boolean | undefined
}

const arcs = {
  2: 'M6 66A748 748 0 0 1 554 66',
  3: 'M6 66A260 260 0 0 1 280 66A260 260 0 0 1 554 66',
}

/** The way of the money: one arc per exchange with its rate at the apex, the amounts under the stops. */
export function ConversionFlow({ legs, rates, draws }: ConversionFlowProps) {
  const [first, second, third] = legs
  const end = third ?? second
  const write = (leg: Leg) => formatMoney(leg.amount, leg.currency)
  return (
    <div className={classNames(!third && 'flow-direct')}>
      <p className="visually-hidden">{prices.flow(write(first), third && write(second), write(end))}</p>
      <div className="flow-arcs small muted" aria-hidden="true">
        <svg className="flight" viewBox="0 0 560 76">
          <path className="flight-ground" d="M6 66H554" />
          <path className={draws ? 'arc-draws' : undefined} pathLength={1} d={arcs[legs.length]} />
          <circle className="flight-start" cx="6" cy="66" r="5" />
          {third && <circle className="flight-stop" cx="280" cy="66" r="5" />}
          <circle className="flight-end" cx="554" cy="66" r="6" />
        </svg>
        {rates.slice(0, legs.length - 1).map((rate, index) => (
          <span key={index}>{formatRate(rate)}</span>
        ))}
      </div>
      <div className="flow-legs">
        {[first, second, ...(third ? [third] : [])].map((leg, index) => (
          <p key={index}>
            <b translate="no">{write(leg)}</b>
            <span className="small muted">{leg.caption}</span>
          </p>
        ))}
      </div>
    </div>
  )
}
