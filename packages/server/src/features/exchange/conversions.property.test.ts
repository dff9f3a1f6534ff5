import type { Account } from '@tern/ledger/chart'
import type { Leg } from '@tern/ledger/movement'
import type { CurrencyCode } from '@tern/money/currency'
import { expect, test } from 'vitest'
import { isFullRun } from '@tern/testkit/length'
import {
  createDice,
  type Dice,
  createMarket,
  createOrder,
  currencyPairs,
} from '@tern/testkit/exchange/conversion-cases'
import {
  type ConversionOrder,
  formatMinor,
  computeExpectedBookings,
  type ExpectedConversion,
  computeExpectedConversion,
  isEqual,
  type OracleMarket,
  formatPercent,
  formatRate,
  scales,
  computeUsdValue,
} from '@tern/testkit/exchange/conversion-oracle'
import type { Db } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refuse.ts'
import { buildLegs } from './legs.ts'
import { type Price, type PriceRequest, computePrice } from './price.ts'
import { toLockedPrice, readPrice, priceView, type QuotedPrice, readPriceRequest, type QuoteTerms } from './quote.ts'
import type { Market } from './rates/rates.ts'

/** The conversions read nothing from a database. */
const unusedDb = {} as Db

// Seed of all cases. The oracle that checks them shares no code with the product.
const seed = 20_261_124
const conversions = isFullRun ? 1_000_000 : 50_000

const toPriceRequest = ({ from, to, minor, side, viaStablecoin }: ConversionOrder): PriceRequest => ({
  amount: { currency: (side === 'source' ? from : to) as CurrencyCode, minor },
  side,
  sourceCurrency: from as CurrencyCode,
  targetCurrency: to as CurrencyCode,
  useStablecoin: viaStablecoin,
})

const createMarketFrom = ({ usdValues, findSpread }: OracleMarket): Market => ({
  usdValueOf: (currency) => {
    const [numerator, denominator] = usdValues[currency]!
    return { numerator, denominator }
  },
  spreadOf: findSpread,
})

/** Returns the product's price, or why it refuses one. */
function priceOrder(order: ConversionOrder, market: Market): Price | 'too_small' | 'too_large' {
  try {
    return computePrice(toPriceRequest(order), market)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.details.errors?.[0]?.field !== 'amount') throw error
    return error.code === 'amount_too_small' ? 'too_small' : 'too_large'
  }
}

/** Returns the differences between a price and the oracle's. */
function findDifferences(price: Price, { from, to }: ConversionOrder, expected: ExpectedConversion): string[] {
  const { source, target, bridgeAmounts, fee } = expected
  const minors: [name: string, actual: bigint | undefined, expected: bigint | undefined][] = [
    ['source', price.source.minor, source],
    ['target', price.target.minor, target],
    ['inflow', price.crossing?.inflow.minor, bridgeAmounts?.inflow],
    ['outflow', price.crossing?.outflow.minor, bridgeAmounts?.outflow],
    ['residue', price.crossing?.residue.minor, bridgeAmounts && bridgeAmounts.inflow - bridgeAmounts.outflow],
    ['fee', price.fee.minor, fee],
    ['fee basis points', price.feeBasisPoints, expected.feeBasisPoints],
    ['total', price.total.minor, source + fee],
    ['US cents', price.usdMinor, expected.usdCents],
    ['spread', price.spreadPartsPerMillion, expected.spreadMillionths],
    ['cost', price.costPartsPerMillion, expected.costMillionths],
  ]
  const mismatches = minors.flatMap(([name, actual, expectedValue]) =>
    actual === expectedValue ? [] : [`${name} is ${actual}, must be ${expectedValue}`],
  )
  if (!isEqual([price.rate.numerator, price.rate.denominator], expected.rate)) mismatches.push('the rate differs')
  const { midMarketRate } = price
  if (!isEqual([midMarketRate.numerator, midMarketRate.denominator], expected.midMarketRate))
    mismatches.push('the mid-market rate differs')
  const currencies = [price.source.currency, price.target.currency, price.fee.currency, price.total.currency]
  if (currencies.join() !== [from, to, from, from].join()) mismatches.push(`currencies are ${currencies.join()}`)
  if (expected.bridgeAmounts && expected.bridgeAmounts.outflow > expected.bridgeAmounts.inflow)
    mismatches.push('the residue is negative')
  return mismatches
}

