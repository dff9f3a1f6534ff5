import type { Order } from '@tern/contract/orders/orders'
import type { RateAlert } from '@tern/contract/orders/rate-alerts'
import type { CurrencyCode } from '@tern/money/currency'
import { orders as texts } from '#messages/exchange/orders.ts'
import type { ChartLine } from '../../../app/rates/ChartLines.tsx'
import { toUnits } from '../../../app/rates/rate-scale.ts'
import { OrderIcon } from '../OrderIcon.tsx'
import { isZero } from '../../../ui/format/format.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { formatRate } from '../../../ui/money/rates.ts'
import type { Subject } from '../order-form.ts'
import { amountText, formatOwnRate, quotedCurrency } from '../order-text.ts'
import { convertRate, type RatePair } from '../pair.ts'
import type { OrderFormModel } from '../use-order-form.ts'

const matchesPair = ({ rateCurrency, otherCurrency }: RatePair, source: string, target: string): boolean =>
  (source === rateCurrency && target === otherCurrency) || (source === otherCurrency && target === rateCurrency)

/** Icon for lines whose style alone does not identify them. */
const chooseIcon = (kind: ChartLine['lineStyle']) =>
  kind === 'stop' ? <OrderIcon name="octagon" /> : kind === 'alert' ? <OrderIcon name="bell" /> : undefined

/** Lines of open orders and alerts of this pair, except the one in the form. */
export function buildLines(
  orders: readonly Order[],
  alerts: readonly RateAlert[],
  pair: RatePair,
  subject: Subject | undefined,
): ChartLine[] {
  const chosenId = subject?.is === 'order' ? subject.order.id : subject?.is === 'alert' ? subject.alert.id : undefined
  const orderLines = orders
    .filter((order) => matchesPair(pair, order.source_currency, order.target_currency))
    .map((order) => orderLine(order, pair))
  const alertLines = alerts
    .filter((alert) => matchesPair(pair, alert.source_currency, alert.target_currency))
    .map((alert) => alertLine(alert, pair))
  return [...orderLines, ...alertLines].filter(({ key }) => key !== chosenId)
}

/**
 * Position and label of a rate in a pair's chart. An inverted rate may have endless digits, so its label is rounded.
 */
function locateRate(pair: RatePair, currency: CurrencyCode, ownRate: string): Pick<ChartLine, 'rate' | 'value'> {
  const rate = convertRate(pair.rateCurrency, currency, ownRate)
  return { rate, value: currency === pair.rateCurrency ? formatOwnRate(rate) : formatRate(rate) }
}

const orderLine = (order: Order, pair: RatePair): ChartLine => ({
  ...locateRate(pair, order.rate_currency, order.rate),
  key: order.id,
  lineStyle: order.kind,
  icon: chooseIcon(order.kind),
  name: texts.line.other(texts.kinds[order.kind], amountText(order)),
  shortText: texts.kinds[order.kind],
})

const alertLine = (alert: RateAlert, pair: RatePair): ChartLine => ({
  ...locateRate(pair, alert.source_currency, alert.rate),
  key: alert.id,
  lineStyle: 'alert',
  icon: chooseIcon('alert'),
  name: texts.kinds.alert,
})

/** Line of the form, and its position before the change. */
export function draftLines({ values, sums, subject, isDraftChanged }: OrderFormModel): ChartLine[] {
  const { rate } = sums
  const { kind, amount, from } = values
  if (rate === undefined) return []
  const isSaved = subject.is !== 'new' && !isDraftChanged
  const savedRate =
    subject.is === 'order' ? subject.order.rate : subject.is === 'alert' ? subject.alert.rate : undefined
  const formattedRate = formatOwnRate(rate)
  const name = !isSaved
    ? texts.line.unsaved(texts.kinds[kind])
    : kind === 'alert'
      ? texts.line.savedAlert(formattedRate)
      : texts.line.saved(texts.kinds[kind], isZero(amount) ? '' : formatExact(amount, from), formattedRate)
  const before: ChartLine[] =
    savedRate !== undefined && toUnits(savedRate) !== toUnits(rate)
      ? [{ key: 'was', lineStyle: 'was', rate: savedRate, name: texts.line.was(formatOwnRate(savedRate)) }]
      : []
  return [{ key: 'draft', lineStyle: kind, rate, name, icon: chooseIcon(kind) }, ...before]
}

/** Maximum distance of a drawn line from the current rate, in percent; farther lines would flatten the rate itself. */
const maxDistancePercent = 25n

/** Checks whether a line is close enough to the current rate to be drawn. */
export function isNear(rate: string, now: string | undefined): boolean {
  if (now === undefined) return true
  const [rateUnits, nowUnits] = [toUnits(rate), toUnits(now)]
  const distance = rateUnits > nowUnits ? rateUnits - nowUnits : nowUnits - rateUnits
  return distance * 100n <= nowUnits * maxDistancePercent
}

/** Pair in which an order's rates are written. */
export const choosePair = (order: Order | undefined): RatePair | undefined =>
  order && { rateCurrency: order.rate_currency, otherCurrency: quotedCurrency(order) }

export const findMarker = (order: Order | undefined) =>
  order?.filled
    ? {
        at: Date.parse(order.filled.at),
        rate: order.filled.rate,
        label: texts.line.filledAt(formatRate(order.filled.rate)),
      }
    : undefined
