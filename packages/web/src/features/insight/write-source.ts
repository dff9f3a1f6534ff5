import { yearCosts as texts } from '#messages/insight/insights.ts'
import { formatPeriod } from '../../app/periods/period-choices.ts'

/** Source of the averages. The API names a quarter as "Q3 2023". */
export function writeSource({ issue, quarter }: { readonly issue: number; readonly quarter: string }): string {
  const [part = '', year = ''] = quarter.split(' ')
  return texts.source(issue, formatPeriod({ period: `${year}-${part}` }))
}
