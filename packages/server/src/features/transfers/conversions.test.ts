import { randomUUID } from 'node:crypto'
import type { Quote } from '@tern/contract/exchange'
import type { Transaction } from '@tern/contract/transactions'
import type { CurrencyCode } from '@tern/money/currency'
import { parseRatio } from '@tern/money/ratio'
import type { RatesProvider } from '@tern/providers/rates/port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ageSends } from '../../../../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { raiseLimits } from '@tern/testkit/people'
import {
  createDice,
  dollarsPerUnit,
  parseFraction,
  currencyPairs,
  unitsPerDollar,
} from '@tern/testkit/exchange/conversion-cases'
import {
  type ConversionOrder,
  formatMinor,
  computeExpectedBookings,
  type ExpectedConversion,
  computeExpectedConversion,
  type Fraction,
  type OracleMarket,
  formatRate,
  scales,
} from '@tern/testkit/exchange/conversion-oracle'
import { createRegistry } from '../../platform/providers/provider-registry.ts'
import { createExchange, createRates, type Exchange } from '../exchange/exchange.ts'
import { createTransfers, type Transfers } from './transfers.ts'

// Converts real balances in all pairs and both directions; quote, list, ledger and balances must match the oracle.

const countries: Readonly<Record<string, string>> = {
  ...{ USD: 'United States', GBP: 'United Kingdom', CAD: 'Canada', AUD: 'Australia', EUR: 'Germany', JPY: 'Japan' },
  ...{ SGD: 'Singapore', INR: 'India', BRL: 'Brazil' },
}
const cryptos = ['USDT', 'USDC', 'BTC', 'ETH']
const dice = createDice(20_261_125)
const amountsPerPair = isFullRun ? 15 : 5

let world: TestApp
let exchange: Exchange
let transfers: Transfers
const people = new Map<string, TestPerson>()
const wallets = new Map<string, string>()

const market: OracleMarket = (() => {
  const values = new Map<string, Fraction>([['USD', [1n, 1n]]])
  for (const [code, text] of Object.entries(dollarsPerUnit)) values.set(code, parseFraction(text))
  for (const [code, text] of Object.entries(unitsPerDollar)) {
    const [numerator, denominator] = parseFraction(text)
    values.set(code, [denominator, numerator])
  }
  const spreads = new Map(currencyPairs.map(([from, to]) => [`${from}/${to}`, BigInt(dice.below(5_001))]))
  return { usdValues: Object.fromEntries(values), findSpread: (from, to) => spreads.get(`${from}/${to}`) ?? 0n }
})()

/** Rates provider that publishes the oracle's rates. */
const buildRatesProvider = (now: () => Date): RatesProvider => ({
  name: 'published',
  pollEveryMs: 1000,
  history: async () => ({ status: 'known', fixes: [] }),
  latest: async () => ({
    status: 'known',
    fixes: [
      ...Object.entries(unitsPerDollar).map(([code, text]) => ({ base: 'USD', quote: code, text })),
      ...Object.entries(dollarsPerUnit).map(([code, text]) => ({ base: code, quote: 'USD', text })),
    ].map(({ base, quote, text }) => ({
      base: base as CurrencyCode,
      quote: quote as CurrencyCode,
      rate: parseRatio(text),
      asOf: now(),
    })),
  }),
})

beforeAll(async () => {
  world = await startTestApp()
  const { product } = world.app
  const { pool } = world.database
  await raiseLimits(pool)
  for (const [from, to] of currencyPairs) {
    const parts = Number(market.findSpread(from, to)) // not money: parts of a rate
    await pool.query('insert into spread (source_currency, target_currency, parts_per_million) values ($1, $2, $3)', [
      from,
      to,
      parts,
    ])
  }
  const { now, undoWindows, mover, identity } = product
  const log = { warn: () => {}, error: () => {} }
  const rates = createRates({ sources: createRegistry([buildRatesProvider(now)]), now, log })
  exchange = createExchange({
    ...{ pool: product.pool, rates, wallets: product.wallets, now, undoWindows },
    secret: Buffer.from(world.secret),
  })
  await exchange.refreshRates()
  const money = {
    pool: product.pool,
    mover,
    wallets: product.wallets,
    exchange,
    identity,
    monitoring: product.monitoring,
    counterparties: product.counterparties,
    now,
    lists: product.lists,
  }
  transfers = createTransfers(money)
  await Promise.all(
    Object.entries(countries).map(async ([currency, country]) => {
      const person = await world.enroll(currency.toLowerCase(), country)
      people.set(currency, person)
      wallets.set(currency, (await person.wallet()).id)
      // About 9,000 dollars each.
      const [numerator, denominator] = market.usdValues[currency]!
      const minor = (9_000n * 10n ** scales[currency]! * denominator) / numerator
      await world.fund(person, Number(minor)) // not money: a deposit in minor units, as the call takes it
    }),
  )
  // Payees paid a day ago need no confirmation.
  for (const sender of people.keys()) {
    for (const recipient of people.keys()) {
      if (sender !== recipient)
        await executeSend(
          sender,
          recipient,
          await createConversionQuote(sender, buildOrder(sender, recipient, 1), recipient),
        )
    }
  }
  await ageSends(pool)
})
afterAll(() => world.close())

