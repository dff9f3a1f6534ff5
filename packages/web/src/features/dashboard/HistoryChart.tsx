import type { Reply } from '@tern/contract/protocol/endpoint'
import type { balanceHistory } from '@tern/contract/wallets'
import { currencyOf } from '@tern/money/currency'
import { money, negate, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import { createElement, Fragment, type ReactNode } from 'react'
import { history as texts } from '#messages/home/history.ts'
import type { HistoryDays } from '../../app/session/live.ts'
import { Amount } from '../../ui/money/Amount.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { StepChart } from '../../ui/money/StepChart.tsx'
import { heightOf, linesOf, scaleAround } from './chart-scale.ts'

type History = Reply<typeof balanceHistory>

/** The balance as steps over the chosen time, and what changed in words. */
export function HistoryChart({ history }: { history: History }) {
  const { currency } = history
  if (history.points.length === 0 && isZero(history.closing_balance)) {
    return <EmptyState illustration="arcs" title={texts.emptyTitle} text={texts.emptyText} />
  }
  const minorOf = (amount: string) => parseDecimal(currency, amount).minor
  const written = (minor: bigint) => formatMoney(toDecimal(money(currency, minor)), currency)
  const values = [minorOf(history.opening_balance), ...history.points.map((point) => minorOf(point.balance))]
  const scale = scaleAround(values, 10n ** BigInt(currencyOf(currency).scale))
  const [from, until] = [Date.parse(history.from), Date.parse(history.to)]
  const days = daysBetween(from, until)
  const period = texts.periodNames[days]
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1))
  return (
    <>
      <StepChart
        points={values.map((value, index) => ({
          at: index === 0 ? from : Date.parse(history.points[index - 1]?.at ?? history.from),
          height: heightOf(value, scale),
        }))}
        label={texts.chart(
          period,
          written(sorted[0] ?? 0n),
          written(sorted.at(-1) ?? 0n),
          written(values.at(-1) ?? 0n),
        )}
        yLabels={linesOf(scale).map((minor) => compactMoney(toDecimal(money(currency, minor)), currency))}
        xLabels={datesBetween(from, until, days)}
        top={1000}
        ground={0}
        from={from}
        until={until}
      />
      <p className="small muted mt-4 text-balance">
        <HistoryChange history={history} period={period} />
      </p>
    </>
  )
}

function HistoryChange({ history, period }: { history: History; period: string }) {
  const { currency, money_in: moneyIn, money_out: moneyOut } = history
  if (isZero(moneyIn) && isZero(moneyOut)) return texts.noMovement(period)
  const change = subtract(
    parseDecimal(currency, history.closing_balance),
    parseDecimal(currency, history.opening_balance),
  )
  const way = change.minor === 0n ? 'same' : change.minor > 0n ? 'up' : 'down'
  const parts = texts.change<ReactNode>(way, period, {
    change: <b className="tabular">{formatMoney(toDecimal(way === 'down' ? negate(change) : change), currency)}</b>,
    moneyIn: <Amount amount={moneyIn} currency={currency} direction="in" />,
    moneyOut: <Amount amount={moneyOut} currency={currency} direction="out" />,
  })
  return createElement(Fragment, null, ...parts)
}

const dayMs = 86_400_000

/** The length of the history itself: while another one is on its way, the last one is still on the screen. */
function daysBetween(from: number, until: number): HistoryDays {
  const days = Math.round((until - from) / dayMs)
  return days <= 30 ? '30' : days <= 90 ? '90' : '365'
}

/** "$12.5K": an amount beside a line of the chart. */
const compactMoney = (amount: string, currency: string): string =>
  new Intl.NumberFormat(textLocale(), {
    numberingSystem: 'latn',
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    notation: 'compact',
    maximumFractionDigits: 2,
    minimumFractionDigits: 0,
  }).format(amount as Intl.StringNumericLiteral)

/** Four dates under the chart, the last of which is the present. */
function datesBetween(from: number, until: number, days: HistoryDays): string[] {
  const format = new Intl.DateTimeFormat(
    textLocale(),
    days === '365' ? { month: 'short', year: 'numeric' } : { month: 'short', day: 'numeric' },
  )
  const dates = [0, 1, 2].map((third) => format.format(new Date(from + ((until - from) * third) / 3)))
  return [...dates, texts.today]
}
