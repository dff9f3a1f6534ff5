// Posting turns among many posters: fewer and larger batches, and no waiting for a frozen or dead poster.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { createBarePoster, findUnsound, leg, movement, openBank } from '../../test/bank.ts'
import { postWithin } from '../ledger.ts'
import { batchExpression, encodeBatch, type Movement } from '../movement.ts'
import { createPoster, type Poster, type PosterMetrics, type PosterOptions } from './poster.ts'

const database = await openTestDatabase()
const bank = await openBank(database.pool)
// In the product, a function with its owner's rights calls `ledger.post`; here the role calls it directly.
const role = new URL(database.applicationUrl).username
await database.pool.query(`grant execute on function ledger.post to ${role}`)

const repeat = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index))

/** Runs `callback` with posters that have counted each other and connect with the application's role. */
async function withPosters<T>(
  count: number,
  callback: (posters: readonly Poster<Movement>[]) => Promise<T>,
  { metrics, ...overrides }: Partial<PosterOptions<Movement>> = {},
): Promise<T> {
  const posters = repeat(count, () => createBarePoster(database.applicationUrl, metrics, overrides))
  try {
    await waitUntilCounted(posters)
    return await callback(posters)
  } finally {
    await Promise.all(posters.map((poster) => poster.close()))
  }
}

/** Posts twice, more than a second apart, so that every poster has counted the others. */
async function waitUntilCounted(posters: readonly Poster<Movement>[]): Promise<void> {
  const [from, to] = [await bank.wallet(1_000n), await bank.wallet()]
  for (const pauseMs of [1_100, 0]) {
    await Promise.all(posters.map((poster) => poster.post(movement([leg(from, to, 1n)]))))
    await delay(pauseMs)
  }
}

/** Counts the batches, movements and locks that posters report. */
function createCounts() {
  const counts = { batches: 0, movements: 0, locks: 0 }
  const metrics: PosterMetrics = {
    batch(movements) {
      counts.batches += 1
      counts.movements += movements
    },
    retry(cause) {
      if (cause === 'lock') counts.locks += 1
    },
  }
  return { counts, metrics }
}

const turnLockSql = `select lock.pid from pg_locks as lock
  join pg_stat_activity as activity on activity.pid = lock.pid and activity.state = 'idle'
  where lock.locktype = 'advisory' and lock.classid = 7316023 and lock.granted
    and lock.database = (select oid from pg_database where datname = current_database())`

