import { useState } from 'react'
import { rateChart as texts } from '#messages/exchange/chart.ts'
import { formatRate } from '../../ui/money/rates.ts'
import { computeRateChange, toUnits } from './rate-scale.ts'
import { formatChange, formatReading, formatSpan, needsTime } from './rate-text.ts'
import type { RateHistory } from './rate-queries.ts'

interface RateTableProps {
  title: string
  history: RateHistory
}

/** The chart as a table, newest rate first. */
export function RateTable({ title, history }: RateTableProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="rate-table" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{texts.showTable}</summary>
      {/* The rows exist only while the table is open. */}
      {isOpen && <Rows title={title} history={history} />}
    </details>
  )
}

function Rows({ title, history: { steps, from, to } }: RateTableProps) {
  const rows = steps.map(({ time, rate }, index) => {
    const before = steps[index - 1]
    return { time, rate, change: before && computeRateChange(toUnits(before.rate), toUnits(rate)) }
  })
  const showsTime = needsTime(steps.map(({ time }) => Date.parse(time)))
  return (
    // Focusable, so that the keyboard can scroll it.
    <div className="rate-rows" role="region" aria-label={title} tabIndex={0}>
      <table className="tabular">
        <caption className="visually-hidden">
          {texts.caption(title, formatSpan(Date.parse(from)), formatSpan(Date.parse(to)))}
        </caption>
        <thead>
          <tr>
            <th scope="col">{texts.since}</th>
            <th scope="col">{title}</th>
            <th scope="col">{texts.change}</th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ time, rate, change }) => (
            <tr key={time}>
              <th scope="row">{formatReading(Date.parse(time), showsTime)}</th>
              <td>{formatRate(rate)}</td>
              <td>{change === undefined ? '' : formatChange(change)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
