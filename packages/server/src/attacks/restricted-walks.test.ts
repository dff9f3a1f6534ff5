// Random sequences of payments among people: withdrawable money never exceeds the unrestricted money deposited.

import { randomUUID } from 'node:crypto'
import { withdraw, withdrawalEstimate } from '@tern/contract/banking'
import { cancelTransfer, settleTransfer } from '@tern/contract/transfers'
import { loadAvailable, exchange, minorText } from '@tern/testkit/attacks/transfer-methods'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ageRestrictions } from '../../../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { linkAccount } from '@tern/testkit/payments'
import { raiseLimits } from '@tern/testkit/people'
import { raiseMovementCounts, restoreMaturityPolicy } from '@tern/testkit/risk'
import { readCode, send } from '@tern/testkit/attacks/attack'

const peopleCount = 4
const stepCount = isFullRun ? 400 : 120

let world: TestApp
let people: TestPerson[]
let accounts: string[]

beforeAll(async () => {
  world = await startTestApp({ unconfirmedPayments: 'any' })
  const { pool } = world.database
  await raiseLimits(pool)
  await raiseMovementCounts(pool)
  await restoreMaturityPolicy(pool)
  people = []
  accounts = []
  for (let n = 0; n < peopleCount; n += 1) {
    const person = await world.enroll(`walker${n}`, 'United States')
    people.push(person)
    accounts.push(await linkAccount(world, person))
  }
})
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await world.close()
})

const personArbitrary = fc.nat(peopleCount - 1)
const cents = fc.integer({ min: 100, max: 6_000 })
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ act: fc.constant('card' as const), from: personArbitrary, cents }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('mature' as const), from: personArbitrary, cents }) },
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constant('send' as const), from: personArbitrary, to: personArbitrary, cents }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('undoable' as const), from: personArbitrary, to: personArbitrary, cents }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('settle', 'cancel'), from: personArbitrary }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('buy', 'sell'), from: personArbitrary, cents }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('withdraw' as const), from: personArbitrary, cents }) },
)

/** Unrestricted deposits in dollars minus withdrawals, in minor units. */
interface FreeBalance {
  cents: bigint
}

/** Ids of pending undoable sends, by sender. */
const openSends = new Map<number, string[]>()

async function takeStep(
  walkStep: typeof step extends fc.Arbitrary<infer S> ? S : never,
  freeBalance: FreeBalance,
): Promise<void> {
  const person = people[walkStep.from]!
  if (walkStep.act === 'settle' || walkStep.act === 'cancel') {
    const id = openSends.get(walkStep.from)?.pop()
    const call = walkStep.act === 'settle' ? settleTransfer : cancelTransfer
    if (id !== undefined) await person.call(call, { params: { id } })
    return
  }
  if (!('cents' in walkStep)) return
  const amount = minorText(BigInt(walkStep.cents), 2)
  if (walkStep.act === 'card') await world.fund(person, walkStep.cents)
  if (walkStep.act === 'mature') {
    // Makes this deposit unrestricted, but no other money of the person.
    const { paymentId } = await world.fund(person, walkStep.cents)
    await world.database.pool.query('delete from restricted_money where origin = $1', [paymentId])
    freeBalance.cents += BigInt(walkStep.cents)
  }
  if (walkStep.act === 'buy') await settleCall(exchange(person, 'USD', 'USDT', amount))
  if (walkStep.act === 'sell') await settleCall(exchange(person, 'USDT', 'USD', amount))
  if (walkStep.act === 'withdraw') {
    const body = { amount, currency: 'USD', bankAccountId: accounts[walkStep.from]! } as const
    const code = readCode(await settleCall(person.call(withdraw, { body, idempotencyKey: randomUUID() })))
    expect(['passed', 'money_not_mature', 'insufficient_funds']).toContain(code)
    if (code === 'passed') freeBalance.cents -= BigInt(walkStep.cents)
  }
  if ((walkStep.act === 'send' || walkStep.act === 'undoable') && walkStep.to !== walkStep.from) {
    const outcome = await send(
      person,
      people[walkStep.to]!,
      amount,
      walkStep.act === 'undoable' ? { undo_seconds: 86_400 } : {},
    )
    if (walkStep.act === 'undoable' && 'transaction_id' in outcome)
      openSends.set(walkStep.from, [...(openSends.get(walkStep.from) ?? []), String(outcome.transaction_id)])
  }
}

/** Total unrestricted money of a currency in all wallets and holds, except withdrawals in flight, in minor units. */
async function loadUnrestricted(currency: 'USD' | 'USDT'): Promise<bigint> {
  const { rows } = await world.database.pool.query<{ minor: bigint }>(
    `select coalesce(sum(a.balance), 0) - coalesce((select sum(minor) from restricted_money r where r.currency = $1), 0)
         - coalesce((select sum(amount_minor) from payout where currency = $1 and status in ('held', 'pending')), 0) as minor
       from ledger.account a where a.kind in ('wallet', 'hold') and a.currency = $1`,
    [currency],
  )
  return rows[0]?.minor ?? 0n
}

test('in any walk, withdrawals to banks never exceed unrestricted deposits', async () => {
  const freeBalance: FreeBalance = { cents: 0n }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 20 }), async (steps) => {
      for (const walkStep of steps) {
        await takeStep(walkStep, freeBalance)
        // One USDT counts as one dollar, rounded down to the cent.
        const coins = (await loadUnrestricted('USDT')) / 10_000n
        const dollars = await loadUnrestricted('USD')
        expect(dollars).toBeGreaterThanOrEqual(0n)
        expect(dollars + coins).toBeLessThanOrEqual(freeBalance.cents)
      }
    }),
    { numRuns: stepCount / 20, seed: 29, endOnFailure: true },
  )
  for (const [index, person] of people.entries()) {
    for (const id of openSends.get(index) ?? []) await person.call(cancelTransfer, { params: { id } })
    const coins = await loadAvailable(person, 'USDT')
    if (Number(coins) > 1) await exchange(person, 'USDT', 'USD', String(Math.floor(Number(coins) * 0.98)))
  }
  let remainingCents = 0n
  for (const [index, person] of people.entries()) {
    const { withdrawable } = await person.call(withdrawalEstimate, { query: { bankAccountId: accounts[index]! } })
    remainingCents += BigInt(withdrawable.replace('.', ''))
  }
  expect(remainingCents).toBeLessThanOrEqual(freeBalance.cents)
  for (const person of people) await ageRestrictions(world.database.pool, person.id, 14 * 24)
  for (const [index, person] of people.entries()) {
    const { withdrawable } = await person.call(withdrawalEstimate, { query: { bankAccountId: accounts[index]! } })
    expect(withdrawable).toBe((await person.wallet()).fiat_balance)
  }
})
