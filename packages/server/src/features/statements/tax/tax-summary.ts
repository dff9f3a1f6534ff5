// Summary of a year for taxes: totals, and gains of cryptocurrencies by FIFO.

import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { TaxSummaryView } from '@tern/contract/statements/tax-summary'
import { type CryptoCode, type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { ratio } from '@tern/money/ratio'
import type { Db } from '../../../platform/database/db.ts'
import type { Messages } from '../../../platform/messages.ts'
import { readPastValues } from '../../exchange/exchange.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { Movement } from '../movement.ts'
import type { Period } from '../period.ts'
import { readMovements } from '../read-movements.ts'
import {
  applyMovement,
  type Disposal,
  findPricedCurrency,
  type Inventory,
  toMinorPrice,
  type ValuedMovement,
} from './gains.ts'
import { listLots } from './lots.ts'
import { addToTotals, type Totals } from './totals.ts'

/** Movements whose market rates are read together. */
const batchSize = 200

export interface TaxQuery {
  readonly wallet: Pick<Wallet, 'id' | 'userId' | 'baseCurrency'>
  readonly period: Period
}

export interface TaxSummary {
  readonly totals: Totals
  readonly disposals: readonly Disposal[]
  /** Lots left at the end of the year. */
  readonly inventory: Inventory
}

/** Computes a year's summary from the whole history of the wallet before its end. */
export async function computeTaxSummary(db: Db, { wallet, period }: TaxQuery): Promise<TaxSummary> {
  const totals: Totals = new Map()
  const inventory: Inventory = new Map()
  const disposals: Disposal[] = []
  const history = readMovements(db, { wallet, from: new Date(0), until: period.endsAt })
  for await (const batch of collectBatches(history)) {
    for (const valued of await valueMovements(db, wallet.baseCurrency, batch)) {
      const made = applyMovement(inventory, valued)
      // Movements within an account follow its entries, whose clocks may differ; the time alone decides about the year.
      if (valued.movement.at < period.startsAt) continue
      addToTotals(totals, valued.movement)
      disposals.push(...made)
    }
  }
  return { totals, disposals, inventory }
}

async function* collectBatches(movements: AsyncIterable<Movement>): AsyncGenerator<readonly Movement[]> {
  let batch: Movement[] = []
  for await (const movement of movements) {
    batch.push(movement)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Adds the market's prices at the times of the movements that need them. */
async function valueMovements(
  db: Db,
  base: CurrencyCode,
  movements: readonly Movement[],
): Promise<readonly ValuedMovement[]> {
  const needs = movements.flatMap((movement) => {
    const currency = findPricedCurrency(movement, base)
    return currency === null ? [] : [{ movement, currency }]
  })
  const values =
    needs.length === 0
      ? []
      : await readPastValues(
          db,
          needs.flatMap(({ currency, movement: { at } }) => [
            { currency, at },
            { currency: base, at },
          ]),
        )
  const priced = new Map(
    needs.map(({ movement, currency }, index) => [
      movement,
      { currency, value: values[2 * index], baseValue: values[2 * index + 1] },
    ]),
  )
  return movements.map((movement): ValuedMovement => {
    const found = priced.get(movement)
    if (!found) return { movement, price: ratio(1n, 1n), valuation: { source: 'transaction', asOf: movement.at } }
    const { currency, value, baseValue } = found
    const sources = [...new Set([value, baseValue].flatMap((each) => (each ? [each.source] : [])))]
    const asOf = new Date(Math.min(...[value, baseValue].map((each) => (each?.asOf ?? movement.at).getTime())))
    const price = value && baseValue && toMinorPrice({ currency, base }, value, baseValue)
    return { movement, price, valuation: { source: sources.filter((source) => source !== 'USD').join('+'), asOf } }
  })
}

interface ViewInput extends TaxQuery {
  readonly year: number
  readonly messages: Messages
}

export async function readTaxSummary(db: Db, input: ViewInput): Promise<TaxSummaryView> {
  const { period, wallet, year, messages } = input
  const { totals, disposals, inventory } = await computeTaxSummary(db, input)
  const base = wallet.baseCurrency
  return {
    year,
    time_zone: period.timeZone,
    is_final: period.isFinal,
    as_of: period.asOf.toISOString(),
    base_currency: base,
    method: 'fifo',
    rounding: 'half_up',
    notice: messages.activity.taxNotice,
    totals: [...totals.values()]
      .toSorted((a, b) => orderOf(a.currency) - orderOf(b.currency) || (a.kind < b.kind ? -1 : 1))
      .map(({ currency, kind, count, amount }) => ({
        currency,
        kind,
        count,
        amount: toDecimal(money(currency, amount)),
      })),
    gains: sumGains(disposals, base),
    disposals: disposals.map((disposal) => toDisposalView(disposal, base)),
    lots: [...inventory]
      .toSorted(([a], [b]) => orderOf(a) - orderOf(b))
      .flatMap(([currency, queue]) =>
        listLots(queue).map((lot) => Object.assign({ currency }, toLotView(lot, currency, base))),
      ),
  }
}

const orderOf = (currency: CurrencyCode): number => currencyCodes.indexOf(currency)

function toDisposalView(
  { id, at, transactionId, currency, kind, quantity, proceeds, cost, valuation, lots }: Disposal,
  base: CurrencyCode,
): TaxSummaryView['disposals'][number] {
  return {
    id,
    at: at.toISOString(),
    reference: transactionId === null ? null : deriveReference(transactionId),
    currency,
    kind,
    quantity: toDecimal(money(currency, quantity)),
    ...toGain({ proceeds, cost }, base),
    rate_source: valuation?.source ?? null,
    rate_time: valuation?.asOf.toISOString() ?? null,
    lots: lots.map((lot) => toLotView(lot, currency, base)),
  }
}

const toGain = ({ proceeds, cost }: Pick<Disposal, 'proceeds' | 'cost'>, base: CurrencyCode) => ({
  proceeds: toDecimal(money(base, proceeds)),
  cost: toDecimal(money(base, cost)),
  gain: toDecimal(money(base, proceeds - cost)),
})

const toLotView = (
  { acquiredAt, quantity, cost }: Disposal['lots'][number],
  currency: CryptoCode,
  base: CurrencyCode,
) => ({
  acquired_at: acquiredAt.toISOString(),
  quantity: toDecimal(money(currency, quantity)),
  cost: toDecimal(money(base, cost)),
})

/** Sums disposals by currency. */
const sumGains = (disposals: readonly Disposal[], base: CurrencyCode): TaxSummaryView['gains'] =>
  [...Map.groupBy(disposals, ({ currency }) => currency)]
    .toSorted(([a], [b]) => orderOf(a) - orderOf(b))
    .map(([currency, own]) => {
      const proceeds = own.reduce((sum, disposal) => sum + disposal.proceeds, 0n)
      const cost = own.reduce((sum, disposal) => sum + disposal.cost, 0n)
      const withoutRate = own.filter(({ valuation }) => valuation === null).length
      return Object.assign(
        { currency, disposals: own.length, without_rate: withoutRate },
        toGain({ proceeds, cost }, base),
      )
    })
