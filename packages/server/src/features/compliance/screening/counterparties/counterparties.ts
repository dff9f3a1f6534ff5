import { onlyRow, type Db, type Tx } from '../../../../platform/database/db.ts'
import { openMatchCase } from '../../cases/match-cases.ts'
import { openUnreadCase } from '../../cases/unread-names.ts'
import { StoppedByCaseError } from '../../cases/case-stops.ts'
import type { ScreeningContext } from '../../context.ts'
import { findMatches } from '../matcher/screening.ts'
import { storeMatches } from '../people/matches.ts'
import { hashPerson } from '../people/screen-people.ts'
import { currentEpoch } from '../store/epochs.ts'
import { splitHolderNames } from './holder-names.ts'
import type { ScreeningCounterpartyRow } from '../../row-types.ts'

/** Person or company without an account that a user pays or is paid by. */
export interface Counterparty {
  /** Id of the guest's payment, or of the holder's bank account. */
  readonly id: string
  readonly kind: 'guest' | 'account_holder'
  /** User whose payments involve the counterparty. */
  readonly userId: bigint
  /** Name as given by the guest or the bank. */
  readonly name: string
}

/** Result of the counterparty's cases: not stopped, waiting for a decision, or confirmed as listed. */
export type CounterpartyStatus = 'clear' | 'open' | 'confirmed'

type CounterpartyFields = Pick<ScreeningCounterpartyRow, 'id' | 'kind' | 'user_id' | 'name' | 'screened_epoch'>

type Ctx = Pick<ScreeningContext, 'now' | 'log' | 'listedNames'>

/** Screens a counterparty whose row is locked. Reads the epoch first, so that a later change makes it due again. */
async function screenIfDue(ctx: Ctx, tx: Tx, row: CounterpartyFields): Promise<void> {
  const { id, user_id: userId, name, kind, screened_epoch: screenedEpoch } = row
  const { number: epoch } = await currentEpoch(tx)
  if (screenedEpoch >= epoch) return
  const person = { names: kind === 'account_holder' ? splitHolderNames(name) : [name] }
  const personHash = hashPerson(person)
  const { matches, isUnread } = await findMatches(ctx, tx, person)
  const ownScores = kind === 'account_holder' ? await readOwnScores(tx, userId) : new Map<string, number>()
  const otherMatches = matches.filter(({ entryId, score }) => score > (ownScores.get(entryId) ?? 0))
  const at = ctx.now()
  await storeMatches(tx, { owner: { column: 'counterparty_id', id }, personHash, at }, otherMatches)
  await openMatchCase(tx, { userId, counterpartyId: id }, at)
  if (isUnread) await openUnreadCase(tx, { userId, counterpartyId: id }, { personHash, at })
  await tx.query('update screening_counterparty set screened_epoch = $2, screened_at = $3 where id = $1', [
    id,
    epoch,
    at,
  ])
}

async function screenAndRead(ctx: Ctx, tx: Tx, row: CounterpartyFields): Promise<CounterpartyStatus> {
  await screenIfDue(ctx, tx, row)
  return readStatus(tx, row.id)
}

/**
 * Stores a counterparty and returns its status, screened against the lists in force, in the transaction of the
 * movement. That transaction also opens a case. The counterparty is screened again whenever a list or the matcher
 * changes.
 */
export async function checkCounterparty(ctx: Ctx, tx: Tx, counterparty: Counterparty): Promise<CounterpartyStatus> {
  const { id, kind, userId, name } = counterparty
  await tx.query(
    `insert into screening_counterparty as known (id, kind, user_id, name, created_at) values ($1, $2, $3, $4, $5)
     on conflict (id) do update set name = excluded.name, screened_epoch = 0 where known.name <> excluded.name`,
    [id, kind, userId, name, ctx.now()],
  )
  return screenAndRead(ctx, tx, onlyRow(await lockRow(tx, id)))
}

/** Returns the deadline of the open case that stops payments to or by the counterparty. Throws when none is open. */
export async function readCaseDeadline(tx: Tx, id: string): Promise<Date> {
  const { rows } = await tx.query<{ until: Date }>(
    `select coalesce(need_by, decide_by) as until from compliance_case where counterparty_id = $1 and state = 'open'`,
    [id],
  )
  return onlyRow(rows).until
}

/**
 * Returns whether a case stops payments to a counterparty, screened first when due. An unknown id is not stopped. A new
 * case outlives the payment only if the payment has another transaction.
 */
export async function isCounterpartyStopped(ctx: Ctx, tx: Tx, id: string): Promise<boolean> {
  const [row] = await lockRow(tx, id)
  return row !== undefined && (await screenAndRead(ctx, tx, row)) !== 'clear'
}

/**
 * Throws StoppedByCaseError when a case stops payments to the counterparty; call it before moving money in the same
 * transaction.
 */
export async function requireCounterpartyNotStopped(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  if (await isCounterpartyStopped(ctx, tx, id)) throw new StoppedByCaseError()
}

/** Ends screening of a counterparty that has no more payments. */
export async function endCounterparty({ now }: Pick<Ctx, 'now'>, tx: Tx, id: string): Promise<void> {
  await tx.query('update screening_counterparty set ended_at = coalesce(ended_at, $2) where id = $1', [id, now()])
}

/** Screens a stored counterparty if it is due. */
export const screenDueCounterparty = async (ctx: Ctx, tx: Tx, id: string): Promise<void> =>
  screenIfDue(ctx, tx, onlyRow(await lockRow(tx, id)))

async function lockRow(tx: Tx, id: string): Promise<CounterpartyFields[]> {
  const sql = 'select id, kind, user_id, name, screened_epoch from screening_counterparty where id = $1 for update'
  return (await tx.query<CounterpartyFields>(sql, [id])).rows
}

/** Returns the status of a stored counterparty by its cases alone. */
async function readStatus(db: Db, id: string): Promise<CounterpartyStatus> {
  const { rows } = await db.query<{ state: 'open' | 'confirmed' }>(
    `select state from compliance_case where counterparty_id = $1 and stops = 'transfers' and state <> 'cleared'
      order by state = 'confirmed' desc limit 1`,
    [id],
  )
  return rows[0]?.state ?? 'clear'
}

/** Returns whether payments by or to a counterparty wait for a decision. */
export const isHeldByCase = async (db: Db, id: string): Promise<boolean> => (await readStatus(db, id)) === 'open'

/** Returns the user's own scores by entry: an entry that fits the user best belongs to the user's own case. */
async function readOwnScores(db: Db, userId: bigint): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ entry_id: string; score: number }>(
    `select entry_id, score_basis_points as score from screening_match where user_id = $1 and status <> 'ended'`,
    [userId],
  )
  return new Map(rows.map(({ entry_id: entryId, score }) => [entryId, score]))
}