/** Accounts by number; the tests assign the numbers in place of the database. */
const accounts: Account[] = []
const numbers = new Map<string, bigint>()
async function resolveAccountId(_db: Db, account: Account): Promise<bigint> {
  const knownNumber = numbers.get(account.name)
  if (knownNumber !== undefined) return knownNumber
  const number = BigInt(accounts.push(account) - 1)
  numbers.set(account.name, number)
  return number
}
const findAccount = (number: bigint): Account => accounts[Number(number)]! // not money: an account's number

/** Returns the errors in the legs: an amount not above zero, a currency that does not sum to zero, a wrong balance. */
function findWrongLegs(legs: readonly Leg[], expected: ReadonlyMap<string, bigint>): string[] {
  const mismatches: string[] = []
  const sums = new Map<string, bigint>()
  const totalsByCurrency = new Map<string, bigint>()
  for (const { from, to, amount } of legs) {
    if (amount <= 0n) mismatches.push(`a leg moves ${amount}`)
    for (const [{ name, currency }, change] of [
      [findAccount(from), -amount],
      [findAccount(to), amount],
    ] as const) {
      sums.set(name, (sums.get(name) ?? 0n) + change)
      totalsByCurrency.set(currency, (totalsByCurrency.get(currency) ?? 0n) + change)
    }
  }
  for (const [currency, sum] of totalsByCurrency) if (sum !== 0n) mismatches.push(`${currency} sums to ${sum}`)
  for (const name of new Set([...sums.keys(), ...expected.keys()])) {
    const [actual, expectedValue] = [sums.get(name) ?? 0n, expected.get(name) ?? 0n]
    if (actual !== expectedValue) mismatches.push(`${name} changes by ${actual}, must by ${expectedValue}`)
  }
  return mismatches
}

const evidence = {
  sources: ['ecb', 'bitstamp'],
  asOf: new Date('2026-11-24T12:00:00Z'),
  fixIds: ['1'],
  valueFixIds: {},
  reference: undefined,
}
const toQuotedPrice = (order: ConversionOrder, price: Price): QuotedPrice => ({
  id: '01935e2e-0000-7000-8000-000000000000',
  userId: 1n,
  recipientId: 2n,
  request: toPriceRequest(order),
  price,
  evidence,
  createdAt: evidence.asOf,
})

/** Returns the errors in the texts that users see. */
function findWrongTexts(price: Price, { from, to }: ConversionOrder, expected: ExpectedConversion): string[] {
  const { source, target, fee, bridgeAmounts } = expected
  const view = priceView(price, evidence)
  const expectedTexts: Partial<typeof view> = {
    source_amount: formatMinor(from, source),
    target_amount: formatMinor(to, target),
    stablecoin_amount: bridgeAmounts ? formatMinor('USDT', bridgeAmounts.inflow) : null,
    rate: formatRate(expected.rate),
    mid_market_rate: formatRate(expected.midMarketRate),
    spread_percent: formatPercent(expected.spreadMillionths),
    fee: formatMinor(from, fee),
    total: formatMinor(from, source + fee),
    total_cost_percent: formatPercent(expected.costMillionths),
  }
  return Object.entries(expectedTexts).flatMap(([field, text]) => {
    const shownText = view[field as keyof typeof view]
    return shownText === text ? [] : [`${field} reads ${String(shownText)}, must read ${String(text)}`]
  })
}

const counts = { priced: 0, refused: 0, ofPair: new Map<string, number>() }

