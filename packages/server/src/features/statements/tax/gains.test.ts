import { type CryptoCode, cryptoCodes } from '@tern/money/currency'
import { ratio } from '@tern/money/ratio'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exampleSend } from '@tern/testkit/books/movements'
import type { BalanceChange, Movement } from '../movement.ts'
import { applyMovement, type Disposal, findPricedCurrency, type Inventory } from './gains.ts'
import { addLot, createLots, listLots, takeLots } from './lots.ts'
import { addToTotals, type Totals } from './totals.ts'

const change = (
  currency: BalanceChange['currency'],
  amount: bigint,
  { fee = 0n, part = 'available' }: Partial<BalanceChange> = {},
): BalanceChange => ({ part, currency, amount, internal: 0n, fee, balance: 0n, version: 1n })

let count = 0

function exchange(facts: Partial<NonNullable<Movement['transaction']>>, changes: readonly BalanceChange[]): Movement {
  count += 1
  const { transaction, ...movement } = exampleSend({ number: count, at: '2026-01-01T00:00:00Z', balance: 0n })
  return {
    ...movement,
    postingKind: 'exchange',
    transaction: transaction && {
      ...transaction,
      ...{ kind: 'EXCHANGE', description: 'exchange {}', counterparty: null },
      ...facts,
    },
    changes,
  }
}

const own = { source: 'transaction', asOf: new Date('2026-01-01T00:00:00Z') }
const one = ratio(1n, 1n)

const apply = (inventory: Inventory, movement: Movement, price = one): Disposal[] =>
  applyMovement(inventory, { movement, price, valuation: own })

const buy = (usd: bigint, btc: bigint, fee: bigint) =>
  exchange({}, [change('USD', -usd - fee, { fee: -fee }), change('BTC', btc)])
const sell = (btc: bigint, usd: bigint, fee = 0n) =>
  exchange({}, [change('BTC', -btc - fee, { fee: -fee }), change('USD', usd)])

test('a sale takes the oldest lots first, and its gain is its proceeds less their cost with fees', () => {
  const inventory: Inventory = new Map()
  apply(inventory, buy(100_00n, 1000n, 1_00n))
  apply(inventory, buy(200_00n, 1000n, 0n))
  const [disposal, ...others] = apply(inventory, sell(1500n, 300_00n))
  expect(others).toEqual([])
  expect(disposal).toMatchObject({ kind: 'exchanged_out', quantity: 1500n, proceeds: 300_00n, cost: 201_00n })
  expect(disposal?.lots.map(({ quantity, cost }) => [quantity, cost])).toEqual([
    [1000n, 101_00n],
    [500n, 100_00n],
  ])
  expect(listLots(inventory.get('BTC') ?? createLots())).toMatchObject([{ quantity: 500n, cost: 100_00n }])
})

test('a fee in a cryptocurrency is a disposal at the same rate', () => {
  const inventory: Inventory = new Map()
  apply(inventory, buy(100_00n, 1000n, 0n))
  const disposals = apply(inventory, sell(500n, 60_00n, 5n))
  expect(disposals).toMatchObject([
    { kind: 'exchanged_out', quantity: 500n, proceeds: 60_00n, cost: 50_00n },
    { kind: 'fee', quantity: 5n, proceeds: 60n, cost: 50n },
  ])
})

test('a returned fee costs its own value, even if it equals the purchase that returns it', () => {
  const inventory: Inventory = new Map()
  const purchase = exchange({}, [change('USD', -1_01_00n, { fee: -1_00n }), change('BTC', 2000n, { fee: 1000n })])
  apply(inventory, purchase)
  expect(listLots(inventory.get('BTC') ?? createLots()).map(({ quantity, cost }) => [quantity, cost])).toEqual([
    [1000n, 101_00n],
    [1000n, 100_00n],
  ])
})

test('an exchange between cryptocurrencies sells and buys at the market value of what was sold', () => {
  const inventory: Inventory = new Map()
  apply(inventory, buy(100_00n, 1000n, 0n))
  const movement = exchange({}, [change('BTC', -1000n), change('ETH', 7n)])
  expect(findPricedCurrency(movement, 'USD')).toBe('BTC')
  const [disposal] = apply(inventory, movement, ratio(15n, 1n))
  expect(disposal).toMatchObject({ proceeds: 150_00n, cost: 100_00n })
  expect(listLots(inventory.get('ETH') ?? createLots())).toMatchObject([{ quantity: 7n, cost: 150_00n }])
})

