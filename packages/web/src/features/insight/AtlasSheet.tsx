import type { insightAtlas } from '@tern/contract/insight'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { useId } from 'react'
import { atlas as texts } from '#messages/insight/atlas.ts'
import { yearCosts } from '#messages/insight/insights.ts'
import { shell } from '#messages/shell.ts'
import { formatDays } from '../../app/periods/period-choices.ts'
import { toLocalDay } from '../../app/browser/local-day.ts'
import { countryName } from '../../ui/format/country-name.ts'
import { formatCount } from '../../ui/format/format-count.ts'
import { isNegative, isZero } from '../../ui/format/format.ts'
import { Mark } from '../../ui/icon/Brand.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatPercentText } from '../../ui/money/percent-text.ts'
import { AtlasMap } from './AtlasMap.tsx'
import { chooseScale, fullLength } from './bar-lengths.ts'
import { CostBars, Kept } from './CostBars.tsx'
import { RouteTable } from './RouteTable.tsx'
import { writeSource } from './write-source.ts'

export type AtlasYear = Reply<typeof insightAtlas>

interface AtlasSheetProps {
  year: AtlasYear
  /** ISO 3166-1 alpha-2. */
  home: string
  name: string
}

/** A year on one sheet of paper: map, figures, cost and routes. */
export function AtlasSheet({ year, home, name }: AtlasSheetProps) {
  const { period, flights, people, countries, domestic, elsewhere } = year
  const today = toLocalDay(new Date())
  const lastDay = `${period}-12-31`
  const days = formatDays({ from: `${period}-01-01`, to: lastDay < today ? lastDay : today })
  return (
    <article className="chart-sheet atlas-sheet">
      <header className="atlas-head">
        <p className="atlas-brand brand" aria-hidden="true">
          <Mark />
          {shell.brand}
        </p>
        <div>
          <p className="small muted">{texts.person(name, countryName(home))}</p>
          <h1 className="display-l">{texts.title(period)}</h1>
        </div>
        <p className="lead">{texts.lead(flights)}</p>
      </header>
      <dl className="atlas-numbers">
        <Count term={texts.flights} count={flights} />
        <Count term={texts.people} count={people} />
        <Count term={texts.countries} count={countries} />
        <Count term={texts.domestic} count={domestic} />
      </dl>
      <div className="atlas-plate">
        <figure>
          <AtlasMap routes={year.routes} home={home} />
          <figcaption className="tiny faint atlas-legend">
            <span className="atlas-key atlas-key-sent">{texts.sent}</span>
            <span className="atlas-key atlas-key-received">{texts.received}</span>
            <span className="atlas-key atlas-key-farthest">{texts.farthest}</span>
            <span>{texts.legend}</span>
          </figcaption>
        </figure>
        {!isZero(year.cost.abroad) && <Cost year={year} />}
      </div>
      <RouteTable routes={year.routes} />
      <footer className="tiny faint">
        <p>{texts.projection(days)}</p>
        {elsewhere > 0 && <p>{texts.elsewhere(elsewhere)}</p>}
      </footer>
    </article>
  )
}

const Count = ({ term, count }: { term: string; count: number }) => (
  <div>
    <dt>{term}</dt>
    <dd translate="no">{formatCount(count)}</dd>
  </div>
)

/** Cost of the year's sends abroad, with a true scale. */
function Cost({ year: { cost, base_currency: currency, world_bank: worldBank } }: { year: AtlasYear }) {
  const id = useId()
  const { fees, bank_cost: bankCost, kept, abroad } = cost
  const scale = chooseScale(currency, isNegative(kept) ? fees : bankCost)
  return (
    <section className="atlas-cost" aria-labelledby={id}>
      <h2 className="display-s" id={id}>
        {texts.costTitle(formatExact(abroad, currency))}
      </h2>
      <CostBars currency={currency} fees={fees} bankCost={bankCost}>
        <ScaleOfMoney length={scale.length} />
        <p className="tiny faint">{texts.segment(formatExact(scale.segment, currency))}</p>
      </CostBars>
      <Kept kept={kept} currency={currency} />
      <p className="tiny faint">
        {yearCosts.basis(formatExact(abroad, currency), formatPercentText(worldBank.banks))} {writeSource(worldBank)}
      </p>
    </section>
  )
}

function ScaleOfMoney({ length }: { length: number }) {
  const full = Number(fullLength) // not money: a length
  const starts = Array.from({ length: Math.ceil(full / length / 2) }, (_, index) => 2 * index * length)
  return (
    <svg className="atlas-scale" viewBox={`0 0 ${full} 6`} preserveAspectRatio="none" aria-hidden="true">
      <path
        d={starts
          .map((start) => `M${start} 0h${Math.min(length, full - start)}v6h-${Math.min(length, full - start)}z`)
          .join('')}
      />
    </svg>
  )
}