/**
 * Prices one order with the product and the oracle, and compares amounts, stored terms, texts and legs. Throws with
 * the order and its differences. Returns undefined if both refuse it for the same reason.
 */
async function convert(order: ConversionOrder, market: OracleMarket): Promise<ExpectedConversion | undefined> {
  const mismatches: string[] = []
  const expected = computeExpectedConversion(order, market)
  const price = priceOrder(order, createMarketFrom(market))
  if (typeof expected === 'string' || typeof price === 'string') {
    const [actual, expectedValue] = [price, expected].map((outcome) =>
      typeof outcome === 'string' ? outcome : 'a price',
    )
    if (actual !== expectedValue) failWithMismatches(order, market, [`it is ${actual}, must be ${expectedValue}`])
    counts.refused += 1
    return undefined
  }
  mismatches.push(...findDifferences(price, order, expected))
  // The same checks apply to the price once it has been serialized and parsed, as quotes are.
  const lockedTerms = JSON.parse(JSON.stringify(toLockedPrice(toQuotedPrice(order, price)))) as QuoteTerms
  const parsedPrice = readPrice(lockedTerms)
  mismatches.push(...findDifferences(parsedPrice, order, expected).map((text) => `stored: ${text}`))
  const parsedRequest = readPriceRequest(lockedTerms)
  if (
    parsedRequest.amount.minor !== order.minor ||
    parsedRequest.amount.currency !== toPriceRequest(order).amount.currency
  ) {
    mismatches.push('the stored request differs')
  }
  mismatches.push(...findWrongTexts(parsedPrice, order, expected))
  const isOutside = counts.priced % 8 === 0
  const payer = isOutside
    ? ({ name: `card:${order.from}`, kind: 'card_settlement', currency: order.from as CurrencyCode } as const)
    : { id: 'payer' }
  const names = {
    payer: isOutside ? `card:${order.from}` : `wallet:payer:${order.from}`,
    payee: `wallet:payee:${order.to}`,
  }
  const legs = await buildLegs(
    {
      wallets: {
        accountIds: async (db, accounts) => Promise.all(accounts.map((account) => resolveAccountId(db, account))),
      },
    },
    unusedDb,
    {
      price: parsedPrice,
      from: payer,
      to: { id: 'payee' },
    },
  )
  mismatches.push(...findWrongLegs(legs, computeExpectedBookings(order, expected, names)))
  // Even before the fee, the target is never worth more than the source, so no chain of conversions gains value.
  const [sourceValue, targetValue] = [
    computeUsdValue(market, order.from, expected.source),
    computeUsdValue(market, order.to, expected.target),
  ]
  if (targetValue[0] * sourceValue[1] > sourceValue[0] * targetValue[1])
    mismatches.push('what arrives is worth more than what left')
  if (mismatches.length > 0) failWithMismatches(order, market, mismatches)
  counts.priced += 1
  const pair = `${order.from}/${order.to}`
  counts.ofPair.set(pair, (counts.ofPair.get(pair) ?? 0) + 1)
  return expected
}

function failWithMismatches(
  order: ConversionOrder,
  { usdValues, findSpread }: OracleMarket,
  mismatches: string[],
): never {
  const { from, to, minor, side, viaStablecoin } = order
  const values = [from, to, 'USDT'].map((code) => `${code} = ${usdValues[code]!.join('/')} USD`)
  const route = viaStablecoin ? 'through the stablecoin' : 'direct'
  throw new Error(
    `${from} to ${to}, ${minor} on the ${side} side, ${route}, ${values.join(', ')}, spread ${findSpread(from, to)}: ${mismatches.join('; ')}`,
  )
}

/** Returns the largest amount whose sum with its fee is at most `availableMinor`. */
function computeAffordable(availableMinor: bigint, basisPoints: bigint): bigint {
  const addFee = (minor: bigint) => minor + (minor * basisPoints + 5000n) / 10_000n
  let minor = (availableMinor * 10_000n) / (10_000n + basisPoints) + 1n
  while (addFee(minor) > availableMinor) minor -= 1n
  return minor
}

