import { createHash } from 'node:crypto'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../../platform/database/db.ts'
import { readNewestLocalName } from '../../../kyc/kyc.ts'
import { openMatchCase } from '../../cases/match-cases.ts'
import { areStopped } from '../../cases/case-stops.ts'
import { openUnreadCase } from '../../cases/unread-names.ts'
import type { ScreeningContext } from '../../context.ts'
import { findMatches, type ScreenedPerson } from '../matcher/screening.ts'
import { matcherVersion } from '../names/score.ts'
import { beginEpoch, currentEpoch, lockLists } from '../store/epochs.ts'
import { storeMatches } from './matches.ts'
import type { ScreeningPersonRow } from '../../row-types.ts'

type Ctx = Pick<ScreeningContext, 'now' | 'log' | 'formSeal' | 'listedNames'>

/**
 * Returns the details of a user to compare: the account name, and the newest identity form with its name in the user's
 * own script.
 */
export async function readPerson(
  { formSeal: seal }: Pick<Ctx, 'formSeal'>,
  db: Db,
  userId: bigint,
): Promise<ScreenedPerson> {
  const { rows } = await db.query<{
    name: string | null
    form: string | null
    born: string | null
    country: string | null
    nationality: string | null
  }>(
    `select u.name, btrim(k.first_name || ' ' || k.last_name) as form, k.date_of_birth as born, k.country, k.nationality
       from app_user u left join lateral (
         select * from kyc_submission where user_id = u.id and status <> 'superseded'
          order by submitted_at desc, id desc limit 1) k on true
      where u.id = $1`,
    [userId],
  )
  const [personRow] = rows
  const localName = seal && (await readNewestLocalName({ seal }, db, userId))
  const names = [personRow?.name, personRow?.form, localName].filter((name): name is string => Boolean(name?.trim()))
  return {
    kind: 'person',
    names: [...new Set(names)],
    birthDate: personRow?.born ?? undefined,
    country: personRow?.country ?? undefined,
    nationality: personRow?.nationality ?? undefined,
  }
}

/** Returns the hash of the compared details; if it changes, cleared matches reopen. */
export const hashPerson = ({ names, birthDate, country }: ScreenedPerson): string =>
  createHash('sha256')
    .update(JSON.stringify([names.toSorted(), birthDate, country]))
    .digest('hex')

/** Screens a person whose row is locked. Reads the epoch first, so that a concurrent change makes them due again. */
export async function screenLockedPerson(ctx: Ctx, tx: Tx, userId: bigint): Promise<void> {
  const { number: epoch } = await currentEpoch(tx)
  const person = await readPerson(ctx, tx, userId)
  const personHash = hashPerson(person)
  const at = ctx.now()
  const { matches, isUnread } = await findMatches(ctx, tx, person)
  await storeMatches(tx, { owner: { column: 'user_id', id: userId }, personHash, at }, matches)
  await openMatchCase(tx, { userId }, at)
  if (isUnread) await openUnreadCase(tx, { userId }, { personHash, at })
  await tx.query('update screening_person set screened_epoch = $2, screened_at = $3 where user_id = $1', [
    userId,
    epoch,
    ctx.now(),
  ])
}

/**
 * Screens a person now, and registers them to be screened again after changes of their details, a list or the matcher.
 */
export async function screenPerson(ctx: Ctx, tx: Tx, userId: bigint): Promise<void> {
  await tx.query('insert into screening_person (user_id) values ($1) on conflict do nothing', [userId])
  await tx.query('select from screening_person where user_id = $1 for update', [userId])
  await screenLockedPerson(ctx, tx, userId)
}

/**
 * Screens a person before verification. Returns whether a case stops them, so that an operator must review the form.
 */
export async function stopsVerification(ctx: Ctx, tx: Tx, userId: bigint): Promise<boolean> {
  await screenPerson(ctx, tx, userId)
  return areStopped(tx, [userId])
}

/** Screens those of these people who were not screened in the current epoch, in the order of their ids. */
export async function screenOutdated(ctx: Ctx, tx: Tx, people: readonly bigint[]): Promise<void> {
  const { rows } = await tx.query<Pick<ScreeningPersonRow, 'user_id'>>(
    `select user_id from screening_person where user_id = any($1::bigint[])
        and screened_epoch < (select coalesce(max(number), 0) from screening_epoch) order by user_id`,
    [people],
  )
  for (const { user_id: userId } of rows) await screenPerson(ctx, tx, userId)
}

const isMatcherNewer = async (db: Db): Promise<boolean> => {
  const { matcherVersion: storedVersion } = await currentEpoch(db)
  return storedVersion !== undefined && storedVersion < matcherVersion
}

/**
 * Begins an epoch if this matcher is newer than that of the current epoch. Workers with an older matcher do nothing.
 */
export async function beginMatcherEpoch({ now }: Pick<Ctx, 'now'>, pool: pg.Pool): Promise<void> {
  if (!(await isMatcherNewer(pool))) return
  await transact(pool, async (tx) => {
    await lockLists(tx)
    if (!(await isMatcherNewer(tx))) return
    await beginEpoch(tx, { cause: 'matcher', endsGap: false, at: now() })
  })
}
