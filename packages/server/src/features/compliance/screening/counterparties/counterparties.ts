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

/** Person or company without an account in the product that pays a user or is paid by them. */
export interface Counterparty {
  /** Id of the guest's payment, or of the bank account. */
  readonly id: string
  readonly kind: 'guest' | 'account_holder'
  /** User who pays the counterparty or is paid by it. */
  readonly userId: bigint
  /** Name given by the guest or the bank. */
  readonly name: string
}

/** `open`: a case holds payments until its decision. `confirmed`: a list means the counterparty. */
export type CounterpartyStatus = 'clear' | 'open' | 'confirmed'

type CounterpartyFields = Pick<ScreeningCounterpartyRow, 'id' | 'kind' | 'user_id' | 'name' | 'screened_epoch'>

type Ctx = Pick<ScreeningContext, 'now' | 'log' | 'listedNames'>

/**
 * Screens a counterparty, whose row is locked, if it is due. Reads the epoch first, so that a concurrent change makes
 * it due again.
 */
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
 * Stores a counterparty, screens it if due and returns its status. Opens cases in the same transaction, which is the
 * one that moves the money.
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

/** Returns the deadline of the open case about a counterparty. Throws unless there is exactly one. */
export async function readCaseDeadline(tx: Tx, id: string): Promise<Date> {
  const { rows } = await tx.query<{ until: Date }>(
    `select coalesce(need_by, decide_by) as until from compliance_case where counterparty_id = $1 and state = 'open'`,
    [id],
  )
  return onlyRow(rows).until
}

/**
 * Returns whether a case stops payments of a counterparty, after screening it if due; false for an unknown id. A case
 * that this opens is lost if the caller's transaction rolls back.
 */
export async function isCounterpartyStopped(ctx: Ctx, tx: Tx, id: string): Promise<boolean> {
  const [row] = await lockRow(tx, id)
  return row !== undefined && (await screenAndRead(ctx, tx, row)) !== 'clear'
}

/**
 * Throws StoppedByCaseError if a case stops payments of the counterparty. Call it in the transaction that moves the
 * money.
 */
export async function requireCounterpartyNotStopped(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  if (await isCounterpartyStopped(ctx, tx, id)) throw new StoppedByCaseError()
}

/** Ends the screening of a counterparty that will have no more payments. */
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

/** Returns the status of a counterparty by its cases, without screening it. */
async function readStatus(db: Db, id: string): Promise<CounterpartyStatus> {
  const { rows } = await db.query<{ state: 'open' | 'confirmed' }>(
    `select state from compliance_case where counterparty_id = $1 and stops = 'transfers' and state <> 'cleared'
      order by state = 'confirmed' desc limit 1`,
    [id],
  )
  return rows[0]?.state ?? 'clear'
}

/** Returns whether an open case holds payments of a counterparty. */
export const isHeldByCase = async (db: Db, id: string): Promise<boolean> => (await readStatus(db, id)) === 'open'

/**
 * Returns the user's own scores by entry. A bank account holder is matched with an entry only if it fits them better
 * than the user: otherwise it belongs to the user's case.
 */
async function readOwnScores(db: Db, userId: bigint): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ entry_id: string; score: number }>(
    `select entry_id, score_basis_points as score from screening_match where user_id = $1 and status <> 'ended'`,
    [userId],
  )
  return new Map(rows.map(({ entry_id: entryId, score }) => [entryId, score]))
}
