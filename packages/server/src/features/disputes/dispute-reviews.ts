import { type Money, money } from '@tern/money/money'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { DisputeKind } from '@tern/contract/disputes/disputes'
import { isUuid } from '../../platform/ids.ts'
import { refuse } from '../../platform/refuse.ts'
import { findStoredTransaction } from './opening/claims.ts'
import type { ShownWarning } from './opening/shown-warnings.ts'
import { lockDue } from './outcomes/amount-due.ts'
import { findDispute, findOwn, type OwnDispute, readObjection, type ReviewCause } from './records/dispute-rows.ts'
import { readFiles } from './records/dispute-view.ts'
import type { DisputeEventRow, DisputeReviewRow, DisputeRow } from './row-types.ts'

/** Open entry of the operators' dispute queue. */
export interface DisputeReview {
  /** Id of the review, not of the dispute. */
  readonly id: string
  readonly disputeId: string
  readonly cause: ReviewCause
  readonly kind: DisputeKind
  readonly userId: bigint
  readonly claimed: Money
  readonly openedAt: Date
  readonly dueAt: Date
}

type ReviewRow = Pick<DisputeReviewRow, 'id' | 'dispute_id' | 'cause' | 'opened_at'> &
  Pick<DisputeRow, 'kind' | 'user_id' | 'claimed_minor' | 'currency'> & { readonly due_at: Date }

/** Returns the open entries, earliest deadline first; with `id`, only that entry. */
export async function listReviews(db: Db, id?: string): Promise<DisputeReview[]> {
  if (id !== undefined && !isUuid(id)) return []
  const { rows } = await db.query<ReviewRow>(
    `select r.id, r.dispute_id, r.cause, d.kind, d.user_id, d.claimed_minor, d.currency, r.opened_at,
         case r.cause when 'objected' then o.decide_by else d.decide_by end as due_at
       from dispute_review r join dispute d on d.id = r.dispute_id left join dispute_objection o on o.dispute_id = d.id
      where r.closed_at is null and ($1::uuid is null or r.id = $1) order by due_at, r.id`,
    [id ?? null],
  )
  return rows.map(toReview)
}

const toReview = (row: ReviewRow): DisputeReview => ({
  id: row.id,
  disputeId: row.dispute_id,
  cause: row.cause,
  kind: row.kind,
  userId: row.user_id,
  claimed: money(row.currency, row.claimed_minor),
  openedAt: row.opened_at,
  dueAt: row.due_at,
})

/**
 * Returns whether a review is about an objection and the operator decided, claimed or was handed an earlier review of
 * the dispute. A database trigger enforces the same rule.
 */
export async function isInvolved(
  db: Db,
  { reviewId, operatorId }: { readonly reviewId: string; readonly operatorId: string },
): Promise<boolean> {
  const { rows } = await db.query<{ is_involved: boolean }>('select dispute_is_involved($1, $2) as is_involved', [
    reviewId,
    operatorId,
  ])
  return rows[0]?.is_involved === true
}

/** Returns the facts frozen when a dispute was opened. */
export async function readFacts(db: Db, id: string): Promise<{ text: string; facts: FrozenFacts }> {
  const { rows } = await db.query<{ text: string; facts: FrozenFacts }>(
    'select facts::text as text, facts from dispute where id = $1',
    [id],
  )
  const [row] = rows
  if (!row) throw new Error(`there is no dispute ${id}`)
  return row
}

/** Frozen facts that the desk displays. */
export interface FrozenFacts {
  readonly decisions: readonly { readonly rule: string; readonly decided_at: string }[]
  readonly confirmations: readonly { readonly action: string; readonly used_at: string }[]
  readonly sessions: readonly {
    readonly created_at: string
    readonly user_agent: string
    readonly network: string
    readonly country: string | null
    readonly sign_in_method: string
  }[]
  readonly outside: readonly { readonly what: string; readonly provider: string; readonly reference?: string | null }[]
  /** Undefined if the dispute was opened before warnings were part of its evidence. */
  readonly warnings?: readonly ShownWarning[]
  readonly said: {
    readonly was_asked?: boolean | null
    readonly expected_side?: string
    readonly expected_amount?: string
  }
}

/** Returns the full record of a dispute and locks its payment or payout. Refuses `not_found`. */
export async function readDetails(tx: Tx, id: string) {
  const row = (await findDispute(tx, id)) ?? refuse('not_found')
  const transaction = (await findStoredTransaction(tx, row)) ?? refuse('not_found')
  const { rows: events } = await tx.query<Pick<DisputeEventRow, 'code' | 'text' | 'at'>>(
    'select code, text, at from dispute_event where dispute_id = $1 order by at, id',
    [id],
  )
  return {
    row,
    transaction,
    events,
    ...(await readFacts(tx, id)),
    files: await readFiles(tx, [id]),
    objection: await readObjection(tx, id),
    amountDue: await lockDue(tx, row, transaction),
  }
}

/**
 * Returns the evidence of the caller's dispute with its hash, so that the hash can be verified. Refuses `not_found`.
 */
export async function readEvidence(db: Db, ownDispute: OwnDispute) {
  const { id, kind, statement, hash } = (await findOwn(db, ownDispute)) ?? refuse('not_found')
  return { id, kind, statement, hash: hash.toString('hex'), facts_text: (await readFacts(db, id)).text }
}
