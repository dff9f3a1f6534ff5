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

/** Cosignatures that count. */
export interface Quorum {
  /** Names of the configured witnesses, by `nameWitness`. */
  readonly witnesses: readonly string[]
  /** Number of their cosignatures that a checkpoint should have. */
  readonly quorum: number
}

/** Most cosignatures that are searched for a checkpoint, from either end. */
const searched = 300

/** Age at which a checkpoint with a quorum gives way to the last one, which monitors need. */
const longestDelayMs = 600_000

/**
 * Reads the checkpoint to publish: the last one with a quorum of cosignatures, or the very last one while the witnesses
 * are far behind. Undefined while the log is empty.
 */
export async function readPublishedCheckpoint(db: Db, { witnesses, quorum }: Quorum): Promise<Checkpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>(
    `with last as (select size, signed_at from transparency_checkpoint order by size desc limit 1),
     known as (select size from transparency_cosignature where witness = any($1) order by size desc limit ${searched})
     ${selectSql} where c.size = coalesce(
       (select k.size from known k join transparency_checkpoint signed on signed.size = k.size
         where signed.signed_at >= (select signed_at from last) - $3 * interval '1 millisecond'
         group by k.size having count(*) >= $2 order by k.size desc limit 1),
       (select size from last))`,
    [witnesses, Math.max(quorum, 1), longestDelayMs],
  )
  return rows[0] && addCosignatures(rows[0])
}

/** Time for which a proof waits for a quorum of cosignatures, from the first checkpoint that contains its leaf. */
const quorumWaitMs = 60_000

/**
 * Reads the checkpoint that proves a leaf best: the first one with the most cosignatures of configured witnesses,
 * otherwise the last one. Undefined if no checkpoint contains the leaf yet, or a quorum is still to be expected.
 */
export async function readProvingCheckpoint(
  db: Db,
  { leafIndex, witnesses, quorum, now }: Quorum & { readonly leafIndex: number; readonly now: Date },
): Promise<Checkpoint | undefined> {
  const { rows } = await db.query<CheckpointRow & { readonly cosigned: number; readonly first_at: Date }>(
    `with known as (
       (select size, witness from transparency_cosignature where size > $1 and witness = any($2)
         order by size, witness limit ${searched})
       union
       (select size, witness from transparency_cosignature where size > $1 and witness = any($2)
         order by size desc, witness limit ${searched})
     ), best as (
       select size, count(*)::int as cosigned from known group by size order by count(*) desc, size limit 1
     )
     select chosen.*, coalesce((select cosigned from best), 0) as cosigned,
        (select signed_at from transparency_checkpoint where size > $1 order by size limit 1) as first_at
       from (${selectSql} where c.size = coalesce((select size from best),
          (select size from transparency_checkpoint where size > $1 order by size desc limit 1))) as chosen`,
    [leafIndex, witnesses],
  )
  const [row] = rows
  if (!row || (row.cosigned < quorum && now.getTime() - row.first_at.getTime() < quorumWaitMs)) return undefined
  return addCosignatures(row)
}
