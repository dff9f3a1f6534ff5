import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { type Bank, createBarePoster, findUnsound, leg, movement, openBank } from '../test/bank.ts'
import { type MoveCode, permittedMoves } from './chart.ts'
import type { Leg, Movement, Outcome } from './movement.ts'

let database: TestDatabase
let bank: Bank

beforeAll(async () => {
  database = await createTestDatabase()
  bank = await openBank(database.pool)
})
afterAll(() => database.drop())

// Random movements, groups, repetitions and reused tokens: the database's answers and contents must equal those of this
// small model.

interface ModelAccount {
  readonly id: bigint
  readonly kind: 'wallet' | 'hold' | 'fee' | 'card_settlement'
  readonly currency: 'USD' | 'EUR'
  readonly owner: number
  balance: bigint
}

const permitted = new Set(permittedMoves.map(({ from, to, code }) => `${from} ${to} ${code}`))

function createModel(accounts: ModelAccount[]) {
  const posted = new Map<string, string>()
  const used = new Set<string>()

  function predictRefusal(legs: readonly Leg[], balances: Map<bigint, bigint>): string | undefined {
    for (const { from, to, amount, code } of legs) {
      const [giver, taker] = [accounts.find(({ id }) => id === from), accounts.find(({ id }) => id === to)]
      if (!giver || !taker) return 'unknown_account'
      if (giver.currency !== taker.currency) return 'currency_mismatch'
      if (giver === taker || !permitted.has(`${giver.kind} ${taker.kind} ${code}`)) return 'not_permitted'
      if ((code === 'reserve' || code === 'release') && giver.owner !== taker.owner) return 'not_permitted'
      const left = balances.get(from)! - amount
      if (left < 0n && (giver.kind === 'wallet' || giver.kind === 'hold')) return 'insufficient_funds'
      balances.set(from, left)
      balances.set(to, balances.get(to)! + amount)
    }
    return undefined
  }

  return function post(each: Movement): string {
    const hash = posted.get(each.id)
    if (hash !== undefined) return hash === each.requestHash.toString() ? 'replayed' : 'key_reused'
    if (each.once !== undefined && used.has(each.once)) return 'already_used'
    const balances = new Map(accounts.map(({ id, balance }) => [id, balance]))
    const refusal = predictRefusal(each.legs, balances)
    if (refusal !== undefined) return refusal
    for (const account of accounts) account.balance = balances.get(account.id)!
    posted.set(each.id, each.requestHash.toString())
    if (each.once !== undefined) used.add(each.once)
    return 'posted'
  }
}

const nameOf = (outcome: Outcome): string => (outcome.status === 'refused' ? outcome.reason : outcome.status)

async function openModelAccounts(): Promise<ModelAccount[]> {
  const users = await Promise.all(Array.from({ length: 3 }, () => bank.walletWithHold(0n)))
  const accounts = users.flatMap(({ wallet, hold }, owner): ModelAccount[] => [
    { id: wallet, kind: 'wallet', currency: 'USD', owner, balance: 0n },
    { id: hold, kind: 'hold', currency: 'USD', owner, balance: 0n },
  ])
  accounts.push({ id: await bank.wallet(0n, 'EUR'), kind: 'wallet', currency: 'EUR', owner: 9, balance: 0n })
  accounts.push({ id: bank.fee, kind: 'fee', currency: 'USD', owner: -1, balance: await bank.balance(bank.fee) })
  const card = await bank.balance(bank.card)
  accounts.push({ id: bank.card, kind: 'card_settlement', currency: 'USD', owner: -1, balance: card })
  return accounts
}

// Positions in the list of accounts; the last does not exist. Valid steps are favored.
const [cardPlace, feePlace, unknownPlace] = [8, 7, 9]
const wallet = fc.constantFrom(0, 2, 4)
const amount = fc.bigInt({ min: 1n, max: 60n })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(wallet, wallet, amount, fc.constant<MoveCode>('send')) },
  { weight: 3, arbitrary: fc.tuple(fc.constant(cardPlace), wallet, amount, fc.constant<MoveCode>('deposit')) },
  { weight: 2, arbitrary: fc.tuple(wallet, fc.constant(feePlace), amount, fc.constant<MoveCode>('fee')) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(wallet, amount, fc.boolean())
      .map(([from, minor, back]): [number, number, bigint, MoveCode] =>
        back ? [from + 1, from, minor, 'release'] : [from, from + 1, minor, 'reserve'],
      ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.nat(unknownPlace),
      fc.nat(unknownPlace),
      amount,
      fc.constantFrom<MoveCode>('send', 'fee', 'release', 'settle', 'deposit'),
    ),
  },
)
const plan = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  /** Repeats an earlier movement or reuses its id. */
  again: fc.option(fc.record({ back: fc.nat(8), changed: fc.boolean() }), { freq: 6 }),
  token: fc.option(fc.nat(3), { freq: 5 }),
  /** True if the next movement waits for this one's answer. */
  pause: fc.boolean(),
})

test('random movements have the outcomes of a simple model', async () => {
  const poster = createBarePoster(database.url)
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 5, maxLength: 60 }), async (plans) => {
      const accounts = await openModelAccounts()
      const model = createModel(accounts)
      const tokens = Array.from({ length: 4 }, () => randomUUID())
      const sent: Movement[] = []
      const expected: string[] = []
      let waiting: Promise<Outcome>[] = []
      const outcomes: Outcome[] = []
      for (const { steps, again, token, pause } of plans) {
        const legs = steps.map(([from, to, minor, code]) =>
          leg(accounts[from]?.id ?? 999_999_999n, accounts[to]?.id ?? 999_999_999n, minor, code),
        )
        let next = movement(legs, token === null ? {} : { once: tokens[token]! })
        const earlier = again && sent.at(-1 - again.back)
        if (earlier) {
          // Among movements that share an id in a group, the poster chooses the order.
          outcomes.push(...(await Promise.all(waiting)))
          waiting = []
          next = again.changed ? { ...next, id: earlier.id } : earlier
          if (again.changed) next = { ...next, requestHash: Buffer.from(randomUUID()) }
        }
        sent.push(next)
        expected.push(model(next))
        waiting.push(poster.post(next))
        if (pause) {
          outcomes.push(...(await Promise.all(waiting)))
          waiting = []
        }
      }
      outcomes.push(...(await Promise.all(waiting)))
      expect(outcomes.map(nameOf)).toEqual(expected)
      const { rows } = await database.pool.query(
        `select coalesce(stripe_of, id) as id, sum(balance) as balance from ledger.account
          where coalesce(stripe_of, id) = any($1) group by 1`,
        [accounts.map(({ id }) => id)],
      )
      const actual = new Map(rows.map((row) => [row.id, row.balance]))
      expect(accounts.map(({ id }) => actual.get(id))).toEqual(accounts.map(({ balance }) => balance))
    }),
    { numRuns: 60, seed: 20_261_128 },
  )
  await poster.close()
  expect(await findUnsound(database.pool)).toEqual([])
})
