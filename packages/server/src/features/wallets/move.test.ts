import { createHash, randomUUID } from 'node:crypto'
import { bankAccount, cardAccount, feeAccount, holdAccount, walletAccount } from '@tern/ledger/chart'
import { release, reserve, settle } from '@tern/ledger/holds'
import { openAccounts } from '@tern/ledger/ledger'
import type { Leg, Movement, Outcome } from '@tern/ledger/movement'
import { money } from '@tern/money/money'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { transact } from '../../platform/database/db.ts'
import { buildUsage } from '../limits/limits.ts'
import { createMover, type Mover, type MoveRequest, type NewTransaction } from './move.ts'

interface User {
  userId: bigint
  walletId: string
  wallet: bigint
  hold: bigint
}

let database: TestDatabase
let mover: Mover
let otherMover: Mover
let card: bigint
let bank: bigint
let fee: bigint
let lastUserId = 1_000_000_000n
const movedUserIds: (readonly bigint[])[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  mover = createMover({ databaseUrl: database.url, onMoved: (userIds) => movedUserIds.push(userIds) })
  otherMover = createMover({ databaseUrl: database.url })
  const ids = await openAccounts(database.pool, [cardAccount('USD'), bankAccount('USD'), feeAccount('USD')])
  card = ids[0]!
  bank = ids[1]!
  fee = ids[2]!
})
afterAll(async () => {
  await Promise.all([mover.close(), otherMover.close()])
  await database.drop()
})

const at = new Date('2026-03-01T10:00:00Z')
const usd = (minor: bigint) => money('USD', minor)

function movement(legs: Leg[], overrides: Partial<Movement> = {}): Movement {
  const id = randomUUID()
  const requestHash = createHash('sha256').update(id).digest()
  return { id, requestHash, kind: 'test', reference: randomUUID(), at, legs, ...overrides }
}

async function newUser(balance: bigint): Promise<User> {
  const userId = (lastUserId += 1n)
  const walletId = randomUUID()
  const ids = await openAccounts(database.pool, [walletAccount(walletId, 'USD'), holdAccount(walletId, 'USD')])
  await database.pool.query(
    `insert into app_user (id, email, username, kyc_status, created_at) values ($1, $2, $3, 'verified', $4)`,
    [userId, `${userId}@example.com`, `user${userId}`, at],
  )
  const user = { userId, walletId, wallet: ids[0]!, hold: ids[1]! }
  if (balance > 0n) expect(await mover.move(buildDeposit(user, balance))).toEqual({ status: 'posted' })
  return user
}

const buildDeposit = ({ userId, walletId, wallet }: User, amount: bigint): MoveRequest => ({
  movement: movement([{ from: card, to: wallet, amount, code: 'deposit' }]),
  rows: [
    {
      userId,
      walletId,
      toWalletId: walletId,
      kind: 'DEPOSIT',
      status: 'COMPLETED',
      description: { code: 'card_deposit' },
      source: usd(amount),
      target: usd(amount),
      fee: usd(0n),
      paymentSource: 'card',
    },
  ],
})

function send(from: User, to: User, amount: bigint, description = 'Lunch'): MoveRequest {
  const sharedFields = {
    ...({ status: 'COMPLETED', senderId: from.userId, recipientId: to.userId, description } as const),
    fromWalletId: from.walletId,
    toWalletId: to.walletId,
    source: usd(amount),
    target: usd(amount),
    fee: usd(1n),
  }
  const rows: NewTransaction[] = [
    { ...sharedFields, userId: from.userId, walletId: from.walletId, kind: 'SEND' },
    { ...sharedFields, userId: to.userId, walletId: to.walletId, kind: 'RECEIVE' },
  ]
  const legs: Leg[] = [
    { from: from.wallet, to: to.wallet, amount, code: 'send' },
    { from: from.wallet, to: fee, amount: 1n, code: 'fee' },
  ]
  return { movement: movement(legs), rows }
}

const addUsage = (request: MoveRequest, userId: bigint, usdMinor: bigint): MoveRequest => ({
  ...request,
  usage: buildUsage(userId, 'transfer', usdMinor, at),
})

/** Sets a user's limit per day, and returns the user. */
async function limitUser(dayLimit: bigint, user: User): Promise<User> {
  await database.pool.query(
    `insert into own_limit (user_id, direction, period, max_usd_minor) values ($1, 'out', 'day', $2)`,
    [user.userId, dayLimit],
  )
  return user
}

async function loadUsedLimit(userId: bigint): Promise<bigint> {
  const { rows } = await database.pool.query('select usd_minor from limit_usage where user_id = $1', [userId])
  return rows[0]?.usd_minor ?? 0n
}

async function loadMovementRows(reference: string): Promise<pg.QueryResultRow[]> {
  const { rows } = await database.pool.query('select * from transaction where id = $1 order by user_id', [reference])
  return rows
}

