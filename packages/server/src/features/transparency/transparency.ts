// Transparency log: every committed posting is a leaf of a Merkle tree, whose signed root witnesses cosign. Receipts
// prove with it, without a network, that their payment is in the books (docs/transparency.md).

import type { Checkpoint } from '@tern/transparency/checkpoint'
import { formatVerifierKey, toVerifierKey } from '@tern/transparency/note-keys'
import { isSignedBy } from '@tern/transparency/signed-note'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { transactionProof } from '@tern/contract/transparency'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Db, Tx } from '../../platform/database/db.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { appendEntry } from './append-entry.ts'
import { appendPostings } from './append-postings.ts'
import { type Quorum, readPublishedCheckpoint, signCurrentTree } from './checkpoints.ts'
import { sealLastDay } from './day-seals/append-day-seal.ts'
import { ensureLogKey, type LogKeyContext, readLogKey } from './log-key.ts'
import { chooseReceiptProof, hasTransaction, type PostingProof, proveTransaction } from './prove-transaction.ts'
import { logKeyPurpose } from './tables.ts'
import { proveEntry } from './prove-entry.ts'
import { cosignCheckpoints, ensureWitnesses } from './witnesses/cosign-checkpoints.ts'
import type { Witness } from './witnesses/send-checkpoint.ts'
import { endRefusal, nameWitness, readLogLag, readWitnessStates } from './witnesses/witness-states.ts'

export { type LogLag, readLogLag, readWitnessStates, type WitnessState } from './witnesses/witness-states.ts'

interface TransparencyOptions {
  readonly secret: Secret
  readonly publicUrl: string
  /** Origin of a new log; by default the host of `publicUrl` with `/log`. */
  readonly origin?: string | undefined
  readonly realNow?: () => Date
  /** Reports what witnesses answer. */
  readonly log?: Pick<FastifyBaseLogger, 'warn' | 'error'> | undefined
  /** By default without witnesses. */
  readonly config?: { readonly transparency: { readonly witnesses: readonly Witness[]; readonly quorum: number } }
}

interface Context extends LogKeyContext {
  readonly publicUrl: string
  readonly log: TransparencyOptions['log']
  readonly witnesses: readonly Witness[]
  readonly counting: Quorum
}

/** Keys that a verifier needs, and the number of witnesses that should have cosigned. */
export interface PublishedPolicy {
  readonly log: string
  readonly witnesses: readonly string[]
  readonly quorum: number
}

export function createTransparency({
  secret,
  publicUrl,
  origin,
  realNow = () => new Date(),
  log,
  config = { transparency: { witnesses: [], quorum: 0 } },
}: TransparencyOptions) {
  const { host } = new URL(publicUrl)
  const { witnesses, quorum } = config.transparency
  const ctx: Context = {
    seal: createSeal(secret, logKeyPurpose),
    publicUrl,
    origin: origin ?? `${host}/log`,
    realNow,
    log,
    witnesses,
    counting: { witnesses: witnesses.map(({ key }) => nameWitness(key)), quorum },
  }
  return {
    ensureKey: (pool: pg.Pool) => ensureLogKey(ctx, pool),
    /** Adds the configured witnesses that are new. */
    ensureWitnesses: (pool: pg.Pool) => ensureWitnesses(ctx, pool),
    /** Appends the postings committed so far and, after the end of a day, its seal; signs the tree. */
    append: (pool: pg.Pool) => appendAndSign(ctx, pool),
    /** Appends an entry that is not about a posting; returns its place. */
    appendEntry: (tx: Tx, data: Uint8Array) => appendEntry(tx, data),
    /** Proves an entry; undefined until a signed checkpoint contains it. */
    proveEntry: (db: Db, leafIndex: number) => proveEntry(ctx, db, leafIndex),
    /** Asks the witnesses that are due to cosign the log. */
    cosign: (pool: pg.Pool) => cosignCheckpoints(ctx, pool),
    readWitnessStates: (db: Db) => readWitnessStates(db, ctx.witnesses),
    /** Lets a witness that has refused the log be asked again; returns false if no such witness has. */
    retry: (pool: pg.Pool, name: string) => endRefusalBy(ctx, pool, name),
    readLogLag: (db: Db) => readLogLag(db),
    readPublishedCheckpoint: (db: Db): Promise<Checkpoint | undefined> => readPublishedCheckpoint(db, ctx.counting),
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

/** Returns the log's key and the configured witnesses. */
async function readPolicy(ctx: Context, db: Db): Promise<PublishedPolicy> {
  return {
    log: formatVerifierKey(toVerifierKey(await readLogKey(ctx, db))),
    witnesses: ctx.witnesses.map(({ key }) => formatVerifierKey(key)),
    quorum: ctx.counting.quorum,
  }
}

async function endRefusalBy({ witnesses }: Context, pool: pg.Pool, name: string): Promise<boolean> {
  const witness = witnesses.find(({ key }) => key.name === name)
  return witness !== undefined && endRefusal(pool, witness)
}

const buildUrl = ({ publicUrl }: Pick<Context, 'publicUrl'>, { compact }: PostingProof): string =>
  `${publicUrl}/verify#${compact}`

async function findReceiptProof(ctx: Context, db: Db, own: OwnTransaction): Promise<string | undefined> {
  const proof = chooseReceiptProof(await proveTransaction(ctx, db, own))
  return proof && buildUrl(ctx, proof)
}

/** Returns the proofs of a user's own transaction; undefined if the user has no such transaction. */
async function proveOwn(
  ctx: Context,
  db: Db,
  own: OwnTransaction,
): Promise<Reply<typeof transactionProof> | undefined> {
  const proofs = await proveTransaction(ctx, db, own)
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
      witnesses: listWitnesses(ctx, proof),
      file: proof.text,
      url: buildUrl(ctx, proof),
    })),
  }
}

/** Names of the configured witnesses that have cosigned a proof, in the order of the settings. */
const listWitnesses = ({ witnesses }: Context, { checkpoint: { signatures } }: PostingProof): string[] =>
  witnesses.filter(({ key }) => signatures.some((each) => isSignedBy(each, key))).map(({ key }) => key.name)

const formatTime = (microseconds: bigint): string => new Date(Number(microseconds / 1000n)).toISOString() // not money: a time
