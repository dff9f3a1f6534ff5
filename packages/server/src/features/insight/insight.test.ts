import { randomUUID } from 'node:crypto'
import {
  chooseCounterpartyCategory,
  chooseTransactionCategory,
  type FlowKind,
  insightAtlas,
  insightCosts,
  insightFlows,
  insightTransactions,
} from '@tern/contract/insight'
import { walletTotals } from '@tern/contract/wallets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestApp, TestPerson } from '@tern/testkit/app'
import { sendTo } from '@tern/testkit/disputes'
import { pay, requestMoney, splitBill, startGuestPayment, waitForReceipt } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { exchangeDollars, startWithSpender } from '@tern/testkit/spending'
import { flowSql } from './flow-rows.ts'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson
let carol: TestPerson
let period: string

beforeAll(async () => {
  ;({ world, alice, bruno, carol } = await startWithSpender())
  period = String(world.app.product.now().getUTCFullYear())
})
afterAll(() => world.close())

const loadFlows = (person: TestPerson) => person.call(insightFlows, { query: { period } })
const findBalance = async (person: TestPerson, currency = 'USD') =>
  (await loadFlows(person)).balances.find((balance) => balance.currency === currency)!
const listFigure = (person: TestPerson, flow: FlowKind, more: object = {}) =>
  person.call(insightTransactions, { query: { period, currency: 'USD', flow, ...more } })

test('spending includes the fee, and an exchange is no spending', async () => {
  await sendTo(alice, bruno, '100.00')
  await sendTo(alice, carol, '20.00')
  await exchangeDollars(alice, '30.00')
  const balance = await findBalance(alice)
  expect(balance).toMatchObject({ spending: '121.10', income: '0.00', fees: '1.10', transactions: 2 })
  expect(balance.counterparties.map(({ party, spending }) => [party.id, party.country, spending])).toEqual([
    [bruno.id, 'DE', '101.00'],
    [carol.id, 'US', '20.10'],
  ])
  expect(balance.own).toEqual([
    { kind: 'added', amount: '500.00', fees: '0.00', transactions: 1 },
    { kind: 'exchanged', amount: '-30.30', fees: '0.30', transactions: 1 },
  ])
  expect(await findBalance(alice, 'USDT')).toMatchObject({ spending: '0.000000', own: [{ kind: 'exchanged' }] })
  expect(await findBalance(carol)).toMatchObject({ spending: '0.00', income: '20.00' })
})

test('a category applies to all transactions with a person, and one transaction can have another', async () => {
  const second = await sendTo(alice, carol, '10.00')
  const choose = (category: 'family' | 'gifts' | null) =>
    alice.call(chooseCounterpartyCategory, { params: { userId: String(carol.id) }, body: { category } })
  const chooseOne = (category: 'gifts' | null) =>
    alice.call(chooseTransactionCategory, { params: { id: second }, body: { category } })
  const loadCategories = async () =>
    Object.fromEntries((await findBalance(alice)).categories.map(({ category, spending }) => [category, spending]))
  expect(await loadCategories()).toEqual({ other: '131.15' })
  await choose('family')
  expect(await loadCategories()).toEqual({ other: '101.00', family: '30.15' })
  await chooseOne('gifts')
  expect(await loadCategories()).toEqual({ other: '101.00', family: '20.10', gifts: '10.05' })
  await sendTo(alice, carol, '1.00')
  expect(await loadCategories()).toMatchObject({ family: '21.11', gifts: '10.05' })
  expect(await listFigure(alice, 'spending', { category: 'gifts' })).toMatchObject({
    sum: '10.05',
    transactions: [{ amount: '10.05', category: 'gifts', category_origin: 'transaction', transaction: { id: second } }],
  })
  const balance = await findBalance(alice)
  const family = balance.counterparties.find(({ party }) => party.id === carol.id)
  expect(family).toMatchObject({ category: 'family', spending: '31.16', transactions: 3 })
  // The other person's figures are their own.
  expect((await findBalance(carol)).categories).toMatchObject([{ category: 'other', income: '31.00' }])
  await chooseOne(null)
  await choose(null)
  expect(await loadCategories()).toEqual({ other: '132.16' })
})

test('shares of a split bill and payments by guests have categories of their own', async () => {
  const dora = await world.enroll('dora', 'United States')
  const emil = await world.enroll('emil', 'United States')
  await world.fund(emil, 5000)
  const { parts } = await splitBill(dora, [emil], { currency: 'USD' })
  const share = parts[0]!.request
  await pay(emil, share.data)
  expect((await findBalance(emil)).categories.map(({ category }) => category)).toEqual(['shared'])
  expect((await findBalance(dora)).categories.map(({ category }) => category)).toEqual(['shared'])

  const { data } = await requestMoney(dora, { amount: '8.00', currency: 'USD' })
  const { receipt, redirect_url: url } = await startGuestPayment(dora, data, {
    ...{ currency: 'USD', amount: '8.00', expected_total: '8.04' },
  })
  await payCheckout(url ?? '')
  await waitForReceipt(dora, receipt)
  const { counterparties, categories } = await findBalance(dora)
  expect(categories.find(({ category }) => category === 'sales')).toMatchObject({ income: '8.00' })
  expect(counterparties.find(({ party }) => party.id === null)).toMatchObject({ income: '8.00', category: null })
  expect(await listFigure(dora, 'income', { guests: 'true' })).toMatchObject({ sum: '8.00' })
})

