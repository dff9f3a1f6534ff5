import { randomUUID } from 'node:crypto'
import { walletAccount } from '@tern/ledger/chart'
import { parseDecimal } from '@tern/money/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { isFullRun } from '@tern/testkit/length'
import { completeBalanceDays } from './balance-days.ts'
import { readHistory } from './history.ts'
import type { Wallet } from '../wallets.ts'

const database = await openTestDatabase()
// Allows direct inserts, since the posting function writes no entries in the past.
await database.pool.query(
  ['entry', 'account', 'posting'].map((table) => `alter table ledger.${table} disable trigger user`).join('; '),
)

const hourMs = 3_600_000
const now = new Date('2026-11-22T15:00:00Z')

interface Movement {
  /** Hours ago. */
  readonly hours: number
  /** Changes in cents, one per entry. */
  readonly amounts: readonly number[]
  /** Movement that this one reverses. */
  readonly returnOf?: Movement
}

/** Creates the base-currency account of a new wallet with these movements, oldest first. */
async function createWalletWith(movements: readonly Movement[]): Promise<Wallet> {
  const wallet: Wallet = { id: randomUUID(), userId: 1n, name: 'Main', baseCurrency: 'USD' }
  const { name, kind, currency } = walletAccount(wallet.id, 'USD')
  const references = new Map(movements.map((movement) => [movement, randomUUID()]))
  const entries = movements.flatMap((movement) => {
    const [posting, reference] = [randomUUID(), references.get(movement.returnOf ?? movement)]
    const at = new Date(now.getTime() - movement.hours * hourMs)
    return movement.amounts.map((amount) => ({ posting, reference, amount, at }))
  })
  await database.pool.query(
    `insert into ledger.posting (id, request_hash, kind, reference, created_at)
       select distinct on (id) id, '', 'wallet_send', reference, at
         from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as posting (id, reference, at)`,
    [entries.map(({ posting }) => posting), entries.map((entry) => entry.reference), entries.map(({ at }) => at)],
  )
  let balance = 0
  const balances = entries.map(({ amount }) => (balance += amount))
  const { rows } = await database.pool.query<{ id: bigint }>(
    'insert into ledger.account (name, kind, currency, floor, balance, version) values ($1, $2, $3, 0, $4, $5) returning id',
    [name, kind, currency, balance, entries.length],
  )
  await database.pool.query(
    `insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
       select $1, version, posting_id, 0, amount, balance, at
         from unnest($2::uuid[], $3::numeric[], $4::numeric[], $5::timestamptz[]) with ordinality
           as entry (posting_id, amount, balance, at, version)`,
    [
      rows[0]?.id,
      entries.map(({ posting }) => posting),
      entries.map(({ amount }) => amount),
      balances,
      entries.map(({ at }) => at),
    ],
  )
  return wallet
}

const parseMinor = (amount: string) => Number(parseDecimal('USD', amount).minor)

/** Returns the history that these movements should produce. */
function computeExpected(movements: readonly Movement[], days: number) {
  const changes = movements.map(({ hours, amounts }) => ({
    hours,
    change: amounts.reduce((sum, amount) => sum + amount, 0),
  }))
  const sum = (values: readonly { change: number }[]) => values.reduce((total, { change }) => total + change, 0)
  const changesInRange = changes.filter(({ hours }) => hours < days * 24)
  const total = sum(changes)
  return {
    opening: total - sum(changesInRange),
    closing: total,
    in: sum(changesInRange.filter(({ change }) => change > 0)),
    out: 0 - sum(changesInRange.filter(({ change }) => change < 0)),
    balances: changesInRange.map((_, index) => total - sum(changesInRange.slice(index + 1))),
  }
}

async function read(wallet: Wallet, days: number) {
  const history = await readHistory(database.pool, { wallet, days, to: now })
  return {
    opening: parseMinor(history.opening_balance),
    closing: parseMinor(history.closing_balance),
    in: parseMinor(history.money_in),
    out: parseMinor(history.money_out),
    balances: history.points.map((point) => parseMinor(point.balance)),
  }
}

/** Movements that never overdraw: every second one debits part of the previous credit. */
const movementsArbitrary = (maxCount: number) =>
  fc
    .array(
      fc.record({
        gap: fc.integer({ min: 0, max: 200 }),
        cents: fc.integer({ min: 2, max: 900 }),
        split: fc.boolean(),
      }),
      {
        minLength: 0,
        maxLength: maxCount,
      },
    )
    .map((steps) => {
      const totalGap = steps.reduce((sum, { gap }) => sum + gap, 0)
      let elapsedHours = 0
      return steps.map(({ gap, cents, split }, index): Movement => {
        elapsedHours += gap
        const amounts = index % 2 === 0 ? [1000 + cents] : split ? [-cents + 1, -1] : [-cents]
        return { hours: totalGap - elapsedHours, amounts: amounts.filter((amount) => amount !== 0) }
      })
    })

