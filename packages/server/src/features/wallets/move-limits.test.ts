import { reasons } from '@tern/messages/en/problems'
import { type Coded, sentence } from '@tern/messages/message'
import type { RefusalDetails } from '../../platform/refuse.ts'
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { bankAccount, holdAccount, walletAccount } from '@tern/ledger/chart'
import { openAccounts } from '@tern/ledger/ledger'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { transact } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refuse.ts'
import { createMover, type MoveOutcome, type MoveRequest } from './move.ts'
import {
  countUnchecked,
  countLimitUsage,
  type LimitMethod,
  readLimits,
  reverseLimitUsage,
  buildUsage,
} from '../limits/limits.ts'

let lastUserId = 1_000_000_000n

const database = await openTestDatabase()
/** Three posters with connections of their own, as in three processes. */
const movers = Array.from({ length: 3 }, () => createMover({ databaseUrl: database.url, pool: database.pool }))
const bank = (await openAccounts(database.pool, [bankAccount('USD')]))[0]!
await database.pool.query('create table first_policy as select * from limit_policy')
afterAll(() => Promise.all(movers.map((mover) => mover.close())))
afterEach(async () => {
  await database.pool.query('delete from limit_policy')
  await database.pool.query('insert into limit_policy select * from first_policy')
})

interface Person {
  readonly userId: bigint
  readonly wallet: bigint
  readonly hold: bigint
}

async function newPerson(state = 'verified', country = 'Germany'): Promise<Person> {
  const userId = (lastUserId += 1n)
  const walletId = randomUUID()
  const { pool } = database
  await pool.query(
    `insert into app_user (id, email, username, kyc_status, created_at) values ($1, $3, $3, $2, now())`,
    [userId, state, `user${userId}`],
  )
  await pool.query(
    `insert into kyc_submission (id, user_id, status, first_name, last_name, date_of_birth, country, nationality, email,
       document_type, currency_preference, street_address, city, state, postal_code, numbers, submitted_at, last_polled_at, provider)
     values ($1, $2, 'verified', '', '', '1990-01-01', $3, '', '', '', '', '', '', '', '', '', now(), now(), 'sandbox')`,
    [randomUUID(), userId, country],
  )
  const [wallet, hold] = await openAccounts(pool, [walletAccount(walletId, 'USD'), holdAccount(walletId, 'USD')])
  const person = { userId, wallet: wallet!, hold: hold! }
  await movers[0]!.move(
    movement([{ from: bank, to: person.wallet, amount: 1_000_000_000n, code: 'deposit' }], new Date()),
  )
  return person
}

function movement(legs: MoveRequest['movement']['legs'], at: Date): MoveRequest {
  const id = randomUUID()
  const requestHash = createHash('sha256').update(id).digest()
  return { movement: { id, requestHash, kind: 'test', reference: randomUUID(), at, legs }, rows: [] }
}

/** Builds a movement of one cent that counts as `usdMinor`. */
const buildMove = ({ userId, wallet, hold }: Person, method: LimitMethod, usdMinor: bigint, at: Date): MoveRequest => ({
  ...movement([{ from: wallet, to: hold, amount: 1n, code: 'reserve' }], at),
  usage: buildUsage(userId, method, usdMinor, at),
})

const isPull = (method: LimitMethod) => method === 'card' || method === 'bank'

/** Moves through one of the posters, or counts a pull, and returns the outcome. */
async function attemptMove(
  person: Person,
  method: LimitMethod,
  usdMinor: bigint,
  { at, by = 0 }: { at: Date; by?: number },
) {
  if (isPull(method)) {
    return transact(database.pool, (tx) =>
      countLimitUsage(tx, { usages: [buildUsage(person.userId, method, usdMinor, at)], at }),
    ).then(
      () => 'posted',
      (error: unknown) => (error instanceof Refusal ? error.code : Promise.reject(error as Error)),
    )
  }
  const outcome = await movers[by % movers.length]!.move(buildMove(person, method, usdMinor, at))
  return readOutcome(outcome)
}

const readOutcome = (outcome: MoveOutcome) => (outcome.status === 'refused' ? outcome.reason : outcome.status)

type Policy = Partial<{
  state: string
  country: string
  direction: 'out' | 'in'
  method: LimitMethod
  period: 'payment' | 'day' | '30_days'
  max: bigint
  movements: number
}>

