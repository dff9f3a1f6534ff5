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

// Posts random movements, groups, repetitions and reused tokens; the database's answers and contents must equal those
// of a small model.

interface ModelAccount {
  readonly id: bigint
  readonly kind: 'wallet' | 'hold' | 'fee' | 'card_settlement'
  readonly currency: 'USD' | 'EUR'
  readonly owner: number
  balance: bigint
}

const permittedKeys = new Set(permittedMoves.map(({ from, to, code }) => `${from} ${to} ${code}`))

function createModel(accounts: ModelAccount[]) {
  const postedHashes = new Map<string, string>()
  const usedTokens = new Set<string>()

  function predictRefusal(legs: readonly Leg[], balances: Map<bigint, bigint>): string | undefined {
    for (const { from, to, amount, code } of legs) {
      const [payerAccount, payeeAccount] = [
        accounts.find(({ id }) => id === from),
        accounts.find(({ id }) => id === to),
      ]
      if (!payerAccount || !payeeAccount) return 'unknown_account'
      if (payerAccount.currency !== payeeAccount.currency) return 'currency_mismatch'
      if (payerAccount === payeeAccount || !permittedKeys.has(`${payerAccount.kind} ${payeeAccount.kind} ${code}`))
        return 'not_permitted'
      if ((code === 'reserve' || code === 'release') && payerAccount.owner !== payeeAccount.owner)
        return 'not_permitted'
      const remainingBalance = balances.get(from)! - amount
      if (remainingBalance < 0n && (payerAccount.kind === 'wallet' || payerAccount.kind === 'hold'))
        return 'insufficient_funds'
      balances.set(from, remainingBalance)
      balances.set(to, balances.get(to)! + amount)
    }
    return undefined
  }

  return function post(movement: Movement): string {
    const hash = postedHashes.get(movement.id)
    if (hash !== undefined) return hash === movement.requestHash.toString() ? 'replayed' : 'key_reused'
    if (movement.once !== undefined && usedTokens.has(movement.once)) return 'already_used'
    const balances = new Map(accounts.map(({ id, balance }) => [id, balance]))
    const refusalReason = predictRefusal(movement.legs, balances)
    if (refusalReason !== undefined) return refusalReason
    for (const account of accounts) account.balance = balances.get(account.id)!
    postedHashes.set(movement.id, movement.requestHash.toString())
    if (movement.once !== undefined) usedTokens.add(movement.once)
    return 'posted'
  }
}

const readOutcome = (outcome: Outcome): string => (outcome.status === 'refused' ? outcome.reason : outcome.status)

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

// Indexes in the list of accounts; `unknownIndex` names an account that does not exist. Valid steps are more frequent.
const [cardIndex, feeIndex, unknownIndex] = [8, 7, 9]
const wallet = fc.constantFrom(0, 2, 4)
const amount = fc.bigInt({ min: 1n, max: 60n })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(wallet, wallet, amount, fc.constant<MoveCode>('send')) },
  { weight: 3, arbitrary: fc.tuple(fc.constant(cardIndex), wallet, amount, fc.constant<MoveCode>('deposit')) },
  { weight: 2, arbitrary: fc.tuple(wallet, fc.constant(feeIndex), amount, fc.constant<MoveCode>('fee')) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(wallet, amount, fc.boolean())
      .map(([from, minor, isBack]): [number, number, bigint, MoveCode] =>
        isBack ? [from + 1, from, minor, 'release'] : [from, from + 1, minor, 'reserve'],
      ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.nat(unknownIndex),
      fc.nat(unknownIndex),
      amount,
      fc.constantFrom<MoveCode>('send', 'fee', 'release', 'settle', 'deposit'),
    ),
  },
)
const plan = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  /** Repeats an earlier movement or reuses its id. */
  repetition: fc.option(fc.record({ back: fc.nat(8), changed: fc.boolean() }), { freq: 6 }),
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
      const sentMovements: Movement[] = []
      const expected: string[] = []
      let pendingOutcomes: Promise<Outcome>[] = []
      const outcomes: Outcome[] = []
      for (const { steps, repetition, token, pause } of plans) {
        const legs = steps.map(([from, to, minor, code]) =>
          leg(accounts[from]?.id ?? 999_999_999n, accounts[to]?.id ?? 999_999_999n, minor, code),
        )
        let next = movement(legs, token === null ? {} : { once: tokens[token]! })
        const earlierMovement = repetition && sentMovements.at(-1 - repetition.back)
        if (earlierMovement) {
          // The poster chooses the order of movements in a group that share an id.
          outcomes.push(...(await Promise.all(pendingOutcomes)))
          pendingOutcomes = []
          next = repetition.changed ? { ...next, id: earlierMovement.id } : earlierMovement
          if (repetition.changed) next = { ...next, requestHash: Buffer.from(randomUUID()) }
        }
        sentMovements.push(next)
        expected.push(model(next))
        pendingOutcomes.push(poster.post(next))
        if (pause) {
          outcomes.push(...(await Promise.all(pendingOutcomes)))
          pendingOutcomes = []
        }
      }
      outcomes.push(...(await Promise.all(pendingOutcomes)))
      expect(outcomes.map(readOutcome)).toEqual(expected)
      const { rows } = await database.pool.query(
        `select coalesce(stripe_of, id) as id, sum(balance) as balance from ledger.account
          where coalesce(stripe_of, id) = any($1) group by 1`,
        [accounts.map(({ id }) => id)],
      )
      const actualBalances = new Map(rows.map((row) => [row.id, row.balance]))
      expect(accounts.map(({ id }) => actualBalances.get(id))).toEqual(accounts.map(({ balance }) => balance))
    }),
    { numRuns: 60, seed: 20_261_128 },
  )
  await poster.close()
  expect(await findUnsound(database.pool)).toEqual([])
})