describe('beside three others, a poster', () => {
  test('sends what gathers while no turn is free in one batch', async () => {
    const { counts, metrics } = createCounts()
    await withPosters(
      4,
      async (posters) => {
        const [from, to] = [await bank.wallet(1_000n), await bank.wallet()]
        const holder = await database.pool.connect()
        await holder.query('select pg_advisory_lock(7316023, 0), pg_advisory_lock(7316023, 1)')
        const batchesBefore = counts.batches
        const pendingPosts: Promise<unknown>[] = []
        for (const _ of repeat(10, (index) => index)) {
          for (const poster of posters) pendingPosts.push(poster.post(movement([leg(from, to, 1n)])))
          await delay(1)
        }
        holder.release(true)
        await Promise.all(pendingPosts)
        expect(counts.batches - batchesBefore).toBe(4)
        expect(await bank.balance(to)).toBe(40n)
      },
      { metrics },
    )
  })

  test('sends batches of a size near those of one poster, and hardly any movement twice', async () => {
    const wallets = await Promise.all(repeat(200, () => bank.wallet(100_000n)))
    async function runPosters(count: number) {
      const { counts, metrics } = createCounts()
      await withPosters(
        count,
        async (posters) => {
          Object.assign(counts, { batches: 0, movements: 0, locks: 0 })
          await Promise.all(
            repeat(256, async (caller) => {
              for (const round of repeat(30, (index) => index)) {
                const from = wallets[(caller * 7 + round) % 200]!
                const to = wallets[(caller * 3 + round * 11 + 1) % 200]!
                const poster = posters[(caller + round) % count]!
                if (from !== to) await poster.post(movement([leg(from, to, 1n)]))
              }
            }),
          )
        },
        { metrics },
      )
      return counts
    }
    const singlePosterRun = await runPosters(1)
    const fourPosterRun = await runPosters(4)
    // For comparison, measured without turns: batches a tenth as large, most with a movement that is resent.
    expect(fourPosterRun.movements / fourPosterRun.batches).toBeGreaterThan(
      singlePosterRun.movements / singlePosterRun.batches / 4,
    )
    expect(fourPosterRun.locks).toBeLessThan(fourPosterRun.batches / 4)
    expect(await findUnsound(database.pool)).toEqual([])
  })

  test('posts movements of the same accounts once each, also those that others post as well', async () => {
    await withPosters(4, async (posters) => {
      const [from, to] = [await bank.wallet(10_000n), await bank.wallet()]
      const movements = repeat(300, () => movement([leg(from, to, 2n), leg(from, bank.fee, 1n, 'fee')]))
      // Transactions outside a poster take no turns, and neither do posters of older versions.
      const unbatchedMovements = movements.filter((_, index) => index % 10 === 0)
      const outcomes = await Promise.all([
        ...movements.map((movement, index) => posters[index % 4]!.post(movement)),
        ...movements.map((movement, index) => posters[(index + 1) % 4]!.post(movement)),
        ...unbatchedMovements.map((movement) => postWithin(database.pool, movement)),
      ])
      expect(outcomes.filter(({ status }) => status === 'posted')).toHaveLength(300)
      expect(outcomes.filter(({ status }) => status === 'refused')).toEqual([])
      expect(await bank.balance(to)).toBe(600n)
      expect(await findUnsound(database.pool)).toEqual([])
    })
  })

  test('answers once a movement is on disk', async () => {
    const laggingPositions: string[] = []
    const writtenPositions: string[] = []
    const posters = repeat(4, () =>
      createPoster<Movement>({
        databaseUrl: database.applicationUrl,
        movementOf: (movement) => movement,
        encode: (movements, { stripes, waits }) => ({
          name: waits ? 'post' : 'post_at_once',
          text: `select ledger.post(${batchExpression}, waits => ${waits}) as statuses,
            pg_current_wal_insert_lsn()::text as written`,
          values: encodeBatch(movements, [], stripes),
        }),
        onPosted: (_, { written }) => writtenPositions.push(String(written)),
      }),
    )
    await waitUntilCounted(posters)
    const [from, to] = [await bank.wallet(1_000n), await bank.wallet()]
    for (const poster of repeat(100, (index) => posters[index % 4]!)) {
      await poster.post(movement([leg(from, to, 1n)]))
      const { rows } = await database.pool.query(
        'select pg_current_wal_flush_lsn()::text as flushed where pg_current_wal_flush_lsn() <= $1::pg_lsn',
        [writtenPositions.at(-1)],
      )
      laggingPositions.push(...rows.map(({ flushed }) => String(flushed)))
    }
    await Promise.all(posters.map((poster) => poster.close()))
    expect(laggingPositions).toEqual([])
  })

  test('loses and doubles nothing when connections are killed', async () => {
    const [from, to] = [await bank.wallet(100_000n), await bank.wallet()]
    let answeredCount = 0
    let killCount = 0
    await withPosters(4, async (posters) => {
      let isKilling = true
      // Kills only after progress, so that the test does not depend on the machine's speed.
      const killer = (async () => {
        for (let killedAt = 0; isKilling;) {
          await delay(10)
          if (answeredCount < killedAt + 150) continue
          killedAt = answeredCount
          const { rows } = await database.pool.query(
            `select pg_terminate_backend(pid) as killed from pg_stat_activity
              where datname = current_database() and application_name = 'tern poster'`,
          )
          killCount += rows.length
        }
      })()
      await Promise.all(
        repeat(40, async (caller) => {
          for (const round of repeat(25, (index) => index)) {
            const outcome = await posters[(caller + round) % 4]!.post(movement([leg(from, to, 1n)]))
            expect(outcome.status).not.toBe('refused')
            answeredCount += 1
          }
        }),
      )
      isKilling = false
      await killer
    })
    expect(killCount).toBeGreaterThan(8)
    expect(await bank.balance(to)).toBe(1_000n)
    expect(await findUnsound(database.pool)).toEqual([])
  })
})

