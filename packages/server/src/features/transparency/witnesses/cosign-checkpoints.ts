// Cosignatures of witnesses. Every worker claims the witnesses that are due, asks them side by side without a transaction,
// and stores what they answer. A worker that ends meanwhile leaves a claim that expires.

import { type Checkpoint, parseCheckpoint } from '@tern/transparency/checkpoint'
import { buildConsistencyProof, listConsistencyTiles } from '@tern/transparency/tiles'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Db } from '../../../platform/database/db.ts'
import type { TransparencyCheckpointRow, TransparencyWitnessRow } from '../row-types.ts'
import { loadTiles } from '../tile-store.ts'
import { sendCheckpoint, type Witness, type WitnessOutcome } from './send-checkpoint.ts'
import { nameWitness } from './witness-states.ts'

/** Pause between two requests to a witness. All witnesses get the checkpoint of the same moment within it. */
const pauseMs = 5000
/** Time after which another worker may ask the witness; above two requests. */
const claimMs = 30_000
/** Age of a cosignature at which the same checkpoint is sent again, so that the witness is known to live. */
const renewalMs = 600_000
const longestBackoffMs = 300_000

interface CosignContext {
  readonly witnesses: readonly Witness[]
  readonly realNow: () => Date
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'> | undefined
}

/** Adds the configured witnesses that are new. Safe to run in several processes at once. */
export async function ensureWitnesses({ witnesses }: Pick<CosignContext, 'witnesses'>, pool: pg.Pool): Promise<void> {
  if (witnesses.length === 0) return
  await pool.query(
    'insert into transparency_witness (witness) select * from unnest($1::text[]) on conflict do nothing',
    [witnesses.map(({ key }) => nameWitness(key))],
  )
}

