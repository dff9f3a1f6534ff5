// Proofs of a user's own transactions: each of their postings that is in the log, with the view that the user may show.

import type { Checkpoint } from '@tern/transparency/checkpoint'
import { parseLeaf } from '@tern/transparency/posting-leaf'
import { formatCompactProof, formatReceiptProof, type ReceiptProof } from '@tern/transparency/receipt-proof'
import { formatViewFacts, type ViewFacts } from '@tern/transparency/view-facts'
import type { Db } from '../../platform/database/db.ts'
import { readLoggedPostings } from './logged-postings.ts'
import { buildViewFacts, noNames } from './posting-views.ts'
import { type ProofContext, proveEntry } from './prove-entry.ts'
import type { TransparencyLeafRow, TransparencyViewRow } from './row-types.ts'

export interface PostingProof {
  readonly facts: ViewFacts
  readonly leafIndex: number
  readonly checkpoint: Checkpoint
  /** Content of a .tlog-proof file. */
  readonly text: string
  /** The same proof for a QR code. */
  readonly compact: string
}

interface OwnTransaction {
  readonly userId: bigint
  readonly id: string
}

type ViewRow = TransparencyViewRow &
  Pick<TransparencyLeafRow, 'data'> & { readonly posting_id: string; readonly wallet_id: string }

/** Returns whether the user has a transaction with this id. */
export async function hasTransaction(db: Db, { userId, id }: OwnTransaction): Promise<boolean> {
  const { rowCount } = await db.query('select from transaction where user_id = $1 and id = $2', [userId, id])
  return rowCount === 1
}

/** Proves the postings of a user's transaction that are in a signed tree, in the order of the log. */
export async function proveTransaction(
  ctx: ProofContext,
  db: Db,
  { userId, id }: OwnTransaction,
): Promise<PostingProof[]> {
  const { rows } = await db.query<ViewRow>(
    `select v.*, l.posting_id, l.data, w.id as wallet_id
       from transparency_view v
       join transparency_leaf l on l.leaf_index = v.leaf_index
       join wallet w on w.user_id = v.user_id
      where v.user_id = $1 and v.reference = $2 order by v.leaf_index`,
    [userId, id],
  )
  const proofs: PostingProof[] = []
  for (const row of rows) {
    const proof = await provePosting(ctx, db, row)
    if (proof) proofs.push(proof)
  }
  return proofs
}

async function provePosting(ctx: ProofContext, db: Db, row: ViewRow): Promise<PostingProof | undefined> {
  const index = Number(row.leaf_index) // not money: a place in the log
  const place = await proveEntry(ctx, db, index)
  const [posting] = await readLoggedPostings(db, [row.posting_id])
  if (!place || !posting) return undefined
  const { names, salt, position } = chooseView(row)
  const facts = buildViewFacts(posting, row.wallet_id, names)
  const proof: ReceiptProof = {
    ...place,
    disclosure: { view: formatViewFacts(facts), salt, position, otherCommitments: listOthers(row.data, position) },
  }
  return {
    facts,
    leafIndex: index,
    checkpoint: place.checkpoint,
    text: formatReceiptProof(proof),
    compact: formatCompactProof(proof),
  }
}

/** The view with names or, once a name in it is erased, the one without. */
function chooseView({
  place,
  named_salt: namedSalt,
  from_name: fromName,
  to_name: toName,
  nameless_salt: nameless,
}: ViewRow) {
  if (namedSalt) {
    return {
      names: { fromName: fromName ?? '', toName: toName ?? '' },
      salt: new Uint8Array(namedSalt),
      position: place,
    }
  }
  return { names: noNames, salt: new Uint8Array(nameless ?? []), position: place + 1 }
}

function listOthers(data: Buffer, position: number): Uint8Array[] {
  const leaf = parseLeaf(new Uint8Array(data))
  if (leaf.kind !== 'posting') throw new Error('a view belongs to the leaf of a posting')
  return leaf.commitments.filter((_, place) => place !== position)
}

/** The proof that a receipt shows: of the last posting that delivered money, otherwise of the last one. */
export const chooseReceiptProof = (proofs: readonly PostingProof[]): PostingProof | undefined =>
  proofs.findLast(({ facts }) => facts.delivered !== undefined) ?? proofs.at(-1)
