import '../../css/table.css'
import type { InsightBalance } from '@tern/contract/insight'
import { useId } from 'react'
import { Link } from 'react-router'
import { categoryNames, insights as texts } from '#messages/insight/insights.ts'
import { writeInsightAddress } from '../../app/insight-address.ts'
import { isZero } from '../../ui/format/format.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { computeLengths } from './bar-lengths.ts'
import { ShareBar } from './ShareBar.tsx'

export interface FlowProps {
  balance: InsightBalance
  flow: 'spending' | 'income'
  period: string
}

/** Amounts by category, each with a bar and a link to its transactions. */
export function CategoryTable({ balance: { currency, categories }, flow, period }: FlowProps) {
  const id = useId()
  const rows = categories.filter((row) => !isZero(row[flow]))
  const lengths = computeLengths(
    currency,
    rows.map((row) => row[flow]),
  )
  return (
    <section aria-labelledby={id}>
      <h2 className="display-s" id={id}>
        {texts.byCategory}
      </h2>
      <table className="table insight-table">
        <caption className="sr-only">{`${texts[flow]}, ${texts.byCategory}`}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.category}</th>
            <th scope="col" className="table-end">
              {texts.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ category, [flow]: amount }, index) => (
            <tr key={category} className="relative">
              <th scope="row">
                <Link
                  className="row-link"
                  to={writeInsightAddress(currency, period, { flow, category })}
                  preventScrollReset
                >
                  {categoryNames[category]}
                </Link>
                <ShareBar length={lengths[index] ?? 0} />
              </th>
              <td className="table-end tabular whitespace-nowrap" translate="no">
                {formatExact(amount, currency)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
