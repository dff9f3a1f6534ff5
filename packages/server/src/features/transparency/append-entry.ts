import { hashLeaf } from '@tern/transparency/merkle'
import { appendLeaves } from '@tern/transparency/tree-edge'
import type { Tx } from '../../platform/database/db.ts'
import { lockLog } from './append-postings.ts'
import { readEdge, storeGrowth } from './tile-store.ts'

/** Appends an entry that is not about a posting, after a running step of the log; returns its place. */
export async function appendEntry(tx: Tx, data: Uint8Array): Promise<number> {
  await tx.query('select from transparency_position for update')
  const log = await lockLog(tx)
  if (!log) throw new Error('the transparency log has no position')
  await tx.query('insert into transparency_leaf (leaf_index, data) values ($1, $2)', [log.size, Buffer.from(data)])
  await storeGrowth(tx, appendLeaves(await readEdge(tx, log.size), [hashLeaf(data)]))
  return log.size
}
