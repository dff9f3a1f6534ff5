// Checkpoints: the log's signature on the size and root of its tree, and the cosignatures of witnesses.

import { type Checkpoint, formatCheckpoint, parseCheckpoint, signCheckpoint } from '@tern/transparency/checkpoint'
import { parseSignatureLine } from '@tern/transparency/signed-note'
import { computeEdgeRoot } from '@tern/transparency/tree-edge'
import type pg from 'pg'
import { type Db, transact } from '../../platform/database/db.ts'
import { lockLog } from './append-postings.ts'
import { type LogKeyContext, readLogKey } from './log-key.ts'
import { readEdge } from './tile-store.ts'

/** Signs the current tree, unless its checkpoint exists or another process is working. */
export async function signCurrentTree(ctx: Pick<LogKeyContext, 'seal' | 'realNow'>, pool: pg.Pool): Promise<void> {
  await transact(pool, async (tx) => {
    const log = await lockLog(tx)
    if (!log || log.size === 0) return
    const { rowCount } = await tx.query('select from transparency_checkpoint where size = $1', [log.size])
    if (rowCount === 1) return
    const key = await readLogKey(ctx, tx)
    const root = computeEdgeRoot(await readEdge(tx, log.size))
    const checkpoint = signCheckpoint({ origin: key.name, size: log.size, root }, key)
    await tx.query('insert into transparency_checkpoint (size, root, note, signed_at) values ($1, $2, $3, $4)', [
      log.size,
      Buffer.from(root),
      formatCheckpoint(checkpoint),
      ctx.realNow(),
    ])
  })
}

interface CheckpointRow {
  readonly note: string
  readonly lines: readonly string[]
}

const selectSql = `select c.note, array(select s.line from transparency_cosignature s where s.size = c.size order by s.witness) as lines
  from transparency_checkpoint c`

const addCosignatures = ({ note, lines }: CheckpointRow): Checkpoint => {
  const checkpoint = parseCheckpoint(note)
  return { ...checkpoint, signatures: [...checkpoint.signatures, ...lines.map((line) => parseSignatureLine(line))] }
}

/** Reads the last checkpoint with its cosignatures; undefined while the log is empty. */
export async function readLastCheckpoint(db: Db): Promise<Checkpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>(`${selectSql} order by c.size desc limit 1`)
  return rows[0] && addCosignatures(rows[0])
}

/**
 * Reads the checkpoint that proves a leaf best: the last one with the most cosignatures of all that contain it.
 * Undefined if no checkpoint contains the leaf yet.
 */
export async function readProvingCheckpoint(db: Db, leafIndex: number): Promise<Checkpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>(
    `${selectSql} where c.size > $1 and c.size in (
        (select size from transparency_checkpoint order by size desc limit 1)
        union all
        (select s.size from transparency_cosignature s where s.size > $1 group by s.size
          order by count(*) desc, s.size desc limit 1))
      order by (select count(*) from transparency_cosignature s where s.size = c.size) desc, c.size desc limit 1`,
    [leafIndex],
  )
  return rows[0] && addCosignatures(rows[0])
}