const toCaller = (currency: string) => ({
  userId: BigInt(people.get(currency)!.id),
  sessionId: randomUUID(),
  verified: true,
})

/** Builds a random order of one to two times this value that the oracle does not refuse. */
function buildOrder(from: string, to: string, dollars: number): ConversionOrder {
  for (;;) {
    const side = dice.below(2) === 0 ? 'source' : 'target'
    const currency = side === 'source' ? from : to
    const [numerator, denominator] = market.usdValues[currency]!
    const minor = (BigInt(dollars) * 10n ** scales[currency]! * denominator) / numerator + 1n
    const order = { from, to, side, minor: minor + dice.bigBelow(minor), viaStablecoin: dice.below(2) === 0 } as const
    if (typeof computeExpectedConversion(order, market) !== 'string') return order
  }
}

interface QuotedConversion {
  readonly order: ConversionOrder
  readonly expected: ExpectedConversion
  readonly quote: Quote
}

/** Quotes an order, and compares the quote with the oracle's. */
async function createConversionQuote(payer: string, order: ConversionOrder, payee?: string): Promise<QuotedConversion> {
  const { from, to, side, minor, viaStablecoin } = order
  const expected = computeExpectedConversion(order, market)
  if (typeof expected === 'string') throw new Error(`${minor} from ${from} to ${to} is ${expected}`)
  const amount = { currency: (side === 'source' ? from : to) as CurrencyCode, minor }
  const currencies = { sourceCurrency: from as CurrencyCode, targetCurrency: to as CurrencyCode }
  const recipientId = payee === undefined ? undefined : toCaller(payee).userId
  const request = { ...currencies, amount, side, useStablecoin: viaStablecoin }
  const quote = await exchange.quote({ userId: toCaller(payer).userId, request, recipientId })
  const { source, target, fee, bridgeAmounts } = expected
  expect(quote).toMatchObject({
    source_amount: formatMinor(from, source),
    target_amount: formatMinor(to, target),
    stablecoin_amount: bridgeAmounts ? formatMinor('USDT', bridgeAmounts.inflow) : null,
    fee: formatMinor(from, fee),
    total: formatMinor(from, source + fee),
    rate: formatRate(expected.rate),
  })
  return { order, expected, quote }
}

/** Expected change of each account's balance in minor units, by account name. */
const bookedAmounts = new Map<string, bigint>()
const sendCounts = new Map<string, number>()
let exchangeCount = 0

async function executeSend(payer: string, payee: string, { order, expected, quote }: QuotedConversion): Promise<void> {
  const request = {
    ...{ recipient_id: people.get(payee)!.id, amount: quote.source_amount, quote_id: quote.quote_id },
    ...{ source_currency: quote.source_currency, target_currency: quote.target_currency },
    use_stablecoin: order.viaStablecoin,
  }
  const { transaction } = await transfers.sendMoney({
    caller: toCaller(payer),
    request,
    idempotencyKey: randomUUID(),
    confirmation: undefined,
  })
  await compare(transaction, { order, expected, quote }, { payer, payee, rows: 2 })
  const pair = `${order.from}/${order.to}`
  sendCounts.set(pair, (sendCounts.get(pair) ?? 0) + 1)
}

async function executeExchange(owner: string, { order, expected, quote }: QuotedConversion): Promise<void> {
  const { transaction } = await transfers.exchangeMoney({
    caller: toCaller(owner),
    quoteId: quote.quote_id,
    idempotencyKey: randomUUID(),
  })
  await compare(transaction, { order, expected, quote }, { payer: owner, payee: owner, rows: 1 })
  exchangeCount += 1
}

