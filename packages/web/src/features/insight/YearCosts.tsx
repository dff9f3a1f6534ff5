import { useQuery } from '@tanstack/react-query'
import type { insightCosts } from '@tern/contract/insight'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { useId } from 'react'
import { Link } from 'react-router'
import { yearCosts as texts } from '#messages/insight/insights.ts'
import { paths } from '../../app/paths.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { isZero } from '../../ui/format/format.ts'
import { type Definition, DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatPercentText } from '../../ui/money/percent-text.ts'
import { CorridorTable } from './CorridorTable.tsx'
import { CostBars, Kept } from './CostBars.tsx'
import { costsQuery } from './insight-queries.ts'
import { writeSource } from './write-source.ts'

type Costs = Reply<typeof insightCosts>

const skeleton = (
  <div className="mt-6" aria-busy="true">
    <TextSkeleton lines={5} />
  </div>
)

/** Cost of a year of transfers, compared with an average bank and the averages of the corridors. */
export function YearCosts({ userId, year }: { userId: number; year: string }) {
  const id = useId()
  const costs = useQuery(costsQuery(userId, year))
  return (
    <section className="insight-costs" aria-labelledby={id}>
      <h2 className="display-s" id={id}>
        {texts.title(year)}
      </h2>
      <DataShell query={costs} skeleton={skeleton} failed={texts.failed}>
        {(data) =>
          isFree(data) ? <p className="muted mt-4">{texts.none(year)}</p> : <Content costs={data} year={year} />
        }
      </DataShell>
    </section>
  )
}

const isFree = ({ corridors, exchanges, withdrawals, deposits, returned }: Costs): boolean =>
  [corridors, exchanges, withdrawals, deposits, returned].every(({ length }) => length === 0)

function Content({ costs, year }: { costs: Costs; year: string }) {
  const { base_currency: currency, total, corridors, world_bank: worldBank } = costs
  const others = listOtherFees(costs)
  return (
    <>
      <div className="insight-columns">
        <div className="grid content-start gap-5">
          {isZero(total.abroad) ? (
            <DefinitionList entries={[{ term: texts.allFees, value: formatExact(total.fees, currency), sum: true }]} />
          ) : (
            <>
              <CostBars currency={currency} fees={total.fees} bankCost={total.bank_cost} />
              <Kept kept={total.kept} currency={currency} />
              <p className="small muted">
                {texts.basis(formatExact(total.abroad, currency), formatPercentText(worldBank.banks))}
              </p>
            </>
          )}
        </div>
        <div className="grid content-start gap-3">
          {others.length > 0 && (
            <>
              <h3 className="field-label">{texts.otherFees}</h3>
              <DefinitionList entries={others} />
            </>
          )}
          <p>
            <Link className="insight-link" to={`${paths.atlas}?year=${year}`}>
              {texts.atlas(year)}
            </Link>
          </p>
        </div>
      </div>
      {corridors.length > 0 && (
        <>
          <CorridorTable corridors={corridors} />
          <p className="tiny faint mt-3">{writeSource(worldBank)}</p>
        </>
      )}
    </>
  )
}

const listOtherFees = ({ exchanges, withdrawals, deposits, returned }: Costs): Definition[] => [
  ...exchanges.map(({ currency, fees, transactions }) => ({
    term: texts.exchanges(transactions),
    value: formatExact(fees, currency),
  })),
  ...withdrawals.map(({ currency, fees, transactions }) => ({
    term: texts.withdrawals(transactions),
    value: formatExact(fees, currency),
  })),
  ...deposits.map(({ currency, fees, transactions }) => ({
    term: texts.deposits(transactions),
    value: formatExact(fees, currency),
  })),
  ...returned.map(({ currency, fees }) => ({ term: texts.returned, value: formatExact(fees, currency) })),
]