async function loadAccountBalance(account: bigint): Promise<bigint> {
  const { rows } = await database.pool.query('select balance from ledger.account where id = $1', [account])
  return rows[0].balance
}

function countOutcomes(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    const name = outcome.status === 'refused' ? outcome.reason : outcome.status
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

// Must be the first test: a poster waits for locked days only while it is the only one on the database.
test('a batch of users who have moved today and users who have not counts each of them once', async () => {
  const to = await newUser(0n)
  const users = await Promise.all(
    Array.from({ length: 20 }, () => newUser(1_000n).then((user) => limitUser(200n, user))),
  )
  const moveNext = (user: User) => mover.move(addUsage(send(user, to, 100n), user.userId, 100n))
  await Promise.all(users.filter((_, index) => index % 2).map(moveNext))
  expect(countOutcomes(await Promise.all(users.map(moveNext)))).toEqual({ posted: 20 })
  expect(await Promise.all(users.map(({ userId }) => loadUsedLimit(userId)))).toEqual(
    users.map((_, index) => (index % 2 ? 200n : 100n)),
  )
})

describe('rows of a movement', () => {
  test('show each party what was moved', async () => {
    const [a, b] = [await newUser(10_000n), await newUser(0n)]
    const request = send(a, b, 2_500n, 'Dinner "Chez Zoë", {50 %} \\ é')
    const quoteId = randomUUID()
    const rows = request.rows.map((row): NewTransaction => ({
      ...row,
      quoteId,
      stablecoinAmount: 25_000_000n,
      rate: { numerator: 93n, denominator: 100n },
      paymentSource: 'wallet',
    }))
    expect(await mover.move({ ...request, rows })).toEqual({ status: 'posted' })
    const storedRows = await loadMovementRows(request.movement.reference)
    const sharedFields = {
      id: request.movement.reference,
      posting_id: request.movement.id,
      created_at: at,
      status: 'COMPLETED',
      sender_id: a.userId,
      recipient_id: b.userId,
      from_wallet_id: a.walletId,
      to_wallet_id: b.walletId,
      description: 'Dinner "Chez Zoë", {50 %} \\ é',
      payment_source: 'wallet',
      payment_id: null,
      passed_by_room: null,
      quote_id: quoteId,
      source_amount: 2_500n,
      source_currency: 'USD',
      target_amount: 2_500n,
      target_currency: 'USD',
      stablecoin_amount: 25_000_000n,
      rate_numerator: 93n,
      rate_denominator: 100n,
      fee_amount: 1n,
      fee_currency: 'USD',
      xid: expect.any(String),
      changed_at: null,
    }
    expect(storedRows).toEqual([
      { ...sharedFields, user_id: a.userId, wallet_id: a.walletId, kind: 'SEND' },
      { ...sharedFields, user_id: b.userId, wallet_id: b.walletId, kind: 'RECEIVE' },
    ])
  })

  test('a refused or replayed movement adds no rows', async () => {
    const [a, b] = [await newUser(1_000n), await newUser(0n)]
    const excessSend = send(a, b, 1_000n)
    expect(await mover.move(excessSend)).toEqual({ status: 'refused', reason: 'insufficient_funds' })
    expect(await loadMovementRows(excessSend.movement.reference)).toEqual([])
    const validSend = send(a, b, 500n)
    const outcomes = [await mover.move(validSend), await mover.move(validSend), await otherMover.move(validSend)]
    expect(outcomes.map(({ status }) => status)).toEqual(['posted', 'replayed', 'replayed'])
    expect(await loadMovementRows(validSend.movement.reference)).toHaveLength(2)
  })

  test('listeners are notified of the users after each commit, and not after a rollback', async () => {
    const [a, b, c] = [await newUser(10_000n), await newUser(0n), await newUser(0n)]
    movedUserIds.length = 0
    await Promise.all([mover.move(send(a, b, 1n)), mover.move(send(c, b, 3n))])
    expect(movedUserIds.flat()).toEqual([a.userId, b.userId])
    movedUserIds.length = 0
    await transact(database.pool, async (tx) => {
      expect(await mover.moveWithin(tx, send(a, c, 1n))).toEqual({ status: 'posted' })
      expect(movedUserIds).toEqual([])
    })
    expect(movedUserIds).toEqual([[a.userId, c.userId]])
    const failingTransaction = transact(database.pool, async (tx) => {
      await mover.moveWithin(tx, send(a, c, 1n))
      throw new Error('changed my mind')
    })
    await expect(failingTransaction).rejects.toThrow('changed my mind')
    expect(movedUserIds).toHaveLength(1)
  })

  test('moving money raises no NOTIFY', async () => {
    const [a, b] = [await newUser(10_000n), await newUser(0n)]
    const listener = new pg.Client({ connectionString: database.url })
    await listener.connect()
    const channels: string[] = []
    listener.on('notification', ({ channel }) => channels.push(channel))
    await listener.query('listen tern_user')
    await mover.move(send(a, b, 1n))
    await transact(database.pool, (tx) => mover.moveWithin(tx, send(a, b, 1n)))
    await listener.query('select 1')
    await listener.end()
    expect(channels).toEqual([])
  })
})

describe('daily limits', () => {
  test('a sum beyond the limit is refused before anything is posted, within one batch', async () => {
    const [a, b] = [await limitUser(10_000n, await newUser(100_000n)), await newUser(0n)]
    const amounts = [4_000n, 5_000n, 2_000n, 1_000n, 1n]
    const outcomes = await Promise.all(
      amounts.map((amount) => mover.move(addUsage(send(a, b, amount), a.userId, amount))),
    )
    expect(countOutcomes(outcomes)).toEqual({ posted: 3, limit_exceeded: 2 })
    expect(await loadUsedLimit(a.userId)).toBe(10_000n)
    expect(await loadAccountBalance(b.wallet)).toBe(10_000n)
  })

  test('refused and replayed movements neither count nor make room', async () => {
    const [a, b] = [await limitUser(6_000n, await newUser(5_000n)), await newUser(0n)]
    const first = addUsage(send(a, b, 3_000n), a.userId, 3_000n)
    const outcomes = await Promise.all([
      mover.move(first),
      mover.move(addUsage(send(a, b, 2_500n), a.userId, 2_500n)),
      mover.move(addUsage(send(a, b, 1_500n), a.userId, 1_500n)),
    ])
    expect(outcomes.map((outcome) => (outcome.status === 'refused' ? outcome.reason : outcome.status))).toEqual([
      'posted',
      'insufficient_funds',
      'posted',
    ])
    expect(await mover.move(first)).toEqual({ status: 'replayed' })
    expect(await loadUsedLimit(a.userId)).toBe(4_500n)
  })

  test('a locked day of usage delays only its own user', async () => {
    const [a, b, c] = [await newUser(10_000n), await newUser(0n), await newUser(10_000n)]
    const buildSendFrom = (user: User) => addUsage(send(user, b, 100n), user.userId, 100n)
    await mover.move(buildSendFrom(a))
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query('select from limit_usage where user_id = $1 for update', [a.userId])
    let hasEnded = false
    const pendingMove = mover.move(buildSendFrom(a)).finally(() => (hasEnded = true))
    for (let count = 0; count < 10; count += 1) expect(await mover.move(buildSendFrom(c))).toEqual({ status: 'posted' })
    expect(hasEnded).toBe(false)
    await client.query('rollback')
    client.release()
    expect(await pendingMove).toEqual({ status: 'posted' })
    expect([await loadUsedLimit(a.userId), await loadUsedLimit(c.userId)]).toEqual([200n, 1_000n])
  })

  test('concurrent first movements of a day, from two posters and two transactions, all count', async () => {
    const to = await newUser(0n)
    const users = await Promise.all(
      Array.from({ length: 20 }, () => newUser(1_000n).then((user) => limitUser(500n, user))),
    )
    const buildNext = (user: User) => addUsage(send(user, to, 100n), user.userId, 100n)
    const moveInTransaction = (user: User) =>
      transact(database.pool, (tx) => otherMover.moveWithin(tx, buildNext(user)))
    // Every second user has moved before.
    await Promise.all(users.filter((_, index) => index % 2).map((user) => mover.move(buildNext(user))))
    const outcomes = await Promise.all(
      users.flatMap((user) => [
        mover.move(buildNext(user)),
        otherMover.move(buildNext(user)),
        moveInTransaction(user),
        moveInTransaction(user),
      ]),
    )
    expect(countOutcomes(outcomes)).toEqual({ posted: 80 })
    expect(await Promise.all(users.map(({ userId }) => loadUsedLimit(userId)))).toEqual(
      users.map((_, index) => (index % 2 ? 500n : 400n)),
    )
  })

  test('two processes that use one limit crosswise neither exceed it nor block each other', async () => {
    const users = await Promise.all(
      Array.from({ length: 6 }, () => newUser(1_000_000n).then((user) => limitUser(5_050n, user))),
    )
    const requests = Array.from({ length: 600 }, (_, index) => {
      const [from, to] = [users[index % 6]!, users[(index + 1 + (index % 5)) % 6]!]
      return addUsage(send(from, to, 100n), from.userId, 100n)
    })
    const outcomes = await Promise.all(
      requests.map(async (request, index) => {
        if (index % 7 > 0) return await (index % 2 ? mover : otherMover).move(request)
        return await transact(database.pool, (tx) => otherMover.moveWithin(tx, request))
      }),
    )
    expect(countOutcomes(outcomes)).toEqual({ posted: 300, limit_exceeded: 300 })
    for (const { userId } of users) expect(await loadUsedLimit(userId)).toBe(5_000n)
  })

  test('a new day has the full limit', async () => {
    const [a, b] = [await limitUser(100n, await newUser(10_000n)), await newUser(0n)]
    const countedSend = addUsage(send(a, b, 100n), a.userId, 100n)
    const nextDaySend = { ...send(a, b, 100n), usage: { ...countedSend.usage!, day: '2026-03-02' } }
    expect(countOutcomes(await Promise.all([mover.move(nextDaySend), mover.move(countedSend)]))).toEqual({ posted: 2 })
  })
})

describe('inside a larger transaction', () => {
  test('a rolled back movement leaves no trace, and can be repeated', async () => {
    const [a, b] = [await limitUser(100n, await newUser(1_000n)), await newUser(0n)]
    const request = addUsage(send(a, b, 100n), a.userId, 100n)
    const attempt = transact(database.pool, async (tx) => {
      expect(await mover.moveWithin(tx, request)).toEqual({ status: 'posted' })
      throw new Error('changed my mind')
    })
    await expect(attempt).rejects.toThrow('changed my mind')
    expect(await loadAccountBalance(b.wallet)).toBe(0n)
    expect(await loadMovementRows(request.movement.reference)).toEqual([])
    expect(await mover.move(request)).toEqual({ status: 'posted' })
  })

  test('a refusal leaves the transaction usable', async () => {
    const [a, b] = [await newUser(0n), await newUser(0n)]
    const outcome = await transact(database.pool, async (tx) => {
      const refusedMove = await mover.moveWithin(tx, send(a, b, 100n))
      await tx.query('select 1')
      return refusedMove
    })
    expect(outcome).toEqual({ status: 'refused', reason: 'insufficient_funds' })
  })

  test('a negative usage is a bug and stops before the database', async () => {
    const [a, b] = [await newUser(1_000n), await newUser(0n)]
    await expect(mover.move(addUsage(send(a, b, 1n), a.userId, -1n))).rejects.toThrow('cannot send -1')
  })
})

describe('transactions that end later', () => {
  const buildWithdrawal = (user: User, amount: bigint): MoveRequest => ({
    movement: movement([reserve({ ...user, amount: amount + 5n })]),
    rows: [
      {
        ...({ userId: user.userId, walletId: user.walletId, fromWalletId: user.walletId, kind: 'WITHDRAW' } as const),
        ...({
          status: 'PENDING',
          description: { code: 'withdrawal', params: { bank: 'My bank', last4: '0001' } },
          source: usd(amount),
          target: usd(amount),
          fee: usd(5n),
        } as const),
      },
    ],
  })

  test.each(['COMPLETED', 'FAILED'] as const)(
    'a pending one becomes %s with its final movement, once',
    async (status) => {
      const user = await newUser(1_000n)
      const pendingWithdrawal = buildWithdrawal(user, 600n)
      await mover.move(pendingWithdrawal)
      const { reference } = pendingWithdrawal.movement
      expect(await loadMovementRows(reference)).toMatchObject([{ status: 'PENDING' }])
      const legs =
        status === 'COMPLETED'
          ? [
              settle({ ...user, to: bank, amount: 600n }),
              { from: user.hold, to: fee, amount: 5n, code: 'fee' } as const,
            ]
          : [release({ ...user, amount: 605n })]
      const finalMove: MoveRequest = {
        movement: movement(legs, { reference }),
        rows: [],
        settles: [{ id: reference, status }],
      }
      movedUserIds.length = 0
      const isStandalone = status === 'COMPLETED'
      const outcome = isStandalone
        ? await mover.move(finalMove)
        : await transact(database.pool, (tx) => mover.moveWithin(tx, finalMove))
      expect(outcome).toEqual({ status: 'posted' })
      expect(movedUserIds, 'whose row has ended is told of it').toEqual([[user.userId]])
      expect(await loadMovementRows(reference)).toMatchObject([{ status, posting_id: pendingWithdrawal.movement.id }])
      expect(await loadAccountBalance(user.hold)).toBe(0n)
      expect(await loadAccountBalance(user.wallet)).toBe(status === 'COMPLETED' ? 395n : 1_000n)

      const oppositeStatus = status === 'COMPLETED' ? 'FAILED' : 'COMPLETED'
      const lateMove = {
        ...finalMove,
        movement: movement(legs, { reference }),
        settles: [{ id: reference, status: oppositeStatus } as const],
      }
      expect(await mover.move(lateMove)).toEqual({ status: 'refused', reason: 'insufficient_funds' })
      expect(await loadMovementRows(reference)).toMatchObject([{ status }])
    },
  )
})