async function limit({
  state = 'verified',
  country,
  direction = 'out',
  method,
  period = 'day',
  max,
  movements,
}: Policy) {
  await database.pool.query(
    `insert into limit_policy values ($1, $2, $3, $4, $5, $6, $7) on conflict on constraint limit_policy_key
       do update set max_usd_minor = excluded.max_usd_minor, max_movements = excluded.max_movements`,
    [state, country, direction, method, period, max, movements],
  )
}

const toMarchDate = (number: number, hour = 10) => new Date(Date.UTC(2026, 2, number, hour))

describe('the default limits', () => {
  test('allow verified users 10,000 dollars at once, 15,000 a day, 50,000 in 30 days, each way', async () => {
    for (const method of ['transfer', 'bank'] as const) {
      const person = await newPerson()
      const tryMove = async (usdMinor: bigint, day: number) =>
        attemptMove(person, method, usdMinor, { at: toMarchDate(day) })
      expect(await tryMove(1_000_001n, 1)).toBe('limit_exceeded')
      expect(await tryMove(1_000_000n, 1)).toBe('posted')
      expect(await tryMove(500_001n, 1)).toBe('limit_exceeded')
      expect(await tryMove(500_000n, 1)).toBe('posted')
      expect(await tryMove(1n, 1)).toBe('limit_exceeded')
      for (const day of [2, 3]) for (const part of [900_000n, 600_000n]) expect(await tryMove(part, day)).toBe('posted')
      expect(await tryMove(500_001n, 4)).toBe('limit_exceeded')
      expect(await tryMove(500_000n, 4)).toBe('posted')
      expect(await tryMove(1n, 30), 'day 1 still counts on day 30').toBe('limit_exceeded')
      expect(await tryMove(1_000_000n, 31), 'and no longer on day 31').toBe('posted')
    }
  })

  test.each(['not_started', 'pending', 'in_review', 'needs_information', 'rejected'])(
    'block all outgoing and pulled money of a user who is %s',
    async (state) => {
      const person = await newPerson(state)
      expect(await attemptMove(person, 'transfer', 1n, { at: toMarchDate(1) })).toBe('limit_exceeded')
      expect(await attemptMove(person, 'card', 1n, { at: toMarchDate(1) })).toBe('limit_exceeded')
    },
  )

  test('hold for an unknown user', async () => {
    const person = { ...(await newPerson()), userId: 1n }
    expect(await attemptMove(person, 'transfer', 1n, { at: toMarchDate(1) })).toBe('limit_exceeded')
  })
})

describe('a changed limit applies at once to users who have moved today', () => {
  test.each<[string, (person: Person) => Promise<unknown>]>([
    ['a policy', () => limit({ max: 100n })],
    ['a policy of their country', () => limit({ max: 100n, country: 'Germany' })],
    ['a number of movements', () => limit({ movements: 1 })],
    [
      'a limit of their own',
      ({ userId }) =>
        database.pool.query(`insert into own_limit values ($1, 'out', '30_days', 100, null, null)`, [userId]),
    ],
    [
      'their verification',
      ({ userId }) => database.pool.query(`update app_user set kyc_status = 'rejected' where id = $1`, [userId]),
    ],
  ])('%s', async (_, change) => {
    const person = await newPerson()
    expect(await attemptMove(person, 'transfer', 100n, { at: toMarchDate(1) })).toBe('posted')
    await change(person)
    expect(await attemptMove(person, 'transfer', 1n, { at: toMarchDate(1) })).toBe('limit_exceeded')
  })

  test('a limit of one country replaces the general one there only', async () => {
    await limit({ max: 100n, country: 'Japan' })
    await limit({ max: 2_000_000n, country: 'France' })
    await limit({ max: 5_000_000n, period: 'payment' })
    const [germanPerson, frenchPerson, japanesePerson] = [
      await newPerson(),
      await newPerson('verified', 'France'),
      await newPerson('verified', 'Japan'),
    ]
    expect(await attemptMove(japanesePerson, 'transfer', 101n, { at: toMarchDate(1) })).toBe('limit_exceeded')
    expect(await attemptMove(germanPerson, 'transfer', 1_500_000n, { at: toMarchDate(1) })).toBe('posted')
    expect(await attemptMove(germanPerson, 'transfer', 1n, { at: toMarchDate(1) })).toBe('limit_exceeded')
    expect(await attemptMove(frenchPerson, 'transfer', 2_000_000n, { at: toMarchDate(1) })).toBe('posted')
  })

  test('a lower limit applies to the movement after a concurrent first one of the day', async () => {
    for (let round = 0; round < 20; round += 1) {
      const person = await newPerson()
      await Promise.all([
        attemptMove(person, 'transfer', 100n, { at: toMarchDate(1) }),
        database.pool.query(`insert into own_limit values ($1, 'out', 'day', 100, null, null)`, [person.userId]),
      ])
      expect(await attemptMove(person, 'transfer', 1n, { at: toMarchDate(1), by: round })).toBe('limit_exceeded')
    }
  })
})

