import type { Quote } from '@tern/contract/exchange'
import type { Wallet } from '@tern/contract/wallets'
import { bridgeCurrency, type CurrencyCode, isCurrencyCode, isFiatCode } from '@tern/money/currency'
import { feeBasisPoints, maxBeforeFee } from '@tern/money/fee'
import { parseDecimal, subtract, toDecimal } from '@tern/money/money'
import { plainAmount } from '../../app/orders/amount.ts'
import type { QuoteRequest } from '../../app/orders/quotes.ts'
import { isZero } from '../../ui/format/format.ts'

export interface SwapValues {
  readonly from: CurrencyCode
  readonly to: CurrencyCode
  /** Side on which the amount was typed. */
  readonly side: 'source' | 'target'
  readonly text: string
}

type Assets = Pick<Wallet, 'base_currency' | 'assets'>

export const findAvailable = ({ assets }: Assets, currency: CurrencyCode): string =>
  assets.find((asset) => asset.currency === currency)?.available ?? '0'

/** Source currencies: those held, the base currency, and the current choice. */
export const listSourceCurrencies = (wallet: Assets, chosen: CurrencyCode): CurrencyCode[] =>
  wallet.assets
    .filter(({ currency, available }) => currency === wallet.base_currency || currency === chosen || !isZero(available))
    .map(({ currency }) => currency)

export const listTargets = ({ assets }: Assets, from: CurrencyCode): CurrencyCode[] =>
  assets.map(({ currency }) => currency).filter((currency) => currency !== from)

type Pair = Pick<SwapValues, 'from' | 'to'>

/** Pair named in an address, such as `?from=EUR&to=BTC`; by default from the base currency to the stablecoin. */
export function readPair({ base_currency: base, assets }: Assets, address: URLSearchParams): Pair {
  const readCurrency = (key: string): CurrencyCode | undefined => {
    const code = address.get(key) ?? ''
    return isCurrencyCode(code) && assets.some(({ currency }) => currency === code) ? code : undefined
  }
  const from = readCurrency('from') ?? base
  const to = readCurrency('to') ?? (from === bridgeCurrency ? base : bridgeCurrency)
  return from === to ? { from, to: isFiatCode(from) ? bridgeCurrency : base } : { from, to }
}

/** Changes the currency of one side. If the other side has the same currency, both are swapped. */
export function setCurrency(values: SwapValues, part: 'from' | 'to', currency: CurrencyCode): SwapValues {
  const otherPart = part === 'from' ? 'to' : 'from'
  const isOtherCurrency = values[otherPart] === currency
  const next = { ...values, [part]: currency, ...(isOtherCurrency ? { [otherPart]: values[part] } : {}) }
  // The typed amount does not carry over to another currency.
  const typedPart = values.side === 'source' ? 'from' : 'to'
  return next[typedPart] === values[typedPart] ? next : { ...next, text: '' }
}

/** Swaps the sides; the typed amount keeps its currency. */
export const flip = ({ from, to, side, text }: SwapValues): SwapValues => ({
  from: to,
  to: from,
  side: side === 'source' ? 'target' : 'source',
  text,
})

/** Largest amount that leaves room for the fee. The fee rate of `quote` may differ from the usual one. */
export function computeMaximum(
  wallet: Assets,
  from: CurrencyCode,
  quote?: Pick<Quote, 'fee_basis_points' | 'source_currency'>,
) {
  const points = quote?.source_currency === from ? BigInt(quote.fee_basis_points) : feeBasisPoints.stablecoin_bridge
  return toDecimal(maxBeforeFee(parseDecimal(from, findAvailable(wallet, from)), points))
}

export const buildRequest = ({ from, to, side, text }: SwapValues): QuoteRequest => ({
  source_currency: from,
  target_currency: to,
  amount: plainAmount(text),
  side,
})

/** Drops trailing zeros beyond two decimals for display in a field. */
export const fieldAmount = (amount: string): string => amount.replace(/(\.\d\d\d*?)0+$/, '$1')

/** Difference between two prices of one order: in the target amount, or in the total if the target amount was typed. */
export function comparePrices(
  before: Quote,
  now: Quote,
): { amount: string; currency: CurrencyCode; isHigher: boolean } {
  const isTarget = before.source_amount === now.source_amount
  const currency = isTarget ? now.target_currency : now.fee_currency
  const [oldAmount, newAmount] = isTarget ? [before.target_amount, now.target_amount] : [before.total, now.total]
  const { minor } = subtract(parseDecimal(currency, newAmount), parseDecimal(currency, oldAmount))
  const amount = toDecimal({ currency, minor: minor < 0n ? -minor : minor })
  return { amount, currency, isHigher: minor > 0n }
}

/** Compares the terms that the user agrees to. */
export const isSamePrice = (a: Quote, b: Quote): boolean =>
  a.source_amount === b.source_amount && a.target_amount === b.target_amount && a.total === b.total && a.rate === b.rate
