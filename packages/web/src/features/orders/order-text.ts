import type { Order } from '@tern/contract/orders/orders'
import type { RateAlert } from '@tern/contract/orders/rate-alerts'
import { type CurrencyCode, scaleOf } from '@tern/money/currency'
import { orders as texts } from '#messages/exchange/orders.ts'
import { formatExactly, isolate } from '../../ui/format/format.ts'
import { personLocale } from '../../ui/format/locale.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatRate } from '../../ui/money/rates.ts'

type RatedOrder = Pick<Order, 'rate_currency' | 'source_currency' | 'target_currency'>

/** Currency in which the order's rates are quoted. */
export const quotedCurrency = ({
  rate_currency: rateCurrency,
  source_currency: source,
  target_currency: target,
}: RatedOrder): CurrencyCode => (rateCurrency === source ? target : source)

/** Rate as the user wrote it, with at least the usual decimals of rates. */
export function formatOwnRate(rate: string): string {
  const rateText = formatRate(rate)
  const decimals = rate.split('.')[1]?.replace(/0+$/, '').length ?? 0
  if (decimals <= (formatRate(rate, 'en').split('.')[1]?.length ?? 0)) return rateText
  const format = new Intl.NumberFormat(personLocale(), {
    numberingSystem: 'latn',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  return formatExactly(format, rate)
}

/** Such as "1 USDT ≥ 0.9550 EUR". */
export const describeCondition = (order: Order): string =>
  isolate(texts.condition[order.rate_side](order.rate_currency, formatOwnRate(order.rate), quotedCurrency(order)))

export const alertCondition = ({
  rate_side: side,
  source_currency: rateCurrency,
  target_currency: targetCurrency,
  rate,
}: RateAlert) => isolate(texts.condition[side](rateCurrency, formatOwnRate(rate), targetCurrency))

/** "600.000000 USDT": all decimal places of the currency, at most six, as for amounts on hold. */
export const formatHold = (amount: string, currency: CurrencyCode): string =>
  formatExact(amount, currency, Math.min(scaleOf(currency), 6))

export const holdText = ({ on_hold: heldAmount, source_currency: currency }: Order): string =>
  formatHold(heldAmount, currency)

/** Such as "600.00 USDT". */
export const amountText = ({ amount, source_currency: currency }: Order): string => formatExact(amount, currency)

/** Such as "600.00 USDT became €576.25 at 0.9604." */
export function describeOutcome(order: Order): string {
  const { filled, target_currency: target } = order
  if (!filled) return ''
  return texts.became(amountText(order), formatExact(filled.target_amount, target), formatRate(filled.rate))
}

/** "+0.87%" from a decimal percentage. */
export const formatDistance = (percent: string): string =>
  new Intl.NumberFormat(personLocale(), {
    numberingSystem: 'latn',
    style: 'percent',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    signDisplay: 'exceptZero',
  })
    .format(`${percent}e-2` as Intl.StringNumericLiteral)
    .replace('-', '−')

/** "0.87% above the current rate", from hundredths of a percent. */
export function formatDistanceText(hundredths: bigint | undefined): string {
  if (hundredths === undefined) return texts.rateUnknown
  if (hundredths === 0n) return texts.atRate
  const size = formatPercent(hundredths < 0n ? -hundredths : hundredths)
  return hundredths > 0n ? texts.above(size) : texts.below(size)
}

const formatPercent = (hundredths: bigint): string =>
  new Intl.NumberFormat(personLocale(), { numberingSystem: 'latn', style: 'percent', minimumFractionDigits: 2 }).format(
    `${hundredths}e-4` as Intl.StringNumericLiteral,
  )