test('a movement booked late on an earlier day leaves less for the days after it', async () => {
  await limit({ period: '30_days', max: 100n })
  const person = await newPerson()
  const tryMove = async (usdMinor: bigint, day: number) =>
    attemptMove(person, 'transfer', usdMinor, { at: toMarchDate(day) })
  expect(await tryMove(10n, 2)).toBe('posted')
  expect(await tryMove(80n, 1)).toBe('posted')
  expect(await tryMove(11n, 2)).toBe('limit_exceeded')
  expect(await tryMove(5n, 2)).toBe('posted')
  // Money that has arrived counts even above a limit.
  await transact(database.pool, (tx) =>
    countUnchecked(tx, { usages: [buildUsage(person.userId, 'transfer', 5n, toMarchDate(1))], at: toMarchDate(3) }),
  )
  expect(await tryMove(1n, 2)).toBe('limit_exceeded')
})

test('a movement booked late counts with those up to 29 days after it', async () => {
  await limit({ period: '30_days', max: 100n })
  const [person, otherPerson, payee] = [await newPerson(), await newPerson(), await newPerson()]
  expect(await attemptMove(person, 'transfer', 60n, { at: toMarchDate(30) })).toBe('posted')
  expect(await attemptMove(person, 'transfer', 41n, { at: toMarchDate(1) })).toBe('limit_exceeded')
  expect(await attemptMove(person, 'transfer', 40n, { at: toMarchDate(1) })).toBe('posted')
  expect(await attemptMove(person, 'transfer', 1n, { at: toMarchDate(30) })).toBe('limit_exceeded')
  expect(await attemptMove(otherPerson, 'transfer', 60n, { at: toMarchDate(31) })).toBe('posted')
  expect(await attemptMove(otherPerson, 'transfer', 100n, { at: toMarchDate(1) })).toBe('posted')
  // The same holds on a day that has movements already.
  expect(await attemptMove(payee, 'transfer', 10n, { at: toMarchDate(1) })).toBe('posted')
  expect(await attemptMove(payee, 'transfer', 60n, { at: toMarchDate(20) })).toBe('posted')
  expect(await attemptMove(payee, 'transfer', 31n, { at: toMarchDate(1) })).toBe('limit_exceeded')
  expect(await attemptMove(payee, 'transfer', 30n, { at: toMarchDate(1) })).toBe('posted')
})

test('usage expires after 30 days, also when the free room is unknown', async () => {
  await limit({ period: '30_days', max: 100n })
  // Makes every movement check its limits individually.
  await limit({ method: 'payout', max: 1n })
  const person = await newPerson()
  expect(await attemptMove(person, 'transfer', 60n, { at: toMarchDate(1) })).toBe('posted')
  expect(await attemptMove(person, 'transfer', 41n, { at: toMarchDate(30) })).toBe('limit_exceeded')
  expect(await attemptMove(person, 'transfer', 100n, { at: toMarchDate(31) })).toBe('posted')
})

test('usage counted on an earlier day during a later movement leaves less for it', async () => {
  await limit({ period: '30_days', max: 100n })
  const person = await newPerson()
  const tryMove = async (usdMinor: bigint, day: number) =>
    attemptMove(person, 'transfer', usdMinor, { at: toMarchDate(day) })
  expect(await tryMove(10n, 2)).toBe('posted')
  expect(await tryMove(10n, 1)).toBe('posted')
  let concurrentMove: Promise<string> | undefined
  await transact(database.pool, async (tx) => {
    await countUnchecked(tx, {
      usages: [buildUsage(person.userId, 'transfer', 50n, toMarchDate(1))],
      at: toMarchDate(3),
    })
    concurrentMove = tryMove(1n, 2)
    await Promise.race([concurrentMove, delay(500)])
  })
  expect(await concurrentMove).toBe('posted')
  expect(await tryMove(30n, 2)).toBe('limit_exceeded')
  expect(await tryMove(29n, 2)).toBe('posted')
})

