import type { Dispute, DisputeEvent, DisputeKind } from '@tern/contract/disputes/disputes'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { isUuid, newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DisputeObjectionRow, DisputePostingRow } from '../row-types.ts'

export interface DisputeRow {
  readonly id: string
  readonly user_id: bigint
  readonly transaction_id: string
  readonly kind: DisputeKind
  readonly state: Dispute['state']
  readonly statement: string
  readonly claimed_minor: bigint
  readonly claimed_fee_minor: bigint
  readonly currency: CurrencyCode
  readonly hash: Buffer
  readonly policy_country: string
  readonly policy_version: number
  readonly opened_at: Date
  readonly decide_by: Date
  readonly credit_by: Date | null
  readonly escalated_at: Date | null
  readonly need: Dispute['need']
  readonly need_by: Date | null
  readonly outcome: Dispute['outcome']
  readonly decided_at: Date | null
  readonly is_new_account: boolean
  /** Time operators stopped the provisional credit. */
  readonly suspected_at: Date | null
  /** Time since which the provisional credit waits for an operator because it would exceed a ceiling. */
  readonly credit_waits_at: Date | null
}

const columns = `id, user_id, transaction_id, kind, state, statement, claimed_minor, claimed_fee_minor, currency, hash,
  policy_country, policy_version, opened_at, decide_by, credit_by, escalated_at, need, need_by, outcome, decided_at,
  is_new_account, suspected_at, credit_waits_at`

export const claimedOf = ({ currency, claimed_minor: minor }: DisputeRow): Money => money(currency, minor)

/** A dispute of the caller. */
export interface Own {
  readonly userId: bigint
  readonly id: string
}

export async function findOwn(db: Db, { userId, id }: Own): Promise<DisputeRow | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await db.query<DisputeRow>(`select ${columns} from dispute where id = $1 and user_id = $2`, [
    id,
    userId,
  ])
  return rows[0]
}

export async function readOwn(db: Db, userId: bigint): Promise<DisputeRow[]> {
  const { rows } = await db.query<DisputeRow>(
    `select ${columns} from dispute where user_id = $1 order by opened_at desc, id desc limit 100`,
    [userId],
  )
  return rows
}

/** Returns the dispute of a transaction, unless it was withdrawn. */
export async function findByTransaction(
  db: Db,
  { userId, transactionId }: { readonly userId: bigint; readonly transactionId: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from dispute where user_id = $1 and transaction_id = $2 and state <> 'withdrawn'`,
    [userId, transactionId],
  )
  return rows[0]?.id
}

export async function findDispute(db: Db, id: string): Promise<DisputeRow | undefined> {
  return (await db.query<DisputeRow>(`select ${columns} from dispute where id = $1`, [id])).rows[0]
}

/**
 * Locks a dispute until the transaction ends; call it before locking payments, payouts and accounts. `no key update`
 * lets a bank return, which locks its payout first, record what it recovers.
 */
export async function lockDispute(tx: Tx, id: string): Promise<DisputeRow | undefined> {
  return (await tx.query<DisputeRow>(`select ${columns} from dispute where id = $1 for no key update`, [id])).rows[0]
}

/** Returns the caller's dispute, locked. Refuses `not_found`. */
export async function lockOwn(tx: Tx, own: Own): Promise<DisputeRow> {
  const { id } = (await findOwn(tx, own)) ?? refuse('not_found')
  return (await lockDispute(tx, id)) ?? refuse('not_found')
}

/** Returns the caller's dispute, locked and open. Refuses `not_found`, `dispute_closed`. */
export async function lockOwnOpen(tx: Tx, own: Own): Promise<DisputeRow> {
  const row = await lockOwn(tx, own)
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
  { id, user_id: userId, transaction_id: transactionId }: DisputeRow,
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

/** Records an event that the account holder sees. */
export async function noteEvent(
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

/** Queues a dispute for review. An existing entry stays unchanged. */
export async function openReview(tx: Tx, disputeId: string, cause: ReviewCause, at: Date): Promise<void> {
  const row = { id: newId(at), dispute_id: disputeId, cause, opened_at: at }
  await insertRow(tx, 'dispute_review', row, 'on conflict (dispute_id) where closed_at is null do nothing')
}

export const closeReview = (tx: Tx, disputeId: string, at: Date) =>
  tx.query('update dispute_review set closed_at = $2 where dispute_id = $1 and closed_at is null', [disputeId, at])
