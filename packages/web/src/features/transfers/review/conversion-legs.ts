import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { divide, parseRatio, type Ratio, toDecimalPlaces } from '@tern/money/ratio'
import { transfers } from '#messages/transfers.ts'
import type { Leg } from '../../../ui/money/ConversionFlow.tsx'

interface Way {
  readonly source_amount: string
  readonly source_currency: CurrencyCode
  readonly target_amount: string
  readonly target_currency: CurrencyCode
  readonly stablecoin_amount: string | null
  /** Whole target units for one of the source; null in one currency. */
  readonly rate: string | null
}

export interface Flow {
  readonly legs: readonly [Leg, Leg] | readonly [Leg, Leg, Leg]
  readonly rates: readonly string[]
}

const places = 12
const text = (rate: Ratio) => toDecimalPlaces(rate, places)

/** The stops of the money and the rate of each arc between them, for showing. */
export function conversionFlow(way: Way): Flow {
  const { source_amount, source_currency, target_amount, target_currency, stablecoin_amount, rate } = way
  const first = { amount: source_amount, currency: source_currency, caption: transfers.leavesYou }
  const last = { amount: target_amount, currency: target_currency, caption: transfers.arrives }
  const whole = rate === null || source_currency === target_currency ? '1' : rate
  const isCrossing =
    stablecoin_amount !== null && source_currency !== bridgeCurrency && target_currency !== bridgeCurrency
  if (!isCrossing) return { legs: [first, last], rates: [whole] }
  const middle = { amount: stablecoin_amount, currency: bridgeCurrency, caption: transfers.crosses }
  const intoBridge = divide(parseRatio(stablecoin_amount), parseRatio(source_amount))
  const outOfBridge = divide(parseRatio(whole), intoBridge)
  return { legs: [first, middle, last], rates: [text(intoBridge), text(outOfBridge)] }
}
