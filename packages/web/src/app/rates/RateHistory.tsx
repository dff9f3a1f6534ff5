import { useQuery } from '@tanstack/react-query'
import type { CurrencyCode } from '@tern/money/currency'
import { type ReactNode, useState } from 'react'
import { rateChart as texts } from '#messages/exchange/chart.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { isolate } from '../../ui/format/format.ts'
import { formatRate } from '../../ui/money/rates.ts'
import { RateChart, type RateChartProps } from './RateChart.tsx'
import { RateTable } from './RateTable.tsx'
import { computeRateChange, toUnits } from './rate-scale.ts'
import { formatChange, describeSource } from './rate-text.ts'
import { toLineFacts, type RateHistory as History, rateHistoryQuery } from './rate-queries.ts'
import { type RateRange, rateRanges } from './time-lines.ts'

interface RateHistoryProps extends Pick<RateChartProps, 'lines' | 'frame' | 'marker' | 'children'> {
  from: CurrencyCode
  to: CurrencyCode
  note?: ReactNode
}

/** Rate history of a pair: current rate, chart of the chosen range, source, and the same as a table. */
export function RateHistory({ from, to, note, ...chart }: RateHistoryProps) {
  const [range, setRange] = useState<RateRange>('30d')
  const history = useQuery(rateHistoryQuery(from, to, range))
  const { data } = history
  const title = texts.title(isolate(`1 ${from}`), to)
  return (
    <figure className="rate-history" aria-label={title}>
      <figcaption className="rate-head">
        <div>
          <p className="small muted">{title}</p>
          <p className="rate-now">
            {data?.steps.at(-1) ? formatRate(data.steps.at(-1)?.rate ?? '') : '–'}
            {data && <RateChange history={data} range={findRange(data)} />}
          </p>
        </div>
        <Segmented
          label={texts.range}
          value={range}
          onChange={setRange}
          choices={rateRanges.map((value) => ({ value, label: texts.ranges[value] }))}
        />
      </figcaption>
      <DataShell
        query={history}
        skeleton={<PlotSkeleton />}
        failed={texts.failed}
        empty={({ steps }) => steps.length === 0 && <EmptyPlot />}
      >
        {(history) => (
          <>
            <RateChart
              key={`${from}${to}${findRange(history)}`}
              title={title}
              target={to}
              range={findRange(history)}
              facts={toLineFacts(history)}
              {...chart}
            />
            {note}
            <p className="rate-source tiny faint">{describeSource(history)}</p>
            <RateTable title={title} history={history} />
          </>
        )}
      </DataShell>
    </figure>
  )
}

const dayMs = 86_400_000

/** Range that a loaded history covers. Differs from the chosen one while another range loads. */
function findRange({ from, to }: History): RateRange {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
  return days <= 1 ? '24h' : days <= 7 ? '7d' : days <= 31 ? '30d' : '1y'
}

function RateChange({ history: { steps }, range }: { history: History; range: RateRange }) {
  const [first, last] = [steps[0], steps.at(-1)]
  if (!first || !last) return null
  const change = computeRateChange(toUnits(first.rate), toUnits(last.rate))
  return <small className="tabular">{texts.changeIn[range](formatChange(change))}</small>
}

/** Placeholder for the lines and labels of the chart while rates load. */
function PlotSkeleton() {
  return (
    <div className="rate-plot rate-blank" role="status" aria-label={texts.loading} aria-busy="true">
      <div className="rate-area" />
      <ol className="rate-values">
        <li />
        <li />
        <li />
      </ol>
      <ol className="rate-times">
        <li />
        <li />
        <li />
      </ol>
    </div>
  )
}

function EmptyPlot() {
  return (
    <div className="rate-plot rate-blank">
      <div className="rate-area rate-empty">
        <p className="small muted">
          <b>{texts.emptyTitle}</b>
          {texts.emptyText}
        </p>
      </div>
    </div>
  )
}
