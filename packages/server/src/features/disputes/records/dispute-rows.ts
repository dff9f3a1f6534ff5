import type { DisputeEvent } from '@tern/contract/disputes/disputes'
import { type Money, money } from '@tern/money/money'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DisputeRow, DisputeObjectionRow, DisputePostingRow } from '../row-types.ts'

/** Dispute without its frozen facts and its credit's value in US dollars. */
export type StoredDispute = Omit<DisputeRow, 'facts' | 'credit_usd_minor'>

const columns = `id, user_id, transaction_id, kind, state, statement, claimed_minor, claimed_fee_minor, currency, hash,
  policy_country, policy_version, opened_at, decide_by, credit_by, escalated_at, need, need_by, outcome, decided_at,
  is_new_account, suspected_at, credit_waits_at`

export const claimedAmount = ({ currency, claimed_minor: minor }: StoredDispute): Money => money(currency, minor)

/** Id of a dispute, with the user who must own it. */
export interface OwnDispute {
  readonly userId: bigint
  readonly id: string
}

export async function findOwn(db: Db, { userId, id }: OwnDispute): Promise<StoredDispute | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await db.query<StoredDispute>(`select ${columns} from dispute where id = $1 and user_id = $2`, [
    id,
    userId,
  ])
  return rows[0]
}

export async function readOwn(db: Db, userId: bigint): Promise<StoredDispute[]> {
  const { rows } = await db.query<StoredDispute>(
    `select ${columns} from dispute where user_id = $1 order by opened_at desc, id desc limit 100`,
    [userId],
  )
  return rows
}

/** Returns the id of a transaction's dispute; withdrawn disputes do not count. */
export async function findByTransaction(
  db: Db,
  { userId, transactionId }: { readonly userId: bigint; readonly transactionId: string },
): Promise<string | undefined> {
  const { rows } = await db.query<Pick<DisputeRow, 'id'>>(
    `select id from dispute where user_id = $1 and transaction_id = $2 and state <> 'withdrawn'`,
    [userId, transactionId],
  )
  return rows[0]?.id
}

export async function findDispute(db: Db, id: string): Promise<StoredDispute | undefined> {
  return (await db.query<StoredDispute>(`select ${columns} from dispute where id = $1`, [id])).rows[0]
}

/**
 * Locks a dispute until the transaction ends; call it before locking payments, payouts and accounts. `no key update`
 * still allows a bank return, which locks its payout first, to insert postings that reference the dispute.
 */
export async function lockDispute(tx: Tx, id: string): Promise<StoredDispute | undefined> {
  return (await tx.query<StoredDispute>(`select ${columns} from dispute where id = $1 for no key update`, [id])).rows[0]
}

/** Locks and returns the caller's dispute. Refuses `not_found`. */
export async function lockOwn(tx: Tx, ownDispute: OwnDispute): Promise<StoredDispute> {
  const { id } = (await findOwn(tx, ownDispute)) ?? refuse('not_found')
  return (await lockDispute(tx, id)) ?? refuse('not_found')
}

/** Locks and returns the caller's open dispute. Refuses `not_found`, `dispute_closed`. */
export async function lockOwnOpen(tx: Tx, ownDispute: OwnDispute): Promise<StoredDispute> {
  const row = await lockOwn(tx, ownDispute)
  return row.state === 'open' ? row : refuse('dispute_closed')
}

export async function readPostings(db: Db, ids: readonly string[]): Promise<DisputePostingRow[]> {
  const { rows } = await db.query<DisputePostingRow>(
    'select * from dispute_posting where dispute_id = any($1::uuid[]) order by at, posting_id',
    [ids],
  )
  return rows
}

/** Returns the postings of earlier, withdrawn disputes of the same transaction. */
export async function readWithdrawnPostings(
  db: Db,
  { id, user_id: userId, transaction_id: transactionId }: StoredDispute,
): Promise<DisputePostingRow[]> {
  const { rows } = await db.query<DisputePostingRow>(
    `select p.* from dispute_posting p join dispute d on d.id = p.dispute_id
      where d.user_id = $1 and d.transaction_id = $2 and d.state = 'withdrawn' and d.id <> $3`,
    [userId, transactionId, id],
  )
  return rows
}

export async function readObjection(db: Db, disputeId: string): Promise<DisputeObjectionRow | undefined> {
  return (await db.query<DisputeObjectionRow>('select * from dispute_objection where dispute_id = $1', [disputeId]))
    .rows[0]
}

/** Adds an event to the timeline that the account holder sees. */
export async function addEvent(
  tx: Tx,
  disputeId: string,
  code: DisputeEvent['code'],
  at: Date,
  text?: string,
): Promise<void> {
  await insertRow(tx, 'dispute_event', { id: newId(at), dispute_id: disputeId, code, text, at })
}

export type ReviewCause =
  | 'opened'
  | 'answered'
  | 'not_answered'
  | 'objected'
  | 'suspected'
  | 'credit_waits'
  | 'credited'

/** Queues a dispute for review, unless an entry is already open. */
export async function openReview(tx: Tx, disputeId: string, cause: ReviewCause, at: Date): Promise<void> {
  const row = { id: newId(at), dispute_id: disputeId, cause, opened_at: at }
  await insertRow(tx, 'dispute_review', row, 'on conflict (dispute_id) where closed_at is null do nothing')
}

export const closeReview = (tx: Tx, disputeId: string, at: Date) =>
  tx.query('update dispute_review set closed_at = $2 where dispute_id = $1 and closed_at is null', [disputeId, at])