/** Converts all proceeds of a conversion again; with `paysFees`, the proceeds also pay the fee. */
async function convertStep(
  availableMinor: bigint,
  [from, to]: readonly [string, string],
  { dice, market, paysFees }: { dice: Dice; market: OracleMarket; paysFees: boolean },
): Promise<bigint | undefined> {
  const viaStablecoin = dice.below(2) === 0
  const minor = paysFees ? computeAffordable(availableMinor, viaStablecoin ? 100n : 200n) : availableMinor
  if (minor <= 0n) return undefined
  const next = await convert({ from, to, minor, side: 'source', viaStablecoin }, market)
  return next?.target
}

/** Converts an order, then converts back directly and through a third currency, and checks that nothing is gained. */
async function checkRoundTrips(dice: Dice, market: OracleMarket, pair: readonly [string, string]): Promise<void> {
  const [baseCurrency, foreignCurrency] = pair
  const order = createOrder(dice, pair)
  const conversion = await convert(order, market)
  if (!conversion) return
  const { source, target, fee } = conversion
  if (order.side === 'target') {
    if (target !== order.minor) failWithMismatches(order, market, ['the recipient does not get what was fixed'])
    const sameOrder = { ...order, side: 'source', minor: source } as const
    const sourceConversion = await convert(sameOrder, market)
    if (sourceConversion && sourceConversion.target < target)
      failWithMismatches(order, market, ['what is asked for it does not suffice'])
    const smallerConversion = source > 1n ? await convert({ ...sameOrder, minor: source - 1n }, market) : undefined
    if (smallerConversion && smallerConversion.target >= target)
      failWithMismatches(order, market, ['one minor unit less would have sufficed'])
  }
  const paysFees = dice.below(2) === 0
  const spentMinor = paysFees ? source + fee : source
  const options = { dice, market, paysFees }
  const returnedMinor = await convertStep(target, [foreignCurrency, baseCurrency], options)
  if (returnedMinor !== undefined && returnedMinor > spentMinor)
    failWithMismatches(order, market, [`back again, it has become ${returnedMinor}`])
  if (returnedMinor !== undefined && paysFees && fee > 0n && returnedMinor >= spentMinor)
    failWithMismatches(order, market, ['a round trip costs nothing'])
  // Buying back the source amount costs at least all proceeds.
  const returnPurchase = {
    from: foreignCurrency,
    to: baseCurrency,
    minor: source,
    side: 'target',
    viaStablecoin: order.viaStablecoin,
  } as const
  const price = await convert(returnPurchase, market)
  if (price && price.source < target) failWithMismatches(order, market, ['it is bought back for less'])
  const [, thirdCurrency] = currencyPairs[dice.below(currencyPairs.length)]!
  if (thirdCurrency === baseCurrency || thirdCurrency === foreignCurrency) return
  const onwardMinor = await convertStep(target, [foreignCurrency, thirdCurrency], options)
  const roundTripMinor = onwardMinor && (await convertStep(onwardMinor, [thirdCurrency, baseCurrency], options))
  if (roundTripMinor !== undefined && roundTripMinor > spentMinor)
    failWithMismatches(order, market, [`around by ${thirdCurrency}, it has become ${roundTripMinor}`])
}

test(`${conversions} conversions between all pairs match the oracle, and no way back gains anything`, async () => {
  const dice = createDice(seed)
  while (counts.priced < conversions) {
    const market = createMarket(dice)
    for (const pair of currencyPairs) await checkRoundTrips(dice, market, pair)
    for (const code of Object.keys(scales)) await convert(createOrder(dice, [code, code]), market)
  }
  expect(counts.ofPair.size).toBe(13 * 13)
  const pairs = currencyPairs.map(([from, to]) => counts.ofPair.get(`${from}/${to}`) ?? 0)
  expect(Math.min(...pairs)).toBeGreaterThan(conversions / pairs.length / 2)
}, 900_000)
