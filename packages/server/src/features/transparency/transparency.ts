// Transparency log: every committed posting is a leaf of a Merkle tree, whose signed root witnesses cosign. Receipts
// prove with it, without a network, that their payment is in the books (docs/transparency.md).

import type { Checkpoint } from '@tern/transparency/checkpoint'
import { formatVerifierKey, toVerifierKey } from '@tern/transparency/note-keys'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { transactionProof } from '@tern/contract/transparency'
import type pg from 'pg'
import type { Db, Tx } from '../../platform/database/db.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { appendEntry } from './append-entry.ts'
import { appendPostings } from './append-postings.ts'
import { readLastCheckpoint, signCurrentTree } from './checkpoints.ts'
import { sealLastDay } from './day-seals/append-day-seal.ts'
import { ensureLogKey, type LogKeyContext, readLogKey } from './log-key.ts'
import { chooseReceiptProof, hasTransaction, type PostingProof, proveTransaction } from './prove-transaction.ts'
import { logKeyPurpose } from './tables.ts'
import { proveEntry } from './prove-entry.ts'

interface TransparencyOptions {
  readonly secret: Secret
  readonly publicUrl: string
  /** Origin of a new log; by default the host of `publicUrl` with `/log`. */
  readonly origin?: string | undefined
  readonly realNow?: () => Date
}

interface Context extends LogKeyContext {
  readonly publicUrl: string
}

/** Keys that a verifier needs. */
export interface PublishedPolicy {
  readonly log: string
  readonly witnesses: readonly string[]
}

export function createTransparency({ secret, publicUrl, origin, realNow = () => new Date() }: TransparencyOptions) {
  const { host } = new URL(publicUrl)
  const ctx: Context = {
    seal: createSeal(secret, logKeyPurpose),
    publicUrl,
    origin: origin ?? `${host}/log`,
    realNow,
  }
  return {
    ensureKey: (pool: pg.Pool) => ensureLogKey(ctx, pool),
    /** Appends the postings committed so far and, after the end of a day, its seal; signs the tree. */
    append: (pool: pg.Pool) => appendAndSign(ctx, pool),
    /** Appends an entry that is not about a posting; returns its place. */
    appendEntry: (tx: Tx, data: Uint8Array) => appendEntry(tx, data),
    /** Proves an entry; undefined until a signed checkpoint contains it. */
    proveEntry: (db: Db, leafIndex: number) => proveEntry(db, leafIndex),
    readLastCheckpoint: (db: Db): Promise<Checkpoint | undefined> => readLastCheckpoint(db),
    readPolicy: (db: Db) => readPolicy(ctx, db),
    prove: (db: Db, own: OwnTransaction) => proveOwn(ctx, db, own),
    /** Address that verifies the receipt of a transaction; undefined while the log does not contain it. */
    findReceiptProof: (db: Db, own: OwnTransaction) => findReceiptProof(ctx, db, own),
  }
}

export type Transparency = ReturnType<typeof createTransparency>

interface OwnTransaction {
  readonly userId: bigint
  readonly id: string
}

async function appendAndSign(ctx: Context, pool: pg.Pool): Promise<void> {
  await appendPostings(pool)
  await sealLastDay(pool, ctx.realNow())
  await signCurrentTree(ctx, pool)
}

/** Returns the log's key. Names no witnesses, because checkpoints are not sent to any yet. */
async function readPolicy(ctx: Context, db: Db): Promise<PublishedPolicy> {
  return { log: formatVerifierKey(toVerifierKey(await readLogKey(ctx, db))), witnesses: [] }
}

const buildUrl = ({ publicUrl }: Pick<Context, 'publicUrl'>, { compact }: PostingProof): string =>
  `${publicUrl}/verify#${compact}`

async function findReceiptProof(ctx: Context, db: Db, own: OwnTransaction): Promise<string | undefined> {
  const proof = chooseReceiptProof(await proveTransaction(db, own))
  return proof && buildUrl(ctx, proof)
}

/** Returns the proofs of a user's own transaction; undefined if the user has no such transaction. */
async function proveOwn(
  ctx: Context,
  db: Db,
  own: OwnTransaction,
): Promise<Reply<typeof transactionProof> | undefined> {
  const proofs = await proveTransaction(db, own)
  if (proofs.length === 0) return (await hasTransaction(db, own)) ? { state: 'not_yet', proofs: [] } : undefined
  const receipt = chooseReceiptProof(proofs)
  return {
    state: 'logged',
    proofs: proofs.map((proof) => ({
      posting_id: proof.facts.postingId,
      kind: proof.facts.kind,
      posted_at: formatTime(proof.facts.time),
      leaf_index: proof.leafIndex,
      is_receipt: proof === receipt,
      file: proof.text,
      url: buildUrl(ctx, proof),
    })),
  }
}

const formatTime = (microseconds: bigint): string => new Date(Number(microseconds / 1000n)).toISOString() // not money: a time