test('a send is a disposal at the market value, and one that converts at what arrived', () => {
  const inventory: Inventory = new Map()
  apply(inventory, buy(100_00n, 1000n, 0n))
  const facts = { kind: 'SEND', description: 'Gift', source_currency: 'BTC', target_currency: 'BTC' } as const
  const plain = exchange(facts, [change('BTC', -100n)])
  expect(findPricedCurrency(plain, 'USD')).toBe('BTC')
  expect(apply(inventory, plain, ratio(12n, 1n))).toMatchObject([{ kind: 'sent', proceeds: 12_00n, cost: 10_00n }])
  const converted = exchange({ ...facts, source_amount: 100n, target_currency: 'USD', target_amount: 11_00n }, [
    change('BTC', -100n),
  ])
  expect(findPricedCurrency(converted, 'USD')).toBeNull()
  expect(apply(inventory, converted)).toMatchObject([{ kind: 'sent', proceeds: 11_00n, cost: 10_00n }])
})

test('without a known rate a disposal has no proceeds and says so', () => {
  const inventory: Inventory = new Map()
  apply(inventory, buy(100_00n, 1000n, 0n))
  const movement = exchange({ kind: 'SEND', source_currency: 'BTC', target_currency: 'BTC' }, [change('BTC', -100n)])
  const disposals = applyMovement(inventory, { movement, price: undefined, valuation: own })
  expect(disposals).toMatchObject([{ proceeds: 0n, cost: 10_00n, valuation: null }])
})

test('money put on hold is neither disposed of nor counted', () => {
  const inventory: Inventory = new Map()
  const movement = exchange({}, [change('BTC', -100n), change('BTC', 100n, { part: 'on_hold' })])
  expect(apply(inventory, movement)).toEqual([])
  const totals: Totals = new Map()
  addToTotals(totals, movement)
  expect([...totals]).toEqual([])
})

test('for all histories: quantities are conserved, and gains add up to proceeds less the cost of what is gone', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 24n })
  const step = fc.record({
    isBuy: fc.boolean(),
    currency: fc.constantFrom(...cryptoCodes),
    amount,
    usd: amount,
    fee: fc.bigInt({ min: 0n, max: 1000n }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const inventory: Inventory = new Map()
      const balances = new Map<CryptoCode, bigint>()
      const disposals: Disposal[] = []
      let spent = 0n
      let got = 0n
      for (const { isBuy, currency, amount: asked, usd, fee } of steps) {
        const balance = balances.get(currency) ?? 0n
        if (isBuy) {
          apply(inventory, exchange({}, [change('USD', -usd - fee, { fee: -fee }), change(currency, asked)]))
          balances.set(currency, balance + asked)
          spent += usd + fee
        } else if (balance > 0n) {
          const sold = (asked % balance) + 1n
          disposals.push(...apply(inventory, exchange({}, [change(currency, -sold), change('USD', usd)])))
          balances.set(currency, balance - sold)
          got += usd
        }
      }
      const left = [...inventory.values()].flatMap(listLots)
      for (const [currency, balance] of balances) {
        const quantity = listLots(inventory.get(currency) ?? createLots()).reduce((sum, lot) => sum + lot.quantity, 0n)
        expect(quantity).toBe(balance)
      }
      const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
      const gains = sum(disposals.map(({ proceeds, cost }) => proceeds - cost))
      expect(gains).toBe(got - (spent - sum(left.map(({ cost }) => cost))))
      for (const { lots, quantity, cost } of disposals) {
        expect(sum(lots.map((lot) => lot.quantity))).toBe(quantity)
        expect(sum(lots.map((lot) => lot.cost))).toBe(cost)
      }
      expect(left.every(({ quantity, cost }) => quantity > 0n && cost >= 0n)).toBe(true)
    }),
    { seed: 7, numRuns: 500 },
  )
})

test('many lots are taken in order, and no more than there are', () => {
  const queue = createLots()
  for (let index = 0; index < 5000; index += 1) addLot(queue, { acquiredAt: new Date(index), quantity: 2n, cost: 3n })
  const taken = Array.from({ length: 4999 }, () => takeLots(queue, 2n)).flat()
  expect(taken.map(({ acquiredAt }) => acquiredAt.getTime())).toEqual(Array.from({ length: 4999 }, (_, index) => index))
  expect(listLots(queue)).toHaveLength(1)
  expect(() => takeLots(queue, 3n)).toThrow('1 more are disposed of than were acquired')
})