test('a short history shows every movement and the balance before', async () => {
  await fc.assert(
    fc.asyncProperty(movementsArbitrary(60), fc.constantFrom(30, 90, 365), async (movements, days) => {
      expect(await read(await createWalletWith(movements), days)).toEqual(computeExpected(movements, days))
    }),
    { numRuns: 30, seed: 20_261_128 },
  )
})

/** Evenly spaced movements, the last one now; every sixth has two entries. */
const generateMovements = (count: number, days: number): Movement[] =>
  Array.from({ length: count }, (_, index) => ({
    hours: ((count - 1 - index) * days * 24) / count,
    amounts: index % 2 === 0 ? [1000 + (index % 17)] : index % 3 === 0 ? [-100, -(index % 7) - 1] : [-(index % 90) - 1],
  }))

test('a long history has exact sums and points', async () => {
  const movements = generateMovements(9000, 500)
  const wallet = await createWalletWith(movements)
  let balance = 0
  const balanceAt = new Map(
    movements.map(({ hours, amounts }) => {
      balance += amounts.reduce((sum, amount) => sum + amount, 0)
      return [new Date(now.getTime() - hours * hourMs).getTime(), balance]
    }),
  )
  for (const days of [365, 90, 30]) {
    const [history, expectedHistory] = [await read(wallet, days), computeExpected(movements, days)]
    expect({ ...history, balances: [] }).toEqual({ ...expectedHistory, balances: [] })
    expect(history.balances.length).toBeGreaterThan(249)
    expect(history.balances.length).toBeLessThanOrEqual(501)
    const storedHistory = await readHistory(database.pool, { wallet, days, to: now })
    for (const point of storedHistory.points)
      expect(parseMinor(point.balance)).toBe(balanceAt.get(Date.parse(point.at)))
    expect(history.balances.at(-1)).toBe(expectedHistory.closing)
  }
})

test.each([40, 4000])('of %i sends, those returned on the same day count neither as in nor as out', async (count) => {
  const hours = (index: number) => ((count - index) * 300 * 24) / count
  const sends = Array.from({ length: count }, (_, index): Movement => ({ hours: hours(index), amounts: [-1000] }))
  const returnedSends = sends.filter((_, index) => index % 4 === 0)
  const refundedSends = sends.filter((send, index) => index % 8 === 1 && send.hours > 36)
  const buildReturn = (returnOf: Movement, hoursLater: number): Movement => ({
    hours: returnOf.hours - hoursLater,
    amounts: [1000],
    returnOf,
  })
  const movements = [
    { hours: 300 * 24 + 1, amounts: [count * 1000] },
    ...sends,
    ...returnedSends.map((send) => buildReturn(send, 0)),
    ...refundedSends.map((send) => buildReturn(send, 36)),
  ]
  const wallet = await createWalletWith(movements.toSorted((a, b) => b.hours - a.hours))
  const expectedSums = { in: (count + refundedSends.length) * 1000, out: (count - returnedSends.length) * 1000 }
  expect(await read(wallet, 365)).toMatchObject(expectedSums)
  await completeBalanceDays(database.pool, now)
  expect(await read(wallet, 365), 'from summed days').toMatchObject(expectedSums)
})

test('days summed by the worker are used, completed and counted once', async () => {
  const movements = generateMovements(6000, 300)
  const wallet = await createWalletWith(movements)
  const loadDays = async () => {
    const { rows } = await database.pool.query<{ day: string }>(
      `select day from balance_day where account_id = (select id from ledger.account where name = $1) order by day`,
      [walletAccount(wallet.id, 'USD').name],
    )
    return rows.map(({ day }) => day)
  }
  const oneWeekAgo = new Date(now.getTime() - 7 * 24 * hourMs)
  await completeBalanceDays(database.pool, oneWeekAgo)
  expect((await loadDays()).at(-1)).toBe('2026-11-14')
  await Promise.all([read(wallet, 365), read(wallet, 365), completeBalanceDays(database.pool, now)])
  // Today is not over.
  expect((await loadDays()).at(-1)).toBe('2026-11-21')
  expect({ ...(await read(wallet, 365)), balances: [] }).toEqual({ ...computeExpected(movements, 365), balances: [] })
})

test('eight concurrent readers sum the same days without error', async () => {
  const movements = generateMovements(6000, 300)
  for (let round = 0; round < (isFullRun ? 3 : 1); round++) {
    const wallet = await createWalletWith(movements)
    await Promise.all(Array.from({ length: 8 }, () => read(wallet, 365)))
    expect({ ...(await read(wallet, 365)), balances: [] }).toEqual({ ...computeExpected(movements, 365), balances: [] })
  }
})

test('clock skew changes no sum', async () => {
  const movements = generateMovements(6000, 300).map(({ hours, amounts }, index) => ({
    hours: index % 5 === 0 ? hours + 0.001 * (index % 11) : hours,
    amounts,
  }))
  const wallet = await createWalletWith(movements)
  await completeBalanceDays(database.pool, now)
  const history = await read(wallet, 365)
  expect({ ...history, balances: [] }).toEqual({ ...computeExpected(movements, 365), balances: [] })
})