test('first movements of the day by many users in one batch are counted and limited, also after earlier days', async () => {
  await limit({ period: 'day', max: 100n })
  await limit({ period: '30_days', max: 150n })
  const people = await Promise.all(Array.from({ length: 24 }, () => newPerson()))
  const moveAll = (usdMinor: (index: number) => bigint, day: number) =>
    Promise.all(
      people.map((person, index) => attemptMove(person, 'transfer', usdMinor(index), { at: toMarchDate(day) })),
    )
  const buildExpectedOutcomes = (fitsLimit: (index: number) => boolean) =>
    people.map((_, index) => (fitsLimit(index) ? 'posted' : 'limit_exceeded'))
  expect(await moveAll((index) => (index % 3 === 0 ? 101n : 90n), 1)).toEqual(
    buildExpectedOutcomes((index) => index % 3 !== 0),
  )
  expect(await moveAll(() => 61n, 2)).toEqual(buildExpectedOutcomes((index) => index % 3 === 0))
  expect(await moveAll(() => 60n, 2)).toEqual(buildExpectedOutcomes((index) => index % 3 !== 0))
  const { rows } = await database.pool.query<{ counted: string }>(
    'select sum(usd_minor)::text as counted from limit_usage where user_id = any($1)',
    [people.map(({ userId }) => userId)],
  )
  expect(rows[0]?.counted).toBe(String(16n * 150n + 8n * 61n))
})

test.each<[string, Policy, readonly [bigint, string][]]>([
  [
    'a sum',
    { max: 100n },
    [
      [60n, 'posted'],
      [40n, 'posted'],
      [1n, 'limit_exceeded'],
    ],
  ],
  [
    'a number',
    { movements: 2 },
    [
      [1n, 'posted'],
      [1n, 'posted'],
      [1n, 'limit_exceeded'],
    ],
  ],
  [
    'one payment',
    { period: 'payment', max: 50n },
    [
      [50n, 'posted'],
      [51n, 'limit_exceeded'],
      [50n, 'posted'],
    ],
  ],
])('the last step of a larger transaction is limited as any movement is: %s', async (_, policy, steps) => {
  await limit(policy)
  const person = await newPerson()
  for (const [usdMinor, expected] of steps) {
    const request = buildMove(person, 'transfer', usdMinor, toMarchDate(1))
    const outcome = await transact(database.pool, (tx) => movers[0]!.moveWithin(tx, request))
    expect(readOutcome(outcome)).toBe(expected)
  }
})

test('a reversal makes room again, also in limits by method', async () => {
  const person = await newPerson()
  await limit({ method: 'payout', max: 100n })
  await limit({ direction: 'in', method: 'card', period: '30_days', movements: 1 })
  for (const method of ['payout', 'card'] as const) {
    expect(await attemptMove(person, method, 100n, { at: toMarchDate(1) })).toBe('posted')
    expect(await attemptMove(person, method, 1n, { at: toMarchDate(1) })).toBe('limit_exceeded')
    await transact(database.pool, (tx) =>
      reverseLimitUsage(tx, buildUsage(person.userId, method, 100n, toMarchDate(1))),
    )
    expect(await attemptMove(person, method, 100n, { at: toMarchDate(1) })).toBe('posted')
  }
})

