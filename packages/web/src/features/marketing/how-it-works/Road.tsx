import type { ReactNode } from 'react'
import { howItWorks } from '#messages/site/how-it-works.ts'
import { initialsOf, formatMoney } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { ScaleBar } from '../../../ui/layout/Sheet.tsx'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { GlobeGround } from '../../../ui/maps/GlobeGround.tsx'
import * as map from '../maps/crossing.ts'
import { type PriceQuestion, priceOf } from '../price.ts'

const question: PriceQuestion = { source: 'USD', target: 'EUR', amount: '1000', side: 'source', rate: '0.93' }
const price = priceOf(question)

/** The example that the page follows, by the product's own formula. */
export const crossing = {
  sent: formatMoney(price.sent, 'USD'),
  bridge: formatMoney(price.sent, 'USDT', { places: 2 }),
  received: formatMoney(price.received, 'EUR'),
}

/** The four steps along one line, a picture beside each. On a phone the line runs down beside them. */
export function Road() {
  const { load, select, confirm, arrive } = howItWorks.steps
  return (
    <div className="road site-width">
      <div className="road-legs">
        <svg className="road-line" viewBox="0 0 1312 1760" preserveAspectRatio="none" aria-hidden="true" data-draw="">
          <path
            pathLength="1"
            d="M1052-216V220C1052 500 260 380 260 660C260 940 1052 820 1052 1100C1052 1380 260 1260 260 1440"
          />
        </svg>
        <p className="road-start wide-only">{howItWorks.from}</p>
        <Leg number={1} {...load} picture={<Load />} />
        <Leg number={2} {...select} picture={<Select />} />
        <Leg number={3} {...confirm} picture={<Confirm />} />
        <Leg number={4} {...arrive} picture={<Arrive />} />
      </div>
      <p className="tiny faint">{howItWorks.example}</p>
    </div>
  )
}

interface LegProps {
  number: number
  title: string
  text: string
  picture: ReactNode
}

function Leg({ number, title, text, picture }: LegProps) {
  return (
    <section className="leg">
      <div className="leg-words">
        <p className="leg-number">{howItWorks.step(number)}</p>
        <h2 className="display-l">{title}</h2>
        <p className="lead">{text}</p>
      </div>
      <div className="leg-picture sheet" aria-hidden="true">
        {picture}
      </div>
    </section>
  )
}

function Load() {
  return (
    <div className="leg-form">
      <p className="field-label">{howItWorks.amount}</p>
      <p className="input-box input-box-money">
        <span className="input">{formatMoney(price.total, 'USD', { unit: 'none' })}</span>
        <span className="input-unit">USD</span>
      </p>
      <div className="leg-options">
        <p className="leg-option leg-chosen">
          {howItWorks.card} <span className="small muted row-end">{howItWorks.cardHint}</span>
        </p>
        <p className="leg-option">
          {howItWorks.bank} <span className="small muted row-end">{howItWorks.bankHint}</span>
        </p>
      </div>
    </div>
  )
}

function Select() {
  return (
    <div className="leg-form">
      <p className="field-label">{howItWorks.recipient}</p>
      <p className="input-box leg-focused">
        <Icon name="search" />
        <span className="input">{howItWorks.typed}</span>
      </p>
      <ul className="leg-people">
        {howItWorks.people.map(({ name, username, gets }) => (
          <li key={username}>
            <span className="leg-monogram">{initialsOf(name)}</span>
            <span className="grow">
              <b translate="no">{name}</b>
              <span className="small muted" translate="no">
                {username}
              </span>
            </span>
            <span className="small muted">{gets}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Confirm() {
  return (
    <>
      <ScaleBar />
      <div className="leg-form">
        <p className="small muted">{howItWorks.lucasGets}</p>
        <p className="leg-figure">{crossing.received}</p>
        <dl className="definitions small">
          <div>
            <dt>{howItWorks.amount}</dt>
            <dd>{crossing.sent}</dd>
          </div>
          <div>
            <dt>{howItWorks.rate}</dt>
            <dd>{formatRateLine(question.rate, 'USD', 'EUR')}</dd>
          </div>
          <div>
            <dt>{howItWorks.fee(price.feePercent)}</dt>
            <dd>{formatMoney(price.fee, 'USD')}</dd>
          </div>
          <div className="definitions-sum">
            <dt>{howItWorks.total}</dt>
            <dd>{formatMoney(price.total, 'USD')}</dd>
          </div>
        </dl>
        <p className="small muted leg-note">{howItWorks.holds}</p>
      </div>
    </>
  )
}

function Arrive() {
  const [[fromX, fromY], [toX, toY]] = [map.unitedStates, map.france]
  return (
    <>
      <svg className="map leg-map" viewBox="165 236 560 323">
        <GlobeGround graticule={map.graticule} coast={map.coast} />
        {map.countries.map((country) => (
          <path key={country} className="map-country" d={country} />
        ))}
        <path className="map-arc map-arc-key" d={map.route} />
        <circle className="map-dot" cx={fromX} cy={fromY} r={5} />
        <text className="map-label" x={fromX + 8} y={fromY + 22}>
          {howItWorks.from}
        </text>
        <circle className="map-halo" cx={toX} cy={toY} r={11} />
        <circle className="map-dot map-dot-end" cx={toX} cy={toY} r={6.5} />
        <text className="map-label" x={toX - 10} y={toY - 16} textAnchor="middle">
          {howItWorks.to}
        </text>
      </svg>
      <div className="leg-form leg-arrived">
        <span className="grow">
          <b>{howItWorks.arrived(crossing.received)}</b>
          <span className="small muted">{howItWorks.arrivedIn}</span>
        </span>
        <span className="leg-done">
          <Icon name="check" small />
          {howItWorks.completed}
        </span>
      </div>
    </>
  )
}