describe('a poster that holds a turn', () => {
  const program = fileURLToPath(new URL('../../test/post-until-killed.ts', import.meta.url))

  /** Stops the process while one of its connections holds a turn; returns that connection's process id. */
  async function suspendTurnHolder(child: ChildProcess, otherPids: ReadonlySet<number>): Promise<number> {
    for (;;) {
      child.kill('SIGSTOP')
      // Leaves time to receive a turn it may be waiting for.
      await delay(20)
      const { rows } = await database.pool.query<{ pid: number }>(turnLockSql)
      await delay(20)
      const { rows: turnRows } = await database.pool.query<{ pid: number }>(turnLockSql)
      const turnHolder = rows.find(({ pid }) => !otherPids.has(pid) && turnRows.some((row) => row.pid === pid))
      if (turnHolder) return turnHolder.pid
      child.kill('SIGCONT')
      await delay(20)
    }
  }

  async function hasTurn(pid: number): Promise<boolean> {
    const { rowCount } = await database.pool.query(`${turnLockSql} and lock.pid = $1`, [pid])
    return rowCount !== 0
  }

  async function listPosterPids(): Promise<Set<number>> {
    const { rows } = await database.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'tern poster'`,
    )
    return new Set(rows.map(({ pid }) => pid))
  }

  test.each(['SIGSTOP', 'SIGKILL'] as const)(
    'loses it to the others after %s, and nothing is lost or doubled',
    async (signal) => {
      const [from, to] = [await bank.wallet(10_000_000n), await bank.wallet()]
      const [payerAccount, payeeAccount] = [await bank.wallet(10_000_000n), await bank.wallet()]
      await withPosters(3, async (posters) => {
        const otherPids = await listPosterPids()
        const child = spawn(
          process.execPath,
          [program, database.applicationUrl, String(from), String(to), String(bank.fee)],
          {
            stdio: ['ignore', 'pipe', 'inherit'],
          },
        )
        onTestFinished(() => void child.kill('SIGKILL'))
        let output = ''
        child.stdout.setEncoding('utf8')
        child.stdout.on('data', (text: string) => (output += text))
        const readPostedIds = () => output.split('\n').slice(0, -1)
        let isPosting = true
        const sentCounts = [0, 0, 0]
        const trafficLoops = repeat(12, async (caller) => {
          const index = caller % 3
          while (isPosting) {
            expect(await posters[index]!.post(movement([leg(payerAccount, payeeAccount, 1n)]))).toEqual({
              status: 'posted',
            })
            sentCounts[index]! += 1
          }
        })
        while (readPostedIds().length < 200) await delay(20)
        const holder = await suspendTurnHolder(child, otherPids)
        if (signal === 'SIGKILL') child.kill('SIGKILL')
        // The other posters must continue while the holder of the turn is stopped or dead.
        const sentBefore = [...sentCounts]
        while (sentCounts.some((count, index) => count < sentBefore[index]! + 100) || (await hasTurn(holder)))
          await delay(10)
        if (signal === 'SIGSTOP') {
          const acknowledgedCount = readPostedIds().length
          child.kill('SIGCONT')
          while (readPostedIds().length < acknowledgedCount + 100) await delay(20)
          child.kill('SIGKILL')
        }
        if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
        isPosting = false
        await Promise.all(trafficLoops)
        expect(await bank.balance(payeeAccount)).toBe(BigInt(sentCounts.reduce((sum, count) => sum + count)))

        const { rows } = await database.pool.query<{ id: string; entries: number }>(
          `select posting_id as id, count(*)::int as entries from ledger.entry e
          where exists (select from ledger.entry s where s.posting_id = e.posting_id and s.account_id = $1 and s.amount = -2)
          group by posting_id`,
          [from],
        )
        const entriesById = new Map(rows.map((row) => [row.id, row.entries]))
        expect(readPostedIds().filter((id) => entriesById.get(id) !== 4)).toEqual([])
        expect(await bank.balance(to)).toBe(2n * BigInt(entriesById.size))
        expect(await findUnsound(database.pool)).toEqual([])
      })
    },
  )
})