test('a reversal makes room on its own day, in the limits that counted it', async () => {
  await limit({ period: '30_days', max: 100n })
  await limit({ method: 'payout', period: '30_days', max: 60n })
  const person = await newPerson()
  const tryMove = async (method: LimitMethod, usdMinor: bigint, day: number) =>
    attemptMove(person, method, usdMinor, { at: toMarchDate(day) })
  const reverseMove = (method: LimitMethod, usdMinor: bigint, day: number) =>
    transact(database.pool, (tx) =>
      reverseLimitUsage(tx, buildUsage(person.userId, method, usdMinor, toMarchDate(day))),
    )
  expect(await tryMove('transfer', 40n, 1)).toBe('posted')
  expect(await tryMove('payout', 30n, 1)).toBe('posted')
  expect(await tryMove('payout', 30n, 2)).toBe('posted')
  expect(await tryMove('card', 50n, 2)).toBe('posted')
  await reverseMove('card', 50n, 2)
  expect(await tryMove('transfer', 1n, 2), 'a pull that failed gives back nothing of what left').toBe('limit_exceeded')
  await limit({ period: '30_days', max: 200n })
  await reverseMove('payout', 30n, 1)
  expect(await tryMove('payout', 31n, 2)).toBe('limit_exceeded')
  expect(await tryMove('payout', 30n, 2)).toBe('posted')
})

test('an unverified form does not apply the limits of its country', async () => {
  await limit({ max: 5_000_000n, country: 'Japan' })
  await limit({ max: 5_000_000n, period: 'payment' })
  const person = await newPerson()
  await database.pool.query(
    `insert into kyc_submission select (jsonb_populate_record(k, jsonb_build_object('id', gen_random_uuid(), 'status', 'rejected',
         'country', 'Japan', 'submitted_at', k.submitted_at + interval '1 hour'))).* from kyc_submission k where user_id = $1`,
    [person.userId],
  )
  expect(await attemptMove(person, 'transfer', 1_500_001n, { at: toMarchDate(1) })).toBe('limit_exceeded')
  expect(await attemptMove(person, 'transfer', 1_500_000n, { at: toMarchDate(1) })).toBe('posted')
})

const formatReason = ({ reason }: RefusalDetails) => sentence(reasons, reason as Coded<typeof reasons>)

test('a refusal names the window and its rest', async () => {
  const loadSentences = async (person: Person, method: LimitMethod, usdMinor: bigint) => {
    if (isPull(method)) {
      return transact(database.pool, (tx) =>
        countLimitUsage(tx, {
          usages: [buildUsage(person.userId, method, usdMinor, toMarchDate(5))],
          at: toMarchDate(5),
        }),
      ).then(
        () => 'posted',
        (error: Refusal) => formatReason(error.details),
      )
    }
    const outcome = await movers[0]!.move(buildMove(person, method, usdMinor, toMarchDate(5)))
    return outcome.details ? formatReason(outcome.details) : readOutcome(outcome)
  }
  const person = await newPerson()
  await attemptMove(person, 'transfer', 600_000n, { at: toMarchDate(5) })
  expect(await loadSentences(person, 'exchange', 1_000_001n)).toBe('One payment can be worth at most $10,000.00.')
  expect(await loadSentences(person, 'exchange', 900_001n)).toBe(
    'This would exceed your daily limit of $15,000.00 for outgoing money. $9,000.00 is left today.',
  )
  await limit({ method: 'payout', period: '30_days', movements: 1 })
  await attemptMove(person, 'payout', 100n, { at: toMarchDate(4) })
  expect(await loadSentences(person, 'payout', 100n)).toBe(
    'This would exceed your 30-day limit for the number of withdrawals, which is 1. You have none left.',
  )
  await database.pool.query(`insert into own_limit values ($1, 'in', '30_days', 1234, null, null)`, [person.userId])
  expect(await loadSentences(person, 'card', 2_000n)).toBe(
    'This would exceed your own 30-day limit of $12.34 for money from cards and banks. $12.34 is left.',
  )
  expect(await loadSentences(await newPerson('in_review'), 'transfer', 1n)).toBe(
    'Your limit for outgoing money is currently $0.00.',
  )
})

// Compares the limits with a model that records every movement.

const methods = ['transfer', 'transfer', 'transfer', 'exchange', 'payout', 'card', 'bank'] as const
const chooseDirection = (method: LimitMethod) => (isPull(method) ? 'in' : 'out')

interface RecordedMove {
  readonly method: LimitMethod
  readonly usdMinor: bigint
  readonly day: number
}

