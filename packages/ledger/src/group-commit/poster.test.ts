import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { createBarePoster, findUnsound, leg, movement, openBank } from '../../test/bank.ts'
import { postWithin } from '../ledger.ts'
import { batchExpression, encodeBatch, type Movement, type Outcome } from '../movement.ts'
import { createPoster, type Poster } from './poster.ts'

const database = await openTestDatabase()
const bank = await openBank(database.pool)

async function withPosters<T>(count: number, callback: (...posters: Poster<Movement>[]) => Promise<T>): Promise<T> {
  const posters = Array.from({ length: count }, () => createBarePoster(database.url))
  try {
    return await callback(...posters)
  } finally {
    await Promise.all(posters.map((poster) => poster.close()))
  }
}

function countOutcomes(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    const name = outcome.status === 'refused' ? outcome.reason : outcome.status
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const repeat = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index))

describe('grouping', () => {
  test('movements requested during a batch go into the next ones together', async () => {
    const sizes: number[] = []
    const poster = createBarePoster(database.url, { batch: (movements) => sizes.push(movements), retry: () => {} })
    const [a, b] = [await bank.wallet(1_000n), await bank.wallet()]
    const first = poster.post(movement([leg(a, b, 1n)]))
    await first
    await Promise.all(repeat(300, () => poster.post(movement([leg(a, b, 1n)]))))
    await poster.close()
    // Two lanes share the movements; the second lane waits, because all touch the same accounts.
    expect(sizes).toEqual([1, 150, 150])
    expect(await bank.balance(b)).toBe(301n)
  })

  test('posts a concurrent duplicate once and reports it as replayed to the others', async () => {
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    const movementTwice = movement([leg(a, b, 10n)])
    const outcomes = await withPosters(1, (poster) => Promise.all(repeat(50, () => poster.post(movementTwice))))
    expect(countOutcomes(outcomes)).toEqual({ posted: 1, replayed: 49 })
    expect(await bank.balance(b)).toBe(10n)
  })

  test('posts the first of two concurrent requests under one id and refuses the other', async () => {
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    const first = movement([leg(a, b, 10n)])
    const conflictingMovement = { ...movement([leg(a, b, 20n)]), id: first.id, requestHash: Buffer.from('other') }
    const outcomes = await withPosters(1, (poster) =>
      Promise.all([first, conflictingMovement, first].map((movement) => poster.post(movement))),
    )
    expect(outcomes).toEqual([
      { status: 'posted' },
      { status: 'refused', reason: 'key_reused' },
      { status: 'replayed' },
    ])
  })

  test('refuses a malformed movement before it reaches the others', async () => {
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    await withPosters(1, async (poster) => {
      const validPost = poster.post(movement([leg(a, b, 1n)]))
      await expect(poster.post(movement([leg(a, b, 0n)]))).rejects.toThrow('has a leg of 0')
      await expect(poster.post({ ...movement([leg(a, b, 1n)]), id: '1,2' })).rejects.toThrow('not a UUID')
      expect(await validPost).toEqual({ status: 'posted' })
    })
  })
})

describe('concurrency', () => {
  test('200 spends of one wallet through two posters pass exactly as often as funds allow', async () => {
    const [a, b] = [await bank.wallet(1_050n), await bank.wallet()]
    const outcomes = await withPosters(2, (firstPoster, secondPoster) =>
      Promise.all(repeat(200, (index) => (index % 2 ? firstPoster : secondPoster).post(movement([leg(a, b, 100n)])))),
    )
    expect(countOutcomes(outcomes)).toEqual({ posted: 10, insufficient_funds: 190 })
    expect(await bank.balance(a)).toBe(50n)
    expect(await findUnsound(database.pool)).toEqual([])
  })

  test('200 movements, each through both of two posters, move money once each', async () => {
    const [a, b] = [await bank.wallet(900n), await bank.wallet()]
    const movements = repeat(200, () => movement([leg(a, b, 100n)]))
    const [firstOutcomes, secondOutcomes] = await withPosters(2, (firstPoster, secondPoster) =>
      Promise.all(
        [firstPoster, secondPoster].map((poster) => Promise.all(movements.map((movement) => poster.post(movement)))),
      ),
    )
    expect(countOutcomes([...firstOutcomes!, ...secondOutcomes!])).toEqual({
      posted: 9,
      replayed: 9,
      insufficient_funds: 382,
    })
    expect(await bank.balance(b)).toBe(900n)
  })

  test('one token used through two posters by unrelated payers moves money once', async () => {
    await withPosters(2, async (firstPoster, secondPoster) => {
      for (const round of repeat(30, (index) => index)) {
        const once = randomUUID()
        const wallets = await Promise.all(repeat(4, () => bank.wallet(10n)))
        const outcomes = await Promise.all([
          firstPoster.post(movement([leg(wallets[0]!, wallets[1]!, 10n)], { once })),
          secondPoster.post(movement([leg(wallets[2]!, wallets[3]!, 10n)], { once })),
        ])
        expect([round, countOutcomes(outcomes)]).toEqual([round, { posted: 1, already_used: 1 }])
      }
    })
  })

  test('two posters and single transactions over the same hot accounts lose nothing', async () => {
    const wallets = await Promise.all(repeat(12, () => bank.wallet(100_000n)))
    const pickWallet = () => wallets[Math.floor(Math.random() * wallets.length)]!
    const randomMovement = () =>
      movement([leg(pickWallet(), bank.fee, 1n, 'fee'), leg(bank.bridge, pickWallet(), 1n, 'exchange')])
    const outcomes = await withPosters(2, (firstPoster, secondPoster) =>
      Promise.all(
        repeat(1_500, (index) =>
          index % 10 === 0
            ? postWithin(database.pool, randomMovement())
            : (index % 2 ? firstPoster : secondPoster).post(randomMovement()),
        ),
      ),
    )
    expect(countOutcomes(outcomes)).toEqual({ posted: 1_500 })
    expect(await findUnsound(database.pool)).toEqual([])
  })
})

