import '../../css/table.css'
import type { CostCorridor } from '@tern/contract/insight'
import { yearCosts as texts } from '#messages/insight/insights.ts'
import { formatCount } from '../../ui/format/format-count.ts'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatPercentText } from '../../ui/money/percent-text.ts'

const columns = ['sends', 'sent', 'fees', 'cost', 'average', 'averageFee', 'difference'] as const
type Column = (typeof columns)[number]

const nameCorridor = ({ source_currency: source, target_currency: target }: CostCorridor): string =>
  source === target ? texts.within(source) : texts.route(source, target)

/** Formatted facts of a corridor. */
function writeFacts({ source_currency: currency, ...corridor }: CostCorridor): Readonly<Record<Column, string>> {
  const { sends, sent, fees, cost_percent: cost, average } = corridor
  return {
    sends: formatCount(sends),
    sent: formatExact(sent, currency),
    fees: formatExact(fees, currency),
    cost: cost === null ? '–' : formatPercentText(cost),
    average: average ? formatPercentText(average.percent) : texts.notCompared,
    averageFee: average ? formatExact(average.cost, currency) : '–',
    difference: average ? formatExact(average.kept, currency) : '–',
  }
}

/** Sends of a year by pair of currencies, beside the averages of the World Bank. */
export function CorridorTable({ corridors }: { corridors: readonly CostCorridor[] }) {
  const rows = corridors.map((corridor) => ({ name: nameCorridor(corridor), facts: writeFacts(corridor) }))
  return (
    <div className="table-space mt-8">
      <div className="table-wide">
        <table className="table corridor-table">
          <caption className="sr-only">{texts.corridors}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.corridor}</th>
              {columns.map((column) => (
                <th key={column} scope="col" className="table-end">
                  {texts[column]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, facts }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {columns.map((column) => (
                  <td key={column} className="table-end tabular whitespace-nowrap">
                    {facts[column]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="table-narrow">
        {rows.map(({ name, facts }) => (
          <section key={name} aria-label={name}>
            <h3 className="day-heading">{name}</h3>
            <DefinitionList small entries={columns.map((column) => ({ term: texts[column], value: facts[column] }))} />
          </section>
        ))}
      </div>
    </div>
  )
}