test('figures never contain transactions of others, whose categories cannot be set', async () => {
  const stranger = await world.enroll('stranger', 'United States')
  const { transactions } = await listFigure(alice, 'spending')
  const [{ transaction } = expect.fail()] = transactions
  expect((await loadFlows(stranger)).balances).toMatchObject([{ currency: 'USD', transactions: 0, own: [] }])
  expect(await listFigure(stranger, 'spending', { person: String(bruno.id) })).toEqual({
    ...{ sum: '0.00', transactions: [], next: null },
  })
  const body = { category: 'family' }
  for (const path of [`transactions/${transaction.id}`, `counterparties/${bruno.id}`, `transactions/${randomUUID()}`]) {
    const answer = await world.raw('PUT', `/insight/${path}`, { token: stranger.token, body })
    expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'not_found'])
  }
  const exchange = (await listFigure(alice, 'exchanged')).transactions[0]!.transaction.id
  const answer = await world.raw('PUT', `/insight/transactions/${exchange}`, { token: alice.token, body })
  expect(answer.status).toBe(404)
})

test('unknown periods, currencies and categories are refused by field', async () => {
  for (const [path, field] of [
    ['flows?period=2026-13', 'period'],
    ['flows', 'period'],
    ['costs?period=26', 'period'],
    ['transactions?period=2026&currency=USD&flow=lost', 'flow'],
    ['transactions?period=2026&currency=XXX&flow=income', 'currency'],
  ] as const) {
    const answer = await world.raw('GET', `/insight/${path}`, { token: alice.token })
    expect([path, answer.status, answer.body.errors[0].field]).toEqual([path, 422, field])
  }
  const answer = await world.raw('PUT', `/insight/counterparties/${carol.id}`, {
    token: alice.token,
    body: { category: 'casino' },
  })
  expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'category'])
})

test('the costs of a year are those of the dashboard, and each corridor has its average', async () => {
  const costs = await alice.call(insightCosts, { query: { period } })
  const since = `${period}-01-01T00:00:00Z`
  const totals = await alice.call(walletTotals, { params: { id: (await alice.wallet()).id }, query: { since } })
  expect(costs.from_balance).toEqual({
    fees: totals.fees,
    abroad: totals.abroad.amount,
    bank_cost: totals.abroad.bank_cost,
    kept: totals.abroad.kept,
  })
  expect(costs.total).toEqual(costs.from_balance)
  expect(costs.corridors).toEqual([
    expect.objectContaining({ source_currency: 'USD', target_currency: 'USD', sends: 3, sent: '31.00', average: null }),
    {
      ...{
        source_currency: 'USD',
        target_currency: 'EUR',
        sends: 1,
        sent: '100.00',
        fees: '1.00',
        cost_percent: '1.00',
      },
      // 6.18 % of 100, less the fee.
      average: { region: 'global', percent: '6.18', cost: '6.18', kept: '5.18' },
    },
  ])
  expect(costs.exchanges).toEqual([{ currency: 'USD', transactions: 1, fees: '0.30' }])
  expect(costs.world_bank).toEqual({ issue: 47, quarter: 'Q3 2023', banks: '11.48' })
})

test('the atlas has a route to each country and back, and counts domestic transfers apart', async () => {
  await world.fund(bruno, 5000)
  await sendTo(bruno, alice, '5.00', 'EUR')
  const atlas = await alice.call(insightAtlas, { query: { period } })
  expect(atlas).toMatchObject({ home: 'US', domestic: 3, elsewhere: 0, flights: 2, people: 1, countries: 1 })
  expect(atlas.routes).toEqual([
    { country: 'DE', direction: 'sent', flights: 1, people: 1, fees: [{ currency: 'USD', fees: '1.00' }] },
    { country: 'DE', direction: 'received', flights: 1, people: 1, fees: [] },
  ])
  const next = await alice.call(insightAtlas, { query: { period: String(Number(period) - 1) } })
  expect(next).toMatchObject({ routes: [], flights: 0, people: 0, cost: { fees: '0.00', kept: '0.00' } })
})

test('figures read only the user’s transactions, by index, however many there are of others', async () => {
  const { pool } = world.database
  await pool.query('alter table transaction disable trigger user')
  await pool.query(
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id,
         description, source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
       select n % 20, gen_random_uuid(), gen_random_uuid(), 'SEND', 'COMPLETED', now(), n % 20, 7, gen_random_uuid(), '',
         1, 'USD', 1, 'USD', 0, 'USD' from generate_series(1, 20000) n`,
  )
  await pool.query('analyze transaction')
  const values = [alice.id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
  for (const kind of [undefined, 'spending', 'charged'] as const) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `explain with ${flowSql(kind)} select sum(amount) from flow`,
      values,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toMatch(/Seq Scan on transaction /)
    expect(plan).toMatch(/(?:Index Scan using transaction_\w+|Bitmap Heap Scan) on transaction t\b/)
  }
})
