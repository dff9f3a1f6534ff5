import type pg from 'pg'
import { only, type Db, transact, type Tx } from '../../../../platform/database/db.ts'
import { openMatchCase } from '../../cases/match-cases.ts'
import { openUnreadCase } from '../../cases/unread-names.ts'
import { StoppedByCase } from '../../cases/stops.ts'
import type { Screening } from '../matcher/screening.ts'
import { storeMatches } from '../people/matches.ts'
import { screenEach } from '../people/screen-due.ts'
import { personHashOf } from '../people/screen-people.ts'
import { currentEpoch } from '../store/epochs.ts'
import { namesOfHolder } from './holder-names.ts'

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
export type Standing = 'clear' | 'open' | 'confirmed'

interface Row {
  readonly id: string
  readonly kind: Counterparty['kind']
  readonly user_id: bigint
  readonly name: string
  readonly screened_epoch: number
}

interface Options {
  readonly pool: pg.Pool
  readonly screening: Screening
  readonly now: () => Date
  /** Never logs names. */
  readonly log: { error(details: object, message: string): void }
}

/** Screens counterparties when money moves to or from them, and again whenever a list or the matcher changes. */
export function createCounterparties({ pool, screening, now, log }: Options) {
  /** Expects a locked row. Reads the epoch first, so that a later change makes the row due again. */
  async function screenIfDue(
    tx: Tx,
    { id, user_id: userId, name, kind, screened_epoch: screened }: Row,
  ): Promise<void> {
    const { number: epoch } = await currentEpoch(tx)
    if (screened >= epoch) return
    const person = { names: kind === 'account_holder' ? namesOfHolder(name) : [name] }
    const personHash = personHashOf(person)
    const { matches, isUnread } = await screening.screen(person, tx)
    const own = kind === 'account_holder' ? await ownScores(tx, userId) : new Map<string, number>()
    const others = matches.filter(({ entryId, score }) => score > (own.get(entryId) ?? 0))
    const at = now()
    await storeMatches(tx, { whose: { column: 'counterparty_id', id }, personHash, at }, others)
    await openMatchCase(tx, { userId, counterpartyId: id }, at)
    if (isUnread) await openUnreadCase(tx, { userId, counterpartyId: id }, { personHash, at })
    await tx.query('update screening_counterparty set screened_epoch = $2, screened_at = $3 where id = $1', [
      id,
      epoch,
      at,
    ])
  }

  async function standing(tx: Tx, row: Row): Promise<Standing> {
    await screenIfDue(tx, row)
    return standingOf(tx, row.id)
  }

  /** Returns whether a case stops payments to a counterparty, screened first when due. An unknown id is not stopped. */
  async function areStopped(tx: Tx, id: string): Promise<boolean> {
    const [row] = await lockRow(tx, id)
    return row !== undefined && (await standing(tx, row)) !== 'clear'
  }

  return {
    /**
     * Stores a counterparty and returns its standing, screened against the lists in force, in the transaction of the
     * movement. That transaction also opens a case.
     */
    async check(tx: Tx, { id, kind, userId, name }: Counterparty): Promise<Standing> {
      await tx.query(
        `insert into screening_counterparty as known (id, kind, user_id, name, created_at) values ($1, $2, $3, $4, $5)
         on conflict (id) do update set name = excluded.name, screened_epoch = 0 where known.name <> excluded.name`,
        [id, kind, userId, name, now()],
      )
      return standing(tx, only(await lockRow(tx, id)))
    },

    /**
     * Returns the deadline of the open case that stops payments to or by the counterparty. Throws when none is open.
     */
    async decidedBy(tx: Tx, id: string): Promise<Date> {
      const { rows } = await tx.query<{ until: Date }>(
        `select coalesce(need_by, decide_by) as until from compliance_case where counterparty_id = $1 and state = 'open'`,
        [id],
      )
      return only(rows).until
    },

    areStopped,

    /** Like `areStopped` in a transaction of its own, so that a new case outlives the payment. */
    areStoppedNow: (id: string): Promise<boolean> => transact(pool, (tx) => areStopped(tx, id)),

    /**
     * Throws StoppedByCase when a case stops payments to the counterparty; call it before moving money in the same
     * transaction.
     */
    async requireNotStopped(tx: Tx, id: string): Promise<void> {
      if (await areStopped(tx, id)) throw new StoppedByCase()
    },

    /** Ends screening of a counterparty that has no more payments. */
    async end(tx: Tx, id: string): Promise<void> {
      await tx.query('update screening_counterparty set ended_at = coalesce(ended_at, $2) where id = $1', [id, now()])
    },

    /** Screens all due counterparties, with any number of concurrent workers; returns the count. */
    screenDue: (): Promise<number> =>
      screenEach<string>({
        ...{ pool, log, table: 'screening_counterparty', key: 'id', which: 'ended_at is null' },
        screen: async (tx, id) => screenIfDue(tx, only(await lockRow(tx, id))),
      }),
  }
}

export type Counterparties = ReturnType<typeof createCounterparties>

async function lockRow(tx: Tx, id: string): Promise<Row[]> {
  const sql = 'select id, kind, user_id, name, screened_epoch from screening_counterparty where id = $1 for update'
  return (await tx.query<Row>(sql, [id])).rows
}

/** Returns the standing of a stored counterparty by its cases alone. */
async function standingOf(db: Db, id: string): Promise<Standing> {
  const { rows } = await db.query<{ state: 'open' | 'confirmed' }>(
    `select state from compliance_case where counterparty_id = $1 and stops = 'transfers' and state <> 'cleared'
      order by state = 'confirmed' desc limit 1`,
    [id],
  )
  return rows[0]?.state ?? 'clear'
}

/** Returns whether payments by or to a counterparty wait for a decision. */
export const waitsForCase = async (db: Db, id: string): Promise<boolean> => (await standingOf(db, id)) === 'open'

/** Returns the user's own scores by entry: entries that fit no other holder better belong to the user's own case. */
async function ownScores(db: Db, userId: bigint): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ entry_id: string; score: number }>(
    `select entry_id, score_basis_points as score from screening_match where user_id = $1 and status <> 'ended'`,
    [userId],
  )
  return new Map(rows.map(({ entry_id: entryId, score }) => [entryId, score]))
}
