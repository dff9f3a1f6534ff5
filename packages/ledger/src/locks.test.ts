// Locks that delay a movement, and locks that do not.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { createBarePoster, findUnsound, leg, movement, openBank } from '../test/bank.ts'
import { lockAccounts, postWithin, refuseMovement, releaseToken, reserveToken } from './ledger.ts'
import type { Movement, Outcome } from './movement.ts'
import type { Poster } from './group-commit/poster.ts'

const database = await openTestDatabase()
const bank = await openBank(database.pool)

const repeat = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index))

async function withPosters<T>(count: number, callback: (...posters: Poster<Movement>[]) => Promise<T>): Promise<T> {
  const posters = repeat(count, () => createBarePoster(database.url))
  try {
    return await callback(...posters)
  } finally {
    await Promise.all(posters.map((poster) => poster.close()))
  }
}

/** Locks accounts and all their stripes until the returned function is called. */
async function holdAccounts(...accounts: bigint[]): Promise<() => Promise<void>> {
  const client = await database.pool.connect()
  await client.query('set idle_in_transaction_session_timeout = 0')
  await client.query('begin')
  await client.query('select from ledger.account where id = any($1) or stripe_of = any($1) for update', [accounts])
  return async () => {
    await client.query('rollback')
    client.release(true)
  }
}

describe('a locked account', () => {
  test.each([1, 2])('delays only movements that touch it, which then go through (%i lanes)', async (lanes) => {
    // Patience exceeds any delay of a slow machine, so no movement expires before the account is released.
    const poster = createBarePoster(database.url, undefined, { lanes, patienceMs: 100_000 })
    const [a, b, c, d] = await Promise.all([bank.wallet(100n), bank.wallet(), bank.wallet(500n), bank.wallet()])
    await poster.post(movement([leg(a, b, 1n)]))
    const releaseAccounts = await holdAccounts(b)
    let endedCount = 0
    const pendingPosts = repeat(5, () => poster.post(movement([leg(a, b, 1n)])).finally(() => (endedCount += 1)))
    const waitTimes: number[] = []
    for (const _ of repeat(100, (index) => index)) {
      const startedAt = performance.now()
      expect(await poster.post(movement([leg(c, d, 1n)]))).toEqual({ status: 'posted' })
      waitTimes.push(performance.now() - startedAt)
      await delay(5)
    }
    expect(endedCount).toBe(0)
    await releaseAccounts()
    expect(await Promise.all(pendingPosts)).toEqual(repeat(5, () => ({ status: 'posted' })))
    await poster.close()
    // Only batches that discover the lock wait for it; nine in ten sends do not.
    expect(waitTimes.toSorted((a, b) => a - b)[90]).toBeLessThan(200)
    expect(await findUnsound(database.pool)).toEqual([])
  })

  test('of the system stops no other currency', async () => {
    const poster = createBarePoster(database.url, undefined, { lanes: 1, patienceMs: 100_000 })
    const [a, euros, otherAccount] = [
      await bank.wallet(100n),
      await bank.wallet(100n, 'EUR'),
      await bank.wallet(0n, 'EUR'),
    ]
    const buildFeeMovement = () => movement([leg(a, bank.fee, 1n, 'fee')])
    await poster.post(buildFeeMovement())
    const releaseAccounts = await holdAccounts(bank.fee)
    const pendingPosts = repeat(3, () => poster.post(buildFeeMovement()))
    for (const _ of repeat(20, (index) => index)) {
      expect(await poster.post(movement([leg(euros, otherAccount, 1n)]))).toEqual({ status: 'posted' })
    }
    await releaseAccounts()
    expect(await Promise.all(pendingPosts)).toEqual(repeat(3, () => ({ status: 'posted' })))
    await poster.close()
  })

  test('is reported as unavailable after too long, and nothing moves later', async () => {
    const poster = createBarePoster(database.url, undefined, { patienceMs: 600 })
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    const releaseAccounts = await holdAccounts(a)
    await expect(poster.post(movement([leg(a, b, 1n)]))).rejects.toMatchObject({ problem: 'unavailable' })
    await releaseAccounts()
    await poster.close()
    expect(await bank.balance(b)).toBe(0n)
  })
})

