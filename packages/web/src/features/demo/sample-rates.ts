import { type FiatCode, fiatCodes } from '@tern/money/currency'
import { parseDecimal, toDecimal } from '@tern/money/money'
import { convert } from '@tern/money/rate'
import { divide, parseRatio } from '@tern/money/ratio'

/** Units of each currency per US dollar; sample values. */
const ratesPerDollar: Readonly<Record<FiatCode, string>> = {
  USD: '1',
  EUR: '0.93',
  GBP: '0.79',
  CAD: '1.37',
  AUD: '1.52',
  JPY: '149.25',
  SGD: '1.34',
  INR: '83.45',
  BRL: '5.35',
}

export const sampleCurrency: FiatCode = 'EUR'

/**
 * Converts an amount in euros (decimal, at most two places) to every other currency at the sample rates, rounded down.
 */
export const convertToOthers = (amount: string): { code: FiatCode; amount: string }[] =>
  fiatCodes
    .filter((code) => code !== sampleCurrency)
    .map((code) => {
      const rate = divide(parseRatio(ratesPerDollar[code]), parseRatio(ratesPerDollar[sampleCurrency]))
      return { code, amount: toDecimal(convert(parseDecimal(sampleCurrency, amount || '0'), code, rate, 'down')) }
    })