/** True if these movements keep every limit on every day. */
function respectsPolicies(policies: readonly Policy[], recordedMoves: readonly RecordedMove[]): boolean {
  const days = [...new Set(recordedMoves.map(({ day }) => day))]
  return policies.every(({ direction = 'out', method, period = 'day', max, movements }) => {
    const ownMoves = recordedMoves.filter(
      (move) => chooseDirection(move.method) === direction && (method === undefined || move.method === method),
    )
    if (period === 'payment') return ownMoves.every(({ usdMinor }) => max === undefined || usdMinor <= max)
    return days.every((last) => {
      const first = period === 'day' ? last : last - 29
      const movesInWindow = ownMoves.filter(({ day }) => day >= first && day <= last)
      const sum = movesInWindow.reduce((total, { usdMinor }) => total + usdMinor, 0n)
      return (max === undefined || sum <= max) && (movements === undefined || movesInWindow.length <= movements)
    })
  })
}

/** Returns a seeded generator of random numbers. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

function generatePolicies(next: (limit: number) => number): Policy[] {
  const policies: Policy[] = []
  for (const direction of ['out', 'in'] as const) {
    for (const method of [undefined, ...new Set(methods.filter((method) => chooseDirection(method) === direction))]) {
      for (const [period, maxUnits] of [
        ['payment', 60],
        ['day', 200],
        ['30_days', 500],
      ] as const) {
        if (next(3) > 0) continue
        const max = BigInt(20 + next(maxUnits))
        const movements = period !== 'payment' && next(3) === 0 ? 2 + next(8) : undefined
        policies.push({ direction, period, max, ...(method ? { method } : {}), ...(movements ? { movements } : {}) })
      }
    }
  }
  return policies
}

const clearPolicy = () => database.pool.query('delete from limit_policy')

test('sequential movements pass exactly if the model allows them, also on late days', async () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const next = createRandom(seed)
    const policies = generatePolicies(next)
    const person = await newPerson()
    await clearPolicy()
    for (const policy of policies) await limit(policy)
    const recordedMoves: RecordedMove[] = []
    let today = 1
    for (let step = 0; step < 60; step += 1) {
      if (next(4) === 0) today += 1 + next(next(4) === 0 ? 25 : 3)
      const day = Math.max(1, today - (next(6) === 0 ? next(3) : 0))
      const move = { method: methods[next(methods.length)]!, usdMinor: BigInt(1 + next(70)), day }
      const expected = respectsPolicies(policies, [...recordedMoves, move]) ? 'posted' : 'limit_exceeded'
      const outcome = await attemptMove(person, move.method, move.usdMinor, { at: toMarchDate(day), by: next(3) })
      expect(outcome, `seed ${seed}, step ${step}`).toBe(expected)
      if (outcome === 'posted') recordedMoves.push(move)
    }
  }
}, 600_000)

test('concurrent movements from three posters and from transactions exceed no window', async () => {
  for (let seed = 101; seed <= 106; seed += 1) {
    const next = createRandom(seed)
    const policies = generatePolicies(next)
    await clearPolicy()
    for (const policy of policies) await limit(policy)
    const people = await Promise.all([newPerson(), newPerson(), newPerson()])
    const recordedMoves = people.map((): RecordedMove[] => [])
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        Array.from({ length: 90 }, async (_, index) => {
          const personIndex = index % people.length
          const day = 1 + round * 9 + next(2)
          const move = { method: methods[next(methods.length)]!, usdMinor: BigInt(1 + next(40)), day }
          const outcome = await attemptMove(people[personIndex]!, move.method, move.usdMinor, {
            at: toMarchDate(day),
            by: index,
          })
          if (outcome === 'posted') recordedMoves[personIndex]!.push(move)
          else expect(outcome).toBe('limit_exceeded')
        }),
      )
    }
    for (const [personIndex, movements] of recordedMoves.entries()) {
      expect(respectsPolicies(policies, movements), `seed ${seed}`).toBe(true)
      const lastDay = Math.max(...movements.map(({ day }) => day))
      for (const row of await readLimits(database.pool, {
        userId: people[personIndex]!.userId,
        at: toMarchDate(lastDay),
      })) {
        if (row.period !== 'day') continue
        const ownMoves = movements.filter(
          ({ method, day }) =>
            day === lastDay && chooseDirection(method) === row.direction && (row.method ?? method) === method,
        )
        expect(row.used_usd_minor).toBe(ownMoves.reduce((total, { usdMinor }) => total + usdMinor, 0n))
        expect(row.used_movements).toBe(BigInt(ownMoves.length))
      }
    }
  }
}, 600_000)