test('a movement past its deadline is not begun', async () => {
  await withPosters(1, async (poster) => {
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    const expiredPost = poster.post(movement([leg(a, b, 1n)]), performance.now() - 1)
    await expect(expiredPost).rejects.toMatchObject({ problem: 'unavailable' })
    expect(await bank.balance(b)).toBe(0n)
  })
})

describe('a single-use token', () => {
  const buildSend = (from: bigint, to: bigint, movementFields: Partial<Movement>) =>
    movement([leg(from, to, 1n)], movementFields)

  test('that is reserved moves money once, only for its holder', async () => {
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    const [once, holder] = [randomUUID(), randomUUID()]
    expect(await reserveToken(database.pool, once, holder)).toBe(true)
    expect(await reserveToken(database.pool, once, holder)).toBe(true)
    expect(await reserveToken(database.pool, once, randomUUID())).toBe(false)
    const alreadyUsed = { status: 'refused', reason: 'already_used' }
    expect(await postWithin(database.pool, buildSend(a, b, { once }))).toEqual(alreadyUsed)
    expect(await postWithin(database.pool, buildSend(a, b, { once, holder }))).toEqual({ status: 'posted' })
    expect(await postWithin(database.pool, buildSend(a, b, { once, holder }))).toEqual(alreadyUsed)
    await releaseToken(database.pool, once, holder)
    expect(await reserveToken(database.pool, once, randomUUID())).toBe(false)
  })

  test('is valid again once released', async () => {
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    const [once, holder] = [randomUUID(), randomUUID()]
    await reserveToken(database.pool, once, holder)
    await releaseToken(database.pool, once, randomUUID())
    expect(await reserveToken(database.pool, once, randomUUID())).toBe(false)
    await releaseToken(database.pool, once, holder)
    expect(await postWithin(database.pool, buildSend(a, b, { once }))).toEqual({ status: 'posted' })
  })

  test('cannot be changed or removed once used, even by the owner', async () => {
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    const once = randomUUID()
    await postWithin(database.pool, buildSend(a, b, { once }))
    for (const statement of [
      `delete from ledger.token where id = '${once}'`,
      `update ledger.token set posting_id = null where id = '${once}'`,
      `insert into ledger.token (id, holder) values ('${randomUUID()}', '${once}')`,
      'truncate ledger.token',
    ]) {
      await expect(database.pool.query(statement), statement).rejects.toThrow(/is refused/)
    }
  })

  test('goes to a posting or a reservation, never both, in 200 races', async () => {
    await withPosters(2, async (firstPoster, secondPoster) => {
      const wallets = await Promise.all(repeat(4, () => bank.wallet(1_000n)))
      for (const index of repeat(200, (index) => index)) {
        const once = randomUUID()
        const [first, second, isReserved] = await Promise.all([
          firstPoster.post(buildSend(wallets[0]!, wallets[1]!, { once })),
          index % 2 ? secondPoster.post(buildSend(wallets[2]!, wallets[3]!, { once })) : undefined,
          reserveToken(database.pool, once, randomUUID()),
        ])
        const successes = [first?.status === 'posted', second?.status === 'posted', isReserved].filter(Boolean)
        expect(successes, `race ${index}`).toHaveLength(1)
      }
    })
  })
})