describe('failures', () => {
  test('a movement that the database cannot take fails alone', async () => {
    const [a, b] = [await bank.wallet(1_000n), await bank.wallet()]
    const batch = repeat(100, () => movement([leg(a, b, 1n)]))
    const failingIndexes = [17, 63]
    for (const index of failingIndexes) batch[index] = { ...batch[index]!, kind: 'nul \u0000' }
    const results = await withPosters(1, (poster) => Promise.allSettled(batch.map((movement) => poster.post(movement))))
    expect(results.flatMap((result, index) => (result.status === 'rejected' ? [index] : []))).toEqual(failingIndexes)
    expect(await bank.balance(b)).toBe(98n)
  })

  test('repeatedly killed connections lose and duplicate nothing', async () => {
    const [a, b] = [await bank.wallet(100_000n), await bank.wallet()]
    const retries: string[] = []
    const poster = createBarePoster(database.url, { batch: () => {}, retry: (cause) => retries.push(cause) })
    const outcomes: Outcome[] = []
    let isKilling = true
    let killCount = 0
    // Kills only after progress, so that the test does not depend on the machine's speed.
    const killer = (async () => {
      for (let killedAt = 0; isKilling;) {
        await new Promise((resolve) => setTimeout(resolve, 10))
        if (outcomes.length < killedAt + 100) continue
        killedAt = outcomes.length
        const { rows } = await database.pool.query(
          `select pg_terminate_backend(pid) as killed from pg_stat_activity
            where datname = current_database() and application_name = 'tern poster'`,
        )
        killCount += rows.length
      }
    })()
    const callers = repeat(20, async () => {
      for (const feeMovement of repeat(100, () => movement([leg(a, b, 1n), leg(a, bank.fee, 1n, 'fee')]))) {
        outcomes.push(await poster.post(feeMovement))
      }
    })
    await Promise.all(callers)
    isKilling = false
    await killer
    await poster.close()
    expect(outcomes.every((outcome) => outcome.status !== 'refused')).toBe(true)
    expect(await bank.balance(b)).toBe(2_000n)
    expect(await findUnsound(database.pool)).toEqual([])
    expect(killCount).toBeGreaterThan(3)
    expect(retries).toContain('connection')
  })

  test('a missing database is reported as unavailable, not as a refusal', async () => {
    const poster = createPoster<Movement>({
      databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing',
      movementOf: (movement) => movement,
      encode: (movements) => ({ text: `select ledger.post(${batchExpression})`, values: encodeBatch(movements) }),
      patienceMs: 200,
    })
    await expect(poster.post(movement([leg(1n, 2n, 1n)]))).rejects.toMatchObject({ problem: 'unavailable' })
    await poster.close()
  })

  test('closing waits for pending movements and refuses later ones', async () => {
    const [a, b] = [await bank.wallet(1_000n), await bank.wallet()]
    const poster = createBarePoster(database.url)
    const pendingPosts = Promise.all(repeat(300, () => poster.post(movement([leg(a, b, 1n)]))))
    await poster.close()
    expect(countOutcomes(await pendingPosts)).toEqual({ posted: 300 })
    await expect(poster.post(movement([leg(a, b, 1n)]))).rejects.toThrow('closed')
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(
      `select count(*)::int as open from pg_stat_activity
        where datname = current_database() and application_name = 'tern poster'`,
    )
    await client.end()
    expect(rows).toEqual([{ open: 0 }])
  })
})
