import type { ReactNode } from 'react'
import { howItWorks } from '#messages/site/how-it-works.ts'
import { monogram, formatMoney } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { ScaleBar } from '../../../ui/layout/Sheet.tsx'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { GlobeGround } from '../../../ui/maps/GlobeGround.tsx'
import * as map from '../maps/crossing.ts'
import { type PriceInput, computePrice } from '../price.ts'

const exampleInput: PriceInput = { source: 'USD', target: 'EUR', amount: '1000', side: 'source', rate: '0.93' }
const price = computePrice(exampleInput)

/** Example of the page, computed with the product's price formula. */
export const exampleAmounts = {
  sent: formatMoney(price.sent, 'USD'),
  bridge: formatMoney(price.sent, 'USDT', { places: 2 }),
  received: formatMoney(price.received, 'EUR'),
}

/** Four steps along one line, each with a picture. On phones the line runs vertically beside them. */
export function TransferSteps() {
  const { load, select, confirm, arrive } = howItWorks.steps
  return (
    <div className="site-width pb-22 max-md:pb-16">
      <div className="relative">
        <svg
          className="absolute inset-0 size-full overflow-visible fill-none stroke-sea stroke-2 max-md:hidden rtl:[scale:-1_1]"
          viewBox="0 0 1312 1760"
          preserveAspectRatio="none"
          aria-hidden="true"
          data-draw=""
        >
          <path
            pathLength="1"
            d="M1052-216V220C1052 500 260 380 260 660C260 940 1052 820 1052 1100C1052 1380 260 1260 260 1440"
          />
        </svg>
        <p className="stop wide-only absolute start-[calc(100%*1052/1312-6px)] -top-57 gap-3.5 text-control/6 font-medium whitespace-nowrap">
          {howItWorks.from}
        </p>
        <Leg number={1} {...load} picture={<LoadStep />} />
        <Leg number={2} {...select} picture={<SelectStep />} />
        <Leg number={3} {...confirm} picture={<ConfirmStep />} />
        <Leg number={4} {...arrive} picture={<ArrivalStep />} />
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

const legClass =
  'leg stop-line relative h-110 grid-cols-12 items-center gap-8 sm:grid max-md:ms-1.5 max-md:h-auto ' +
  'max-md:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] max-md:items-start max-md:ps-6 max-md:pb-10 sm:max-md:pb-14'
const textClass = 'row-start-1 py-4 max-md:col-start-1 max-md:pt-0 max-md:pb-5'
const drawingClass = 'sheet raised row-start-1 w-full max-w-130 max-md:col-start-2'

/** Text and picture alternate sides. */
function Leg({ number, title, text, picture }: LegProps) {
  const isEvenStep = number % 2 === 0
  return (
    <section className={legClass}>
      <div className={`${textClass} ${isEvenStep ? 'md:col-[8/13]' : 'md:col-[1/6]'}`}>
        <p className="stop leg-number mb-3 gap-2.5 text-control/6 font-medium text-sea">{howItWorks.step(number)}</p>
        <h2 className="display-l">{title}</h2>
        <p className="lead mt-4 max-w-105">{text}</p>
      </div>
      <div
        className={`${drawingClass} ${isEvenStep ? 'md:col-[1/7]' : 'md:col-[7/13] md:justify-self-end'}`}
        aria-hidden="true"
      >
        {picture}
      </div>
    </section>
  )
}

const formClass = 'p-6 max-md:px-4 max-md:py-5'

function LoadStep() {
  return (
    <div className={formClass}>
      <p className="field-label">{howItWorks.amount}</p>
      <p className="input-box input-box-money">
        <span className="input">{formatMoney(price.total, 'USD', { unit: 'none' })}</span>
        <span className="input-unit">USD</span>
      </p>
      <div className="mt-4 rounded-control border">
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

function SelectStep() {
  return (
    <div className={formClass}>
      <p className="field-label">{howItWorks.recipient}</p>
      <p className="input-box input-chosen">
        <Icon name="search" />
        <span className="input">{howItWorks.typed}</span>
      </p>
      <ul className="raised mt-1.5 rounded-control border p-1">
        {howItWorks.people.map(({ name, username, gets }) => (
          <li className="flex min-h-14 items-center gap-3 rounded-[4px] px-3 py-1 first:bg-sea-wash" key={username}>
            <span className="monogram bg-paper text-control">{monogram(name)}</span>
            <span className="grow">
              <b className="block font-medium" translate="no">
                {name}
              </b>
              <span className="small muted block" translate="no">
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

function ConfirmStep() {
  return (
    <>
      <ScaleBar />
      <div className={formClass}>
        <p className="small muted">{howItWorks.lucasGets}</p>
        <p className="figure mt-1 mb-3">{exampleAmounts.received}</p>
        <dl className="definitions small">
          <div>
            <dt>{howItWorks.amount}</dt>
            <dd>{exampleAmounts.sent}</dd>
          </div>
          <div>
            <dt>{howItWorks.rate}</dt>
            <dd>{formatRateLine(exampleInput.rate, 'USD', 'EUR')}</dd>
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
        <p className="small muted mt-2.5">{howItWorks.holds}</p>
      </div>
    </>
  )
}

function ArrivalStep() {
  const [[fromX, fromY], [toX, toY]] = [map.unitedStates, map.france]
  return (
    <>
      <svg className="map leg-map w-full overflow-hidden" viewBox="90 200 640 369">
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
      <div className="flex items-center gap-4 border-t px-6 pt-4 pb-6 max-md:px-4 max-md:py-5">
        <span className="grow">
          <b className="block font-medium">{howItWorks.arrived(exampleAmounts.received)}</b>
          <span className="small muted block">{howItWorks.arrivedIn}</span>
        </span>
        <span className="muted flex items-center gap-1.5 text-small/[1.5] font-book">
          <Icon name="check" small />
          {howItWorks.completed}
        </span>
      </div>
    </>
  )
}