/** Asks every witness that is due for its cosignature. Takes at most as long as two requests to the slowest one. */
export async function cosignCheckpoints(ctx: CosignContext, pool: pg.Pool): Promise<void> {
  if (ctx.witnesses.length === 0) return
  const results = await Promise.allSettled((await claimDue(ctx, pool)).map((claim) => cosign(ctx, pool, claim)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

interface Claim {
  readonly witness: Witness
  /** Size of the tree that the witness last cosigned. */
  readonly oldSize: number
  readonly checkpoint: Checkpoint
}

type ClaimRow = Pick<TransparencyWitnessRow, 'witness' | 'size'> & Pick<TransparencyCheckpointRow, 'note'>

/** Claims the witnesses that may be asked again and lack the cosignature of the current checkpoint, or a recent one. */
async function claimDue({ witnesses, realNow }: CosignContext, pool: pg.Pool): Promise<readonly Claim[]> {
  const now = realNow()
  const { rows } = await pool.query<ClaimRow>(
    `update transparency_witness w set next_at = $2::timestamptz + $3 * interval '1 millisecond'
       from (select size, note from transparency_checkpoint
              where signed_at < date_bin($4 * interval '1 millisecond', $2, to_timestamp(0))
              order by size desc limit 1) c
      where w.witness = any($1) and w.next_at <= $2
        and (w.size < c.size or w.size = c.size
          and (w.cosigned_at is null or w.cosigned_at < $2 - $5 * interval '1 millisecond'))
      returning w.witness, w.size, c.note`,
    [witnesses.map(({ key }) => nameWitness(key)), now, claimMs, pauseMs, renewalMs],
  )
  return rows.flatMap(({ witness: name, size, note }) => {
    const witness = witnesses.find(({ key }) => nameWitness(key) === name)
    // not money: a count of leaves
    return witness ? [{ witness, oldSize: Number(size), checkpoint: parseCheckpoint(note) }] : []
  })
}

async function cosign(ctx: CosignContext, pool: pg.Pool, claim: Claim): Promise<void> {
  const outcome = await askWitness(pool, claim)
  if (outcome.state === 'cosigned') return storeCosignature(ctx, pool, { ...claim, ...outcome })
  if (outcome.state === 'later') return storeSize(ctx, pool, { ...claim, size: outcome.size })
  return storeFailure(ctx, pool, { ...claim, ...outcome })
}

type ClaimOutcome =
  | Exclude<WitnessOutcome, { state: 'other_size' | 'refused' }>
  /** The witness has cosigned a later checkpoint of this log. */
  | { readonly state: 'later'; readonly size: number }
  | { readonly state: 'refused'; readonly failure: string }

/** Sends the checkpoint; a second time if the witness last cosigned a tree of another size. */
async function askWitness(pool: pg.Pool, { witness, oldSize, checkpoint }: Claim): Promise<ClaimOutcome> {
  const first = await sendFrom(pool, { witness, oldSize, checkpoint })
  if (first.state !== 'other_size') return first
  if (first.size > checkpoint.size) return judgeLargerSize(pool, first.size)
  const second = await sendFrom(pool, { witness, oldSize: first.size, checkpoint })
  return second.state === 'other_size' ? { state: 'failed', failure: 'changing_size' } : second
}

/** Another worker may have sent a later checkpoint; a size that was never signed means that this log has shrunk. */
async function judgeLargerSize(db: Db, size: number): Promise<ClaimOutcome> {
  const { rowCount } = await db.query('select from transparency_checkpoint where size >= $1 limit 1', [size])
  return rowCount === 1 ? { state: 'later', size } : { state: 'refused', failure: 'shrunk' }
}

async function sendFrom(db: Db, { witness, oldSize, checkpoint }: Claim): Promise<WitnessOutcome> {
  const sizes = { size1: oldSize, size2: checkpoint.size }
  const proof = buildConsistencyProof({ ...sizes, tiles: await loadTiles(db, listConsistencyTiles(sizes)) })
  return sendCheckpoint(witness, { oldSize, proof, checkpoint })
}

/** Stores a cosignature. The first one of a witness and checkpoint stays, because the earliest time counts. */
async function storeCosignature(
  { realNow }: CosignContext,
  pool: pg.Pool,
  { witness, checkpoint, line, time }: Claim & { readonly line: string; readonly time: number },
): Promise<void> {
  await pool.query(
    `with stored as (
       insert into transparency_cosignature (size, witness, line, cosigned_at)
         values ($2, $1, $3, to_timestamp($4)) on conflict do nothing
     )
     update transparency_witness set size = $2, cosigned_at = $5, failure = null, failed_at = null, failures = 0,
         next_at = $5::timestamptz + $6 * interval '1 millisecond'
      where witness = $1`,
    [nameWitness(witness.key), checkpoint.size, line, time, realNow(), pauseMs],
  )
}

async function storeSize(
  { realNow }: CosignContext,
  pool: pg.Pool,
  { witness, size }: Pick<Claim, 'witness'> & { readonly size: number },
): Promise<void> {
  await pool.query(
    `update transparency_witness set size = $2, next_at = $3::timestamptz + $4 * interval '1 millisecond'
      where witness = $1`,
    [nameWitness(witness.key), size, realNow(), pauseMs],
  )
}

interface Failure extends Pick<Claim, 'witness'> {
  readonly state: 'refused' | 'failed'
  readonly failure: string
}

/** Stores why there is no cosignature. After a refusal, only an operator lets the witness be asked again. */
async function storeFailure(
  { realNow, log }: CosignContext,
  pool: pg.Pool,
  { witness, state, failure }: Failure,
): Promise<void> {
  const { rows } = await pool.query<Pick<TransparencyWitnessRow, 'failures'>>(
    `update transparency_witness set failure = $2, failed_at = coalesce(failed_at, $3), failures = failures + 1,
         next_at = case when $4 then 'infinity'
           else $3::timestamptz + least($5, $6 * power(2, least(failures, 10))) * interval '1 millisecond' end
      where witness = $1 returning failures`,
    [nameWitness(witness.key), failure, realNow(), state === 'refused', longestBackoffMs, pauseMs],
  )
  const details = { witness: witness.key.name, failure }
  if (state === 'refused') log?.error(details, 'a witness refuses the transparency log')
  else if (rows[0]?.failures === 1) log?.warn(details, 'a witness does not cosign')
}