/** Compares the answer, the rows of both parties and the ledger entries with the oracle. */
async function compare(
  transaction: Transaction,
  { order, expected, quote }: QuotedConversion,
  { payer, payee, rows: count }: { payer: string; payee: string; rows: number },
): Promise<void> {
  const { from, to } = order
  const { source, target, fee, bridgeAmounts, rate } = expected
  expect(transaction).toMatchObject({
    status: 'COMPLETED',
    amount: quote.total,
    source_amount: quote.source_amount,
    target_amount: quote.target_amount,
    stablecoin_amount: quote.stablecoin_amount,
    fee: quote.fee,
  })
  const { rows } = await world.database.pool.query<Record<string, bigint | string | null>>(
    `select source_amount, source_currency, target_amount, target_currency, stablecoin_amount, fee_amount, fee_currency,
        rate_numerator * $2::numeric = rate_denominator * $3::numeric as same_rate
       from transaction where id = $1`,
    [transaction.id, rate[1].toString(), rate[0].toString()],
  )
  expect(rows).toHaveLength(count)
  for (const row of rows) {
    expect(row).toEqual({
      ...{ source_amount: source, source_currency: from, target_amount: target, target_currency: to },
      ...{ fee_amount: fee, fee_currency: from, stablecoin_amount: bridgeAmounts?.inflow ?? null },
      same_rate: from === to ? null : true,
    })
  }
  const entries = await world.database.pool.query<{ name: string; sum: bigint; currency: string }>(
    `select split_part(a.name, '#', 1) as name, a.currency, sum(e.amount) as sum
       from ledger.posting p join ledger.entry e on e.posting_id = p.id join ledger.account a on a.id = e.account_id
      where p.reference = $1 group by 1, 2 having sum(e.amount) <> 0`,
    [transaction.id],
  )
  const buildAccountName = (owner: string, currency: string) => `wallet:${wallets.get(owner)}:${currency}`
  const bookings = computeExpectedBookings(order, expected, {
    payer: buildAccountName(payer, from),
    payee: buildAccountName(payee, to),
  })
  expect(new Map(entries.rows.map(({ name, sum }) => [name, sum]))).toEqual(bookings)
  for (const [name, amount] of bookings) bookedAmounts.set(name, (bookedAmounts.get(name) ?? 0n) + amount)
}

/** Runs conversions within wallets, then rounds of sends between users. */
async function convertAllPairs(): Promise<void> {
  const baseCurrencies = [...people.keys()]
  await Promise.all(
    baseCurrencies.map(async (base) => {
      // Buys the cryptocurrency that is sent later.
      for (const crypto of cryptos)
        await executeExchange(base, await createConversionQuote(base, buildOrder(base, crypto, 500)))
      const ownPairs = currencyPairs.filter((pair) => pair.every((code) => code === base || cryptos.includes(code)))
      for (const [from, to] of ownPairs)
        await executeExchange(base, await createConversionQuote(base, buildOrder(from, to, 1 + dice.below(9))))
    }),
  )
  for (let round = 0; round < amountsPerPair; round += 1) {
    await Promise.all(
      baseCurrencies.map(async (payer, position) => {
        // Distributes the pairs from a cryptocurrency among the payers, differently in each round.
        const pairs = currencyPairs.filter(
          ([from], index) =>
            from === payer || (cryptos.includes(from) && (index + round) % baseCurrencies.length === position),
        )
        for (const [from, to] of pairs) {
          const otherBases = baseCurrencies.filter((base) => base !== payer)
          const payee = people.has(to) && to !== payer ? to : otherBases[dice.below(otherBases.length)]!
          if (people.has(to) && payee !== to) continue
          await executeSend(
            payer,
            payee,
            await createConversionQuote(payer, buildOrder(from, to, 1 + dice.below(9)), payee),
          )
        }
      }),
    )
  }
}

test('quote, list, receipt, ledger and balances of thousands of conversions match the oracle', async () => {
  const balancesBefore = await loadBalances()
  const bookedAmountsBefore = new Map(bookedAmounts)
  await convertAllPairs()
  expect(sendCounts.size).toBe(currencyPairs.length)
  expect(Math.min(...sendCounts.values())).toBeGreaterThan(amountsPerPair / 2)
  expect(exchangeCount).toBeGreaterThan(200)
  const balancesAfter = await loadBalances()
  const changes = [...balancesAfter].map(([name, sum]) => [name, sum - (balancesBefore.get(name) ?? 0n)] as const)
  const expected = [...bookedAmounts].map(([name, sum]) => [name, sum - (bookedAmountsBefore.get(name) ?? 0n)] as const)
  const filterNonZero = (balanceEntries: (readonly [string, bigint])[]) =>
    new Map(balanceEntries.filter(([, sum]) => sum !== 0n))
  expect(filterNonZero(changes)).toEqual(filterNonZero(expected))
  const { rows } = await world.database.pool.query('select sum(balance) as sum from ledger.account group by currency')
  expect(rows.filter(({ sum }) => sum !== 0n)).toEqual([])
  expect(await loadFailedChecks(world)).toEqual([])
})

async function loadBalances(): Promise<Map<string, bigint>> {
  const { rows } = await world.database.pool.query<{ name: string; sum: bigint }>(
    `select split_part(name, '#', 1) as name, sum(balance) as sum from ledger.account group by 1`,
  )
  return new Map(rows.map(({ name, sum }) => [name, sum]))
}
