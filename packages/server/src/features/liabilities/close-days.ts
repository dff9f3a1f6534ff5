// Builds the tree of each day that has ended, once with any number of workers, and puts its root into the log.

import { randomBytes } from 'node:crypto'
import { commitRoot, formatNode, joinAll, type SumNode } from '@tern/transparency/liabilities/sum-tree'
import { toSums } from '@tern/transparency/liabilities/sums'
import { formatLiabilitiesLeaf } from '@tern/transparency/posting-leaf'
import type pg from 'pg'
import { transact, type Tx } from '../../platform/database/db.ts'
import { addDays, clockSkewMs, findDayStart, toDay } from '../statements/statements.ts'
import type { Transparency } from '../transparency/transparency.ts'
import { findDepth, type OwedTile, readTiles } from './sum-leaves.ts'
import type { LiabilityDayRow, LiabilityTotalRow } from './row-types.ts'
import { treeLock } from './tables.ts'

/** Days that are closed later if no worker ran. */
const mostLateDays = 7
const seedBytes = 32

interface CloseContext {
  readonly now: () => Date
  readonly transparency: Pick<Transparency, 'appendEntry'>
}

/** Builds the trees of the last days that have none yet, and logs their roots. */
export async function closeDays(ctx: CloseContext, pool: pg.Pool): Promise<void> {
  const now = ctx.now()
  // By then no process with a slow clock posts into the day.
  const lastDay = addDays(toDay(new Date(now.getTime() - clockSkewMs), 'UTC'), -1)
  for (const day of await listDueDays(pool, lastDay)) await buildDay(pool, { day, builtAt: now })
  await logRoots(ctx, pool)
}

/** Lists the days without a tree: the last one, and earlier ones since the newest tree. */
async function listDueDays(pool: pg.Pool, lastDay: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ newest: string | null }>('select max(day) as newest from liability_day')
  const newest = rows[0]?.newest ?? addDays(lastDay, -1)
  const earliest = addDays(lastDay, 1 - mostLateDays)
  const days: string[] = []
  for (let day = addDays(newest, 1); day <= lastDay; day = addDays(day, 1)) if (day >= earliest) days.push(day)
  return days
}

interface NewDay {
  readonly day: string
  readonly builtAt: Date
}

/** Builds and stores the tree of a day, unless it exists or another process builds one. */
async function buildDay(pool: pg.Pool, { day, builtAt }: NewDay): Promise<void> {
  await transact(
    pool,
    async (tx) => {
      if (!(await lockTrees(tx))) return
      // A tree that was committed between this snapshot and the lock makes the insert fail by its key.
      const { rowCount } = await tx.query('select from liability_day where day = $1', [day])
      if (rowCount === 1) return
      const input = { at: findDayStart(addDays(day, 1), 'UTC'), seed: randomBytes(seedBytes) }
      const depth = await findDepth(tx, input)
      const nodes: SumNode[] = []
      for await (const tile of readTiles(tx, { ...input, depth })) {
        nodes.push(tile.node)
        await insertTile(tx, day, tile)
      }
      await insertDay(tx, { day, builtAt, seed: input.seed, depth, root: joinAll(nodes) })
    },
    'begin isolation level repeatable read',
  )
}

async function lockTrees(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
    [treeLock],
  )
  return rows[0]?.locked === true
}

async function insertTile(tx: Tx, day: string, { tileIndex, leaves, holders, node }: OwedTile): Promise<void> {
  await tx.query('insert into liability_tile (day, tile_index, leaves, node) values ($1, $2, $3, $4)', [
    day,
    tileIndex,
    Buffer.from(leaves),
    Buffer.from(formatNode(node)),
  ])
  // Deleted accounts have no proofs.
  await tx.query(
    `insert into liability_holder (day, user_id, position)
      select $1, u.id, $2::bigint + leaf.place - 1
        from unnest($3::bigint[]) with ordinality as leaf (user_id, place)
        join app_user u on u.id = leaf.user_id where u.deleted_at is null`,
    [day, tileIndex * holders.length, holders],
  )
}

async function insertDay(
  tx: Tx,
  {
    day,
    builtAt,
    seed,
    depth,
    root,
  }: NewDay & { readonly seed: Uint8Array; readonly depth: number; readonly root: SumNode },
): Promise<void> {
  await tx.query('insert into liability_day (day, seed, depth, root_hash, built_at) values ($1, $2, $3, $4, $5)', [
    day,
    Buffer.from(seed),
    depth,
    Buffer.from(root.hash),
    builtAt,
  ])
  await tx.query(
    `insert into liability_total (day, currency, amount) select $1, * from unnest($2::text[], $3::numeric[])`,
    [day, root.sums.map(({ currency }) => currency), root.sums.map(({ minor }) => minor)],
  )
}

/** Day whose tree is stored. */
export type StoredDay = Pick<LiabilityDayRow, 'day' | 'depth' | 'root_hash'>
type ScaledTotal = Pick<LiabilityTotalRow, 'currency' | 'amount'> & { readonly scale: number }

/** Reads the root of a stored tree. */
export async function readRoot(db: Pick<Tx, 'query'>, { day, root_hash: hash }: StoredDay): Promise<SumNode> {
  const { rows } = await db.query<ScaledTotal>(
    `select t.currency, t.amount, c.scale from liability_total t join ledger.currency c on c.code = t.currency
      where t.day = $1`,
    [day],
  )
  const sums = toSums(rows.map(({ currency, amount, scale }) => ({ currency, scale, minor: amount })))
  return { hash: new Uint8Array(hash), sums }
}

/** Puts the roots of the trees into the log, oldest first, each once. */
async function logRoots({ transparency }: CloseContext, pool: pg.Pool): Promise<void> {
  while (await transact(pool, (tx) => logNext(transparency, tx)));
}

async function logNext(transparency: CloseContext['transparency'], tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<StoredDay>(
    `select day, depth, root_hash from liability_day where leaf_index is null
      order by day limit 1 for update skip locked`,
  )
  const [stored] = rows
  if (!stored) return false
  const { day, depth } = stored
  const digest = commitRoot({ day, depth, root: await readRoot(tx, stored) })
  const leafIndex = await transparency.appendEntry(tx, formatLiabilitiesLeaf({ day, digest }))
  await tx.query('update liability_day set leaf_index = $2 where day = $1', [day, leafIndex])
  return true
}
