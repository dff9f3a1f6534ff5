import { isFiatCode } from '@tern/money/currency'
import { feeOf } from '@tern/money/fee'
import { parseDecimal, toDecimal } from '@tern/money/money'
import type { Quote } from '@tern/contract/exchange'

/** World Bank, Remittance Prices Worldwide, Q3 2023: what banks charge on average, 11.48 %. */
const averageBankBasisPoints = 1148n

/**
 * What an average bank would charge for the same transfer, as a decimal string of the source currency rounded half up.
 * Undefined where the figure does not speak of such a transfer: in one currency, or with cryptocurrency.
 */
export function averageBankCost(quote: Pick<Quote, 'source_amount' | 'source_currency' | 'target_currency'>) {
  const { source_currency: source, target_currency: target } = quote
  if (source === target || !isFiatCode(source) || !isFiatCode(target)) return undefined
  return toDecimal(feeOf(parseDecimal(source, quote.source_amount), averageBankBasisPoints))
}
