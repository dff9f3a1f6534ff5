import type { Reply } from '@tern/contract/protocol/endpoint'
import type { balanceHistory } from '@tern/contract/wallets'
import { currencyOf } from '@tern/money/currency'
import { findSymbol } from '@tern/money/currency-symbol'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { history as texts } from '#messages/home/history.ts'
import { formatMoney, isolate } from '../../ui/format/format.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { Crosshair } from '../../ui/money/Crosshair.tsx'
import { StepChart } from '../../ui/money/StepChart.tsx'
import type { HistoryDays } from '../session/live.ts'
import { computeHeight, listLines, scaleAround } from './chart-scale.ts'
import { countDays } from './history-change.ts'

type History = Reply<typeof balanceHistory>

interface Step {
  readonly at: number
  readonly minor: bigint
}

/** Balances, each with its start time; the first starts at the left edge. */
function listSteps({ currency, from, opening_balance: opening, points }: History): readonly Step[] {
  const toStep = (at: string, amount: string) => ({ at: Date.parse(at), minor: parseDecimal(currency, amount).minor })
  return [toStep(from, opening), ...points.map((point) => toStep(point.at, point.balance))]
}

/** Balance as steps over time, with a crosshair that reads values. */
export function BalanceChart({ history }: { history: History }) {
  const { currency } = history
  const formatBalance = (minor: bigint) => formatMoney(toDecimal(money(currency, minor)), currency)
  const steps = listSteps(history)
  const values = steps.map(({ minor }) => minor)
  const scale = scaleAround(values, 10n ** BigInt(currencyOf(currency).scale))
  const from = Date.parse(history.from)
  const until = Date.parse(history.to)
  const days = countDays(history)
  const sortedValues = values.toSorted((a, b) => (a < b ? -1 : 1))
  const createReading = (index: number) => {
    const at = from + ((until - from) * index) / Number(days) // not money: a moment
    const minor = steps.findLast((step) => step.at <= at)?.minor ?? 0n
    return {
      time: at === until ? texts.today : formatDay(at),
      amount: formatBalance(minor),
      height: computeHeight(minor, scale) / 1000,
    }
  }
  return (
    <StepChart
      points={steps.map(({ at, minor }) => ({ at, height: computeHeight(minor, scale) }))}
      label={texts.chart(
        texts.periodNames[days],
        formatBalance(sortedValues[0] ?? 0n),
        formatBalance(sortedValues.at(-1) ?? 0n),
        formatBalance(values.at(-1) ?? 0n),
      )}
      yLabels={listLines(scale).map((minor) => compactMoney(toDecimal(money(currency, minor)), currency))}
      xLabels={formatDateLabels(from, until, days)}
      top={1000}
      ground={0}
      from={from}
      until={until}
    >
      <Crosshair
        key={days}
        label={texts.day}
        count={Number(days) + 1} // not money: a count of days
        createReading={createReading}
        describeReading={({ time, amount }) => texts.reading(time, amount)}
      />
    </StepChart>
  )
}

const formatDay = (at: number) =>
  new Intl.DateTimeFormat(textLocale(), { month: 'short', day: 'numeric' }).format(new Date(at))

/** Compact amount beside a line of the chart, such as "$12.5K". */
function compactMoney(amount: string, currency: string): string {
  const figures = { numberingSystem: 'latn', notation: 'compact', maximumFractionDigits: 2 } as const
  const formattedAmount = new Intl.NumberFormat(textLocale(), figures).format(amount as Intl.StringNumericLiteral)
  return isolate(`${findSymbol(currency) ?? ''}${formattedAmount}`)
}

/** Four dates under the chart; the last is today. */
function formatDateLabels(from: number, until: number, days: HistoryDays): string[] {
  const format = new Intl.DateTimeFormat(
    textLocale(),
    days === '365' ? { month: 'short', year: 'numeric' } : { month: 'short', day: 'numeric' },
  )
  const dates = [0, 1, 2].map((index) => format.format(new Date(from + ((until - from) * index) / 3)))
  return [...dates, texts.today]
}
