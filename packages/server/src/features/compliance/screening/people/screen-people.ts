import { createHash } from 'node:crypto'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../../platform/database/db.ts'
import type { ScreenedPerson, Screening } from '../matcher/screening.ts'
import { matcherVersion } from '../names/score.ts'
import { beginEpoch, currentEpoch, lockLists } from '../store/epochs.ts'
import { openMatchCase } from '../../cases/match-cases.ts'
import { openUnreadCase } from '../../cases/unread-names.ts'
import { storeMatches } from './matches.ts'
import { screenEach } from './screen-due.ts'

export type LocalNameOf = (db: Db, userId: bigint) => Promise<string | undefined>

export interface PeopleOptions {
  readonly pool: pg.Pool
  readonly screening: Screening
  readonly now: () => Date
  /** Never logs names or dates. */
  readonly log: { error(details: object, message: string): void }
  /** Returns the name in its own script from a person's newest form. */
  readonly localNameOf?: LocalNameOf | undefined
}

/** Reads a person's details: the account name, and the newest identity form with the name in its own script. */
async function readPerson(
  { localNameOf }: Pick<PeopleOptions, 'localNameOf'>,
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
  const [found] = rows
  const names = [found?.name, found?.form, await localNameOf?.(db, userId)].filter((name): name is string =>
    Boolean(name?.trim()),
  )
  return {
    kind: 'person',
    names: [...new Set(names)],
    birthDate: found?.born ?? undefined,
    country: found?.country ?? undefined,
    nationality: found?.nationality ?? undefined,
  }
}

/** Hash of the compared details; a different hash reopens cleared matches. */
export const personHashOf = ({ names, birthDate, country }: ScreenedPerson): string =>
  createHash('sha256')
    .update(JSON.stringify([names.toSorted(), birthDate, country]))
    .digest('hex')

/** Screens people who have submitted an identity form, and again whenever they, a list or the matcher change. */
export function createPeopleScreening(options: PeopleOptions) {
  const { pool, screening, now, log } = options
  /** Expects a locked row. Reads the epoch first, so that a later change makes the person due again. */
  async function screenLocked(tx: Tx, userId: bigint): Promise<void> {
    const { number: epoch } = await currentEpoch(tx)
    const person = await readPerson(options, tx, userId)
    const personHash = personHashOf(person)
    const at = now()
    const { matches, isUnread } = await screening.screen(person, tx)
    await storeMatches(tx, { whose: { column: 'user_id', id: userId }, personHash, at }, matches)
    await openMatchCase(tx, { userId }, at)
    if (isUnread) await openUnreadCase(tx, { userId }, { personHash, at })
    await tx.query('update screening_person set screened_epoch = $2, screened_at = $3 where user_id = $1', [
      ...[userId, epoch, now()],
    ])
  }

  async function screenPerson(tx: Tx, userId: bigint): Promise<void> {
    await tx.query('insert into screening_person (user_id) values ($1) on conflict do nothing', [userId])
    await tx.query('select from screening_person where user_id = $1 for update', [userId])
    await screenLocked(tx, userId)
  }

  /** Begins an epoch for a newer matcher. Older workers beside it change nothing. */
  async function takeUpMatcher(): Promise<void> {
    const isOlder = async (db: Db) => {
      const { matcherVersion: known } = await currentEpoch(db)
      return known !== undefined && known < matcherVersion
    }
    if (!(await isOlder(pool))) return
    await transact(pool, async (tx) => {
      await lockLists(tx)
      if (!(await isOlder(tx))) return
      await beginEpoch(tx, { cause: 'matcher', endsGap: false, at: now() })
    })
  }

  return {
    screenPerson,
    /**
     * Screens all due people, one transaction each, with any number of concurrent workers; returns the count. Failures
     * are logged and retried on the next run.
     */
    async screenDue(): Promise<number> {
      await takeUpMatcher()
      return screenEach({ pool, log, table: 'screening_person', key: 'user_id', screen: screenLocked })
    },
  }
}
