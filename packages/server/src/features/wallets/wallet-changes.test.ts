import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { type Db, onlyRow, transact } from '../../platform/database/db.ts'
import type { ChangeReader } from '../../platform/events/events.ts'
import { changeReader } from './wallet-changes.ts'
import { openWallet } from './wallets.ts'

let reader: ChangeReader
let userId = 1_000_000_000n

const database = await openTestDatabase()
const pool = database.pool
beforeEach(async () => {
  reader = changeReader({ pool, now: () => new Date() })
  userId += 1n
  await transact(pool, (tx) => openWallet(tx, { userId, at: new Date() }))
})

interface Origin {
  readonly user?: bigint
  readonly minutesAgo?: number
  /** Database transaction number to store in the row; the current one by default. */
  readonly xid?: string
  readonly status?: 'PENDING'
}

const addRows = async (db: Db, count: number, { user = userId, minutesAgo = 0, xid, status }: Origin = {}) => {
  const { rows } = await db.query<{ id: string }>(
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, wallet_id, description, source_amount,
        source_currency, target_amount, target_currency, fee_amount, fee_currency, xid)
      select $1, (lpad(to_hex(floor(extract(epoch from made.at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 19))::uuid,
          gen_random_uuid(), 'DEPOSIT', coalesce($5, 'COMPLETED'), made.at, gen_random_uuid(), 'card_deposit', 1, 'USD', 1,
          'USD', 0, 'USD', coalesce($4::text::xid8, pg_current_xact_id())
        from generate_series(1, $2::int), (values (clock_timestamp() - make_interval(mins => $3))) as made (at) returning id`,
    [user, count, minutesAgo, xid, status],
  )
  return rows.map(({ id }) => id)
}

const loadIdsSince = async (position: string) => (await reader.read(userId, position)).transactions.map(({ id }) => id)
const loadPosition = async () => (await reader.read(userId, undefined)).position
/** Returns a position after these rows, once no older transaction is open on the server. */
const loadPositionAfter = async (ids: readonly string[]) => {
  await expect.poll(async () => (await loadIdsSince(await loadPosition())).filter((id) => ids.includes(id))).toEqual([])
  return loadPosition()
}

/** Turns a position into one of another cluster. */
const toOtherCluster = (position: string) => position.replace(/^[^-]+/, '0123456789ab')
/** Turns a position into one of some minutes earlier. */
const toEarlierPosition = (position: string, minutes: number) =>
  position.replace(/\d+$/, (milliseconds) => String(BigInt(milliseconds) - BigInt(minutes * 60_000)))
const toTransactionNumber = (position: string, xid: string) => position.replace(/-\d+-/, `-${xid}-`)

describe('changes since a position of this cluster', () => {
  test('include new rows and status changes', async () => {
    const [pendingId = ''] = await addRows(pool, 1, { status: 'PENDING' })
    const position = await loadPositionAfter([pendingId])
    const newIds = await addRows(pool, 2)
    expect((await loadIdsSince(position)).toSorted()).toEqual(newIds.toSorted())
    await pool.query(`update transaction set status = 'FAILED', xid = pg_current_xact_id() where id = $1`, [pendingId])
    expect((await loadIdsSince(position)).toSorted()).toEqual([pendingId, ...newIds].toSorted())
  })

  test('include rows of long transactions that others overlapped', async () => {
    const slowConnection = await pool.connect()
    await slowConnection.query('begin')
    const [lateId] = await addRows(slowConnection, 1)
    let position = await loadPosition()
    for (let round = 0; round < 5; round++) {
      await addRows(pool, 1)
      const changes = await reader.read(userId, position)
      position = changes.position
      await delay(20)
    }
    await slowConnection.query('commit')
    slowConnection.release()
    expect(await loadIdsSince(position)).toContain(lateId)
  })

  test('are returned a thousand at a time', async () => {
    let from = await loadPosition()
    const newIds: string[] = []
    for (let part = 0; part < 3; part++) newIds.push(...(await addRows(pool, 500)))
    // Waits until no transaction that is older than these rows is open on the server, including those of other tests.
    await loadPositionAfter(newIds)
    const reportedIds = new Set<string>()
    for (let hasMore = true; hasMore;) {
      const changes = await reader.read(userId, from)
      for (const { id } of changes.transactions) reportedIds.add(id)
      expect(changes).toMatchObject({ isIncomplete: false })
      expect(changes.transactions.length).toBeLessThanOrEqual(1000)
      hasMore = changes.more
      from = changes.position
    }
    expect([...reportedIds].toSorted()).toEqual(newIds.toSorted())
  })

  test('are also found by time after a server restart, since numbers may repeat', async () => {
    const reusedIds = await addRows(pool, 1, { xid: '3' })
    const position = await loadPosition()
    expect(await loadIdsSince(position)).not.toContain(reusedIds[0])
    const { rows } = await pool.query<{ minutes: number }>(
      `select ceil(extract(epoch from now() - pg_postmaster_start_time()) / 60)::int as minutes`,
    )
    const minutes = rows[0]!.minutes
    // Positions over ten minutes old are read by time anyway.
    if (minutes < 10) {
      const changes = await reader.read(userId, toEarlierPosition(position, minutes))
      expect(changes.transactions.map(({ id }) => id)).toContain(reusedIds[0])
      expect(changes.isIncomplete).toBe(false)
    }
  })

  test('are returned by time, with a full reload, for a position over ten minutes old', async () => {
    const pendingIds = await addRows(pool, 5, { minutesAgo: 60, status: 'PENDING' })
    const recentIds = await addRows(pool, 3, { minutesAgo: 15 })
    const position = toEarlierPosition(await loadPosition(), 11)
    const changes = await reader.read(userId, position)
    expect(changes.transactions.map(({ id }) => id).toSorted()).toEqual(recentIds.toSorted())
    expect(changes.isIncomplete).toBe(true)
    await pool.query(`update transaction set status = 'FAILED' where id = $1`, [pendingIds[0]])
    expect(await loadIdsSince(position)).toContain(pendingIds[0])
  })
})

describe('changes since a position of another cluster', () => {
  test('start some minutes earlier whatever their number, with a full reload', async () => {
    await addRows(pool, 50, { minutesAgo: 60, xid: '900000000000' })
    const missedIds = [...(await addRows(pool, 2, { xid: '3' })), ...(await addRows(pool, 1, { xid: '900000000001' }))]
    const changes = await reader.read(userId, toOtherCluster(await loadPosition()))
    expect(changes.transactions.map(({ id }) => id).toSorted()).toEqual(missedIds.toSorted())
    expect(changes.isIncomplete).toBe(true)
    // The next position is of this cluster.
    expect(changes.position.split('-')[0]).toBe((await loadPosition()).split('-')[0])
  })

  test('are found when the position is ahead of this server by number or time', async () => {
    const position = await loadPosition()
    const newIds = await addRows(pool, 2)
    for (const futurePosition of [
      toTransactionNumber(position, '900000000000'),
      toTransactionNumber(toOtherCluster(position), '900000000000'),
      toEarlierPosition(toOtherCluster(position), -600),
    ]) {
      const changes = await reader.read(userId, futurePosition)
      expect(changes.transactions.map(({ id }) => id).toSorted()).toEqual(newIds.toSorted())
      expect(changes.isIncomplete).toBe(true)
    }
  })

  test('beyond two hundred only request a full reload', async () => {
    const position = toOtherCluster(await loadPosition())
    await addRows(pool, 200)
    expect((await reader.read(userId, position)).transactions).toHaveLength(200)
    await addRows(pool, 1)
    expect(await reader.read(userId, position)).toMatchObject({ isIncomplete: true, more: false, transactions: [] })
  })

  test.each(['4711', '', 'x', '1-2', '0123456789ab-2-3-4', '0123456789ab-99999999999999999999-1'])(
    'request a full reload for the malformed position %j',
    async (position) => {
      expect(await reader.read(userId, position)).toMatchObject({ isIncomplete: true, transactions: [] })
    },
  )
})

describe('streams that are behind', () => {
  test('are found with one query for all', async () => {
    const positionBefore = await loadPosition()
    const buildPosition = (user: bigint, position: string) => ({ userId: user, position })
    const [first, second] = [buildPosition(userId, positionBefore), buildPosition(userId + 1000n, positionBefore)]
    expect((await reader.findBehind([first, second], undefined)).behind).toEqual(new Set([first, second]))

    await expect.poll(async () => (await reader.findBehind([first], positionBefore)).behind.size).toBe(0)
    await addRows(pool, 2, { user: userId + 1000n })
    await addRows(pool, 1, { user: userId + 2000n })
    const { behind, position } = await reader.findBehind([first, second], positionBefore)
    expect(behind).toEqual(new Set([second]))
    expect(position.split('-')[0]).toBe(positionBefore.split('-')[0])
  })

  test('include positions before the queried one or in another cluster', async () => {
    const from = await loadPosition()
    const earlierRequest = { userId, position: toTransactionNumber(from, '3') }
    const foreignRequest = { userId, position: toOtherCluster(from) }
    const invalidRequest = { userId, position: 'x' }
    const currentRequest = { userId, position: from }
    const { behind } = await reader.findBehind([earlierRequest, foreignRequest, invalidRequest, currentRequest], from)
    expect(behind).toEqual(new Set([earlierRequest, foreignRequest, invalidRequest]))
    expect((await reader.findBehind([currentRequest], toOtherCluster(from))).behind).toEqual(new Set([currentRequest]))
  })
})

test('are found by index for any length of history, without reading the history', async () => {
  for (let part = 0; part < 10; part++) await addRows(pool, 20_000, { minutesAgo: 60 + part, xid: String(part + 3) })
  await pool.query('analyze transaction')
  const position = await loadPosition()
  const newIds = await addRows(pool, 1)
  const streams = Array.from({ length: 1000 }, () => ({ userId, position }))

  await transact(pool, async (tx) => {
    const readerInTransaction = changeReader({ pool: tx, now: () => new Date() })
    expect((await readerInTransaction.read(userId, position)).transactions.map(({ id }) => id)).toEqual(newIds)
    const otherClusterChanges = await readerInTransaction.read(userId, toOtherCluster(position))
    expect(otherClusterChanges.transactions.map(({ id }) => id)).toEqual(newIds)
    expect((await readerInTransaction.findBehind(streams, position)).behind.size).toBe(1000)
    const { rows } = await tx.query<{ scans: bigint; read: bigint }>(
      `select seq_scan as scans, idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'transaction'`,
    )
    expect(onlyRow(rows).scans, 'whole tables read').toBe(0n)
    expect(onlyRow(rows).read, 'rows read by index').toBeLessThan(100n)
  })
})
