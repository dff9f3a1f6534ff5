import type { Reply } from '@tern/contract/protocol/endpoint'
import type { balanceHistory } from '@tern/contract/wallets'
import { currencyOf } from '@tern/money/currency'
import { symbolOf } from '@tern/money/currency-symbol'
import { money, negate, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import { createElement, Fragment, type ReactNode } from 'react'
import { history as texts } from '#messages/home/history.ts'
import type { HistoryDays } from '../../app/session/live.ts'
import { Amount } from '../../ui/money/Amount.tsx'
import { formatMoney, isolate, isZero } from '../../ui/format/format.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { Crosshair } from '../../ui/money/Crosshair.tsx'
import { StepChart } from '../../ui/money/StepChart.tsx'
import { heightOf, linesOf, scaleAround } from './chart-scale.ts'

type History = Reply<typeof balanceHistory>

interface Step {
  readonly at: number
  readonly minor: bigint
}

/** Each balance and since when it stood; the first since the left edge. */
function stepsOf({ currency, from, opening_balance: opening, points }: History): readonly Step[] {
  const stepOf = (at: string, amount: string) => ({ at: Date.parse(at), minor: parseDecimal(currency, amount).minor })
  return [stepOf(from, opening), ...points.map((point) => stepOf(point.at, point.balance))]
}

/** The balance as steps over the chosen time, and what changed in words. */
export function HistoryChart({ history }: { history: History }) {
  const { currency } = history
  const written = (minor: bigint) => formatMoney(toDecimal(money(currency, minor)), currency)
  const steps = stepsOf(history)
  const values = steps.map(({ minor }) => minor)
  const scale = scaleAround(values, 10n ** BigInt(currencyOf(currency).scale))
  const [from, until] = [Date.parse(history.from), Date.parse(history.to)]
  const days = daysBetween(from, until)
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1))
  const readingAt = (index: number) => {
    const at = from + ((until - from) * index) / Number(days) // not money: a moment
    const minor = steps.findLast((step) => step.at <= at)?.minor ?? 0n
    return {
      when: at === until ? texts.today : formatDay(at),
      amount: written(minor),
      height: heightOf(minor, scale) / 1000,
    }
  }
  return (
    <>
      <StepChart
        points={steps.map(({ at, minor }) => ({ at, height: heightOf(minor, scale) }))}
        label={texts.chart(
          texts.periodNames[days],
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
      >
        <Crosshair
          key={days}
          label={texts.day}
          count={Number(days) + 1} // not money: a count of days
          readingAt={readingAt}
          textOf={({ when, amount }) => texts.reading(when, amount)}
        />
      </StepChart>
      <p className="small muted mt-4 text-balance wide-only">
        <HistoryChange history={history} days={days} />
      </p>
    </>
  )
}

function HistoryChange({ history, days }: { history: History; days: HistoryDays }) {
  const { currency, money_in: moneyIn, money_out: moneyOut } = history
  if (isZero(moneyIn) && isZero(moneyOut)) return texts.noMovement(texts.periodNames[days])
  const change = subtract(
    parseDecimal(currency, history.closing_balance),
    parseDecimal(currency, history.opening_balance),
  )
  const way = change.minor === 0n ? 'same' : change.minor > 0n ? 'up' : 'down'
  const moved = (amount: string, direction: 'in' | 'out') =>
    isZero(amount) ? undefined : <Amount amount={amount} currency={currency} direction={direction} />
  const parts = texts.change<ReactNode>(way, texts.ago[days], {
    change: <b className="tabular">{formatMoney(toDecimal(way === 'down' ? negate(change) : change), currency)}</b>,
    moneyIn: moved(moneyIn, 'in'),
    moneyOut: moved(moneyOut, 'out'),
  })
  return createElement(Fragment, null, ...parts)
}

const formatDay = (at: number) =>
  new Intl.DateTimeFormat(textLocale(), { month: 'short', day: 'numeric' }).format(new Date(at))

const dayMs = 86_400_000

/** The length of the history itself: while another one is on its way, the last one is still on the screen. */
function daysBetween(from: number, until: number): HistoryDays {
  const days = Math.round((until - from) / dayMs)
  return days <= 30 ? '30' : days <= 90 ? '90' : '365'
}

/** "$12.5K": an amount beside a line of the chart. */
function compactMoney(amount: string, currency: string): string {
  const figures = { numberingSystem: 'latn', notation: 'compact', maximumFractionDigits: 2 } as const
  const written = new Intl.NumberFormat(textLocale(), figures).format(amount as Intl.StringNumericLiteral)
  return isolate(`${symbolOf(currency) ?? ''}${written}`)
}

/** Four dates under the chart, the last of which is the present. */
function datesBetween(from: number, until: number, days: HistoryDays): string[] {
  const format = new Intl.DateTimeFormat(
    textLocale(),
    days === '365' ? { month: 'short', year: 'numeric' } : { month: 'short', day: 'numeric' },
  )
  const dates = [0, 1, 2].map((third) => format.format(new Date(from + ((until - from) * third) / 3)))
  return [...dates, texts.today]
}
