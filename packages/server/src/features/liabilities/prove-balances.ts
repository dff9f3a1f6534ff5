// Proofs that a user's balances are in the tree of a day.

import type { BalanceProof } from '@tern/transparency/liabilities/balance-proof'
import { deriveSalt, listSiblings } from '@tern/transparency/liabilities/sum-tree'
import { formatLoggedBalance } from '@tern/transparency/liabilities/verify-balance'
import type { Db } from '../../platform/database/db.ts'
import type { Transparency } from '../transparency/transparency.ts'
import type { LiabilityDayRow, LiabilityHolderRow, LiabilityTileRow } from './row-types.ts'
import { readLeaves, readNode, tileWidth, toNodes } from './sum-leaves.ts'

export type ClosedDay = Pick<LiabilityDayRow, 'day' | 'seed' | 'depth' | 'leaf_index' | 'built_at'>

/** Reads the newest day whose tree is in the log; undefined before the first. */
export async function findLastDay(db: Db): Promise<ClosedDay | undefined> {
  const { rows } = await db.query<ClosedDay>(
    `select day, seed, depth, leaf_index, built_at from liability_day where leaf_index is not null
      order by day desc limit 1`,
  )
  return rows[0]
}

interface ProofInput {
  readonly closedDay: ClosedDay
  readonly userId: bigint
}

/** Proves a user's balances in a stored tree; undefined if the tree has no leaf for the user. */
export async function proveBalances(db: Db, { closedDay, userId }: ProofInput): Promise<BalanceProof | undefined> {
  const { day, seed } = closedDay
  const { rows } = await db.query<Pick<LiabilityHolderRow, 'position'>>(
    'select position from liability_holder where day = $1 and user_id = $2',
    [day, userId],
  )
  const [found] = rows
  if (!found) return undefined
  const position = Number(found.position) // not money: a place in the tree
  const tileIndex = Math.floor(position / tileWidth) // not money: a place in the tree
  const leaves = await readTile(db, { day, tileIndex })
  const place = position % tileWidth
  const nodes = await readTileNodes(db, day)
  const holder = userId.toString()
  return {
    day,
    holder,
    salt: deriveSalt(new Uint8Array(seed), holder),
    balances: leaves[place]?.sums ?? [],
    position,
    siblings: [...listSiblings(toNodes(leaves), place), ...listSiblings(nodes, tileIndex)],
  }
}

async function readTile(db: Db, { day, tileIndex }: { readonly day: string; readonly tileIndex: number }) {
  const { rows } = await db.query<Pick<LiabilityTileRow, 'leaves'>>(
    'select leaves from liability_tile where day = $1 and tile_index = $2',
    [day, tileIndex],
  )
  return readLeaves(new Uint8Array(rows[0]?.leaves ?? []))
}

async function readTileNodes(db: Db, day: string) {
  const { rows } = await db.query<Pick<LiabilityTileRow, 'node'>>(
    'select node from liability_tile where day = $1 order by tile_index',
    [day],
  )
  return rows.map(({ node }) => readNode(new Uint8Array(node)))
}

/** Formats a proof with the place of its tree in the log; undefined until a signed checkpoint contains the tree. */
export async function formatProof(
  { transparency }: { readonly transparency: Pick<Transparency, 'proveEntry'> },
  db: Db,
  { closedDay, proof }: { readonly closedDay: ClosedDay; readonly proof: BalanceProof },
): Promise<string | undefined> {
  if (closedDay.leaf_index === null) return undefined
  const place = await transparency.proveEntry(db, Number(closedDay.leaf_index)) // not money: a place in the log
  return place && formatLoggedBalance({ ...place, proof })
}