describe('a refusal', () => {
  const buildRefusal = (reason: string) => ({ status: 'refused', reason })

  test('that is kept remains, even when funds have arrived since', async () => {
    const [a, b] = [await bank.wallet(), await bank.wallet()]
    const attempt = movement([leg(a, b, 10n)], { keepsRefusal: true })
    expect(await postWithin(database.pool, attempt)).toEqual(buildRefusal('insufficient_funds'))
    await postWithin(database.pool, movement([leg(bank.card, a, 100n, 'deposit')]))
    expect(await postWithin(database.pool, attempt)).toEqual(buildRefusal('insufficient_funds'))
    const conflictingMovement = { ...attempt, requestHash: Buffer.from('other') }
    expect(await postWithin(database.pool, conflictingMovement)).toEqual(buildRefusal('key_reused'))
    expect(await postWithin(database.pool, movement([leg(a, b, 10n)]))).toEqual({ status: 'posted' })
    expect(await findUnsound(database.pool)).toEqual([])
  })

  test('that is not kept allows a retry', async () => {
    const [a, b] = [await bank.wallet(), await bank.wallet()]
    const attempt = movement([leg(a, b, 10n)])
    expect(await postWithin(database.pool, attempt)).toEqual(buildRefusal('insufficient_funds'))
    await postWithin(database.pool, movement([leg(bank.card, a, 100n, 'deposit')]))
    expect(await postWithin(database.pool, attempt)).toEqual({ status: 'posted' })
  })

  test('or a posting is stored, never both, in 200 races between a delayed request and a refusal elsewhere', async () => {
    await withPosters(2, async (firstPoster, secondPoster) => {
      const [a, b] = [await bank.wallet(1_000n), await bank.wallet()]
      let movedMinor = 0n
      for (const index of repeat(200, (index) => index)) {
        const attempt = movement([leg(a, b, 1n)])
        const { id, requestHash, at } = attempt
        const facts = { id, requestHash, kind: 'test', at, code: 'recipient_not_found', details: { index } }
        const [postOutcome, decision] = await Promise.all([
          (index % 2 ? firstPoster : secondPoster).post(attempt),
          delay(index % 3).then(() => refuseMovement(database.pool, facts)),
        ])
        if (decision.status === 'refused') {
          expect(decision, `race ${index}`).toMatchObject({ code: 'recipient_not_found', details: { index } })
          expect(postOutcome, `race ${index}`).toEqual(buildRefusal('refused_before'))
        } else {
          expect([postOutcome.status, decision.status], `race ${index}`).toEqual(['posted', 'posted'])
          movedMinor += 1n
        }
      }
      expect(await bank.balance(b)).toBe(movedMinor)
    })
  })
})

test('posters, single movements and transactions that move twice cause no deadlock', async () => {
  const wallets = await Promise.all(repeat(10, () => bank.walletWithHold(100_000n)))
  const countDeadlocks = async (): Promise<number> => {
    await database.pool.query('select pg_stat_force_next_flush()')
    const { rows } = await database.pool.query(
      'select deadlocks::int as count from pg_stat_database where datname = current_database()',
    )
    return rows[0].count
  }
  const deadlocksBefore = await countDeadlocks()
  const pickWallet = () => wallets[Math.floor(Math.random() * wallets.length)]!
  const randomMovement = () =>
    movement([leg(pickWallet().wallet, bank.fee, 1n, 'fee'), leg(bank.bridge, pickWallet().wallet, 1n, 'exchange')])

  /** Posts three movements in one transaction, like a late payment: reserves, releases, then credits money. */
  async function postThreeMovements(): Promise<Outcome[]> {
    const { wallet, hold } = pickWallet()
    const client = await database.pool.connect()
    try {
      await client.query('begin')
      await lockAccounts(client, [hold, wallet, bank.card])
      const reserveOutcome = await postWithin(client, movement([leg(wallet, hold, 1n, 'reserve')]))
      const releaseOutcome = await postWithin(client, movement([leg(hold, wallet, 1n, 'release')]))
      const depositOutcome = await postWithin(client, movement([leg(bank.card, wallet, 1n, 'deposit')]))
      await client.query('commit')
      return [reserveOutcome, releaseOutcome, depositOutcome]
    } finally {
      client.release()
    }
  }

  await withPosters(2, async (firstPoster, secondPoster) => {
    const outcomes = await Promise.all(
      repeat(1_200, (index) =>
        index % 8 === 0 ? postThreeMovements() : (index % 2 ? firstPoster : secondPoster).post(randomMovement()),
      ),
    )
    expect(outcomes.flat().every(({ status }) => status === 'posted')).toBe(true)
  })
  expect(await countDeadlocks()).toBe(deadlocksBefore)
  expect(await findUnsound(database.pool)).toEqual([])
})
