import { walletTotals } from '@tern/contract/wallets'
import { walletAccount } from '@tern/ledger/chart'
import { money, toDecimal } from '@tern/money/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitForDayStart } from '../../../../../../tools/aging.ts'
import type { TestApp, TestPerson } from '@tern/testkit/app'
import { sendTo } from '@tern/testkit/disputes'
import { exchangeDollars, startWithSpender } from '@tern/testkit/spending'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson
let carol: TestPerson

beforeAll(async () => {
  ;({ world, alice, bruno, carol } = await startWithSpender())
})
afterAll(() => world.close())

const loadTotals = async (since?: string, person = alice) =>
  person.call(walletTotals, { params: { id: (await person.wallet()).id }, query: since === undefined ? {} : { since } })

/** Reads the total change and fees of every posting that touched the wallet, from the ledger. */
async function loadLedgerTotals(walletId: string) {
  const { rows } = await world.database.pool.query<{ change: bigint; fee: bigint }>(
    `select coalesce(sum(entry.amount) filter (where account.name = $1), 0)::numeric as change,
        coalesce(sum(entry.amount) filter (where account.kind = 'fee' and account.currency = 'USD'), 0)::numeric as fee
       from ledger.entry join ledger.account on account.id = entry.account_id
      where posting_id in (
        select posting_id from ledger.entry join ledger.account on account.id = account_id where account.name = $1)
      group by posting_id`,
    [walletAccount(walletId, 'USD').name],
  )
  const formatMinor = (minor: bigint) => toDecimal(money('USD', minor))
  const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
  const changes = rows.map((row) => row.change)
  return {
    money_in: formatMinor(sum(changes.filter((change) => change > 0n))),
    money_out: formatMinor(-sum(changes.filter((change) => change < 0n))),
    fees: formatMinor(sum(rows.filter((row) => row.change < 0n).map((row) => row.fee))),
  }
}

test('totals equal the ledger, and a bank is compared with every fee that left the balance', async () => {
  await sendTo(alice, bruno, '100.00')
  await sendTo(alice, carol, '20.00')
  await exchangeDollars(alice, '30.00')

  const totals = await loadTotals()
  // The fees are 1 % of 100, 0.5 % of 20 and 1 % of 30.
  expect(totals).toMatchObject({ currency: 'USD', money_in: '500.00', money_out: '151.40', fees: '1.40' })
  expect(totals).toMatchObject(await loadLedgerTotals((await alice.wallet()).id))
  // The bank's 11.48 less all fees, 1.40, which include those of domestic sends and of the exchange.
  expect(totals.abroad).toEqual({ amount: '100.00', bank_cost: '11.48', kept: '10.08' })
  expect(totals.example).toEqual({ amount: '200.00', fee: '2.00', total: '202.00', bank_cost: '22.96', kept: '20.96' })
})

test('totals begin at the requested time, by default with the month, and at most 366 days back', async () => {
  await waitForDayStart(() => new Date())
  const now = new Date()
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
  expect((await loadTotals()).from).toBe(month.toISOString())
  const laterTotals = await loadTotals(new Date(Date.now() + 60_000).toISOString())
  expect(laterTotals).toMatchObject({ money_in: '0.00', money_out: '0.00', fees: '0.00', abroad: { amount: '0.00' } })
  const oldestTime = Date.parse((await loadTotals('2001-01-01T00:00:00Z')).from)
  expect(Math.round((Date.now() - oldestTime) / 86_400_000)).toBe(366)
})

test('a wallet without movements has an example in its own currency, and another user’s wallet is not found', async () => {
  expect(await loadTotals(undefined, bruno)).toMatchObject({ currency: 'EUR', fees: '0.00', money_out: '0.00' })
  const upperCaseId = (await bruno.wallet()).id.toUpperCase()
  expect((await world.raw('GET', `/wallet/${upperCaseId}/totals`, { token: bruno.token })).status).toBe(200)
  const answer = await world.raw('GET', `/wallet/${(await bruno.wallet()).id}/totals`, { token: alice.token })
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  const invalidAnswer = await world.raw('GET', `/wallet/${(await bruno.wallet()).id}/totals?since=yesterday`, {
    token: bruno.token,
  })
  expect([invalidAnswer.status, invalidAnswer.body.errors[0].field]).toEqual([422, 'since'])
})

test('the id of the wallet is read in any case, as in its other addresses', async () => {
  const { id } = await alice.wallet()
  for (const part of ['totals', 'history', 'transactions']) {
    const { status } = await world.raw('GET', `/wallet/${id.toUpperCase()}/${part}`, { token: alice.token })
    expect([part, status]).toEqual([part, 200])
  }
})
