import type pg from 'pg'
import type { Db } from '../../../../platform/database/db.ts'
import type { ListSource } from '../lists/entry.ts'

// Gate on fresh screening lists: while they are stale, verification stops and payments wait.

/** Time a process caches the required lists and their freshness. */
const believedMs = 30_000
/** Expected duration of a wait: the lists are fetched every hour, and failures alert operators. */
export const expectedWaitMs = 86_400_000

interface GateState {
  /** Required lists that were never imported. */
  readonly missing: readonly ListSource[]
  /** Time at which each imported list becomes stale. */
  readonly freshUntil: readonly { readonly source: ListSource; readonly until: Date }[]
  /** First epoch after a period without fresh lists, until everyone has been screened since. */
  readonly gap: { readonly epoch: number; readonly begunAt: Date } | undefined
}

interface Options {
  readonly pool: pg.Pool
  readonly now: () => Date
  /** The gate is always open when false. */
  readonly areRequired: boolean
}

async function readGate(db: Db): Promise<GateState> {
  const { rows } = await db.query<{ source: ListSource; until: Date | null; epoch: number | null; begun_at: Date }>({
    name: 'screening_gate',
    text: `select p.source, l.checked_at + make_interval(hours => p.max_age_hours) as until, gap.number as epoch, gap.begun_at
       from screening_policy p
       left join lateral (
         select checked_at from screening_list where source = p.source order by version desc limit 1) l on true
       left join lateral (
         select number, begun_at from screening_epoch where ends_gap order by number desc limit 1) newest on true
       left join lateral (
         select newest.number, newest.begun_at
          where exists (select from screening_person where ${behindSql('newest.number', 'newest.begun_at')})) gap on true
      where p.is_required`,
  })
  const [first] = rows
  return {
    missing: rows.filter(({ until }) => until === null).map(({ source }) => source),
    freshUntil: rows.flatMap(({ source, until }) => (until === null ? [] : [{ source, until }])),
    gap: first && first.epoch !== null ? { epoch: first.epoch, begunAt: first.begun_at } : undefined,
  }
}

/**
 * SQL condition: a row of `screening_person` was last screened before an epoch. New forms and names are screened
 * anyway.
 */
const behindSql = (epoch: string, begunAt: string): string =>
  `screened_epoch < ${epoch} and (screened_at is null or screened_at < ${begunAt})`

const tooOld = ({ missing, freshUntil }: GateState, at: Date): ListSource[] => [
  ...missing,
  ...freshUntil.filter(({ until }) => until < at).map(({ source }) => source),
]

export function createListGate({ pool, now, areRequired }: Options) {
  let known: (GateState & { readonly readAt: number }) | undefined

  /**
   * Returns the current state. Lists go stale by the clock alone, so a cached state needs no query while all are fresh;
   * a stale state is read again, because lists may have been imported.
   */
  async function current(db: Db): Promise<GateState> {
    const isUsable =
      known !== undefined && performance.now() - known.readAt < believedMs && tooOld(known, now()).length === 0
    if (isUsable && known && known.gap === undefined) return known
    const readAt = performance.now()
    known = { ...(await readGate(db)), readAt }
    return known
  }

  /** Returns required lists that are missing or stale; empty when lists are not required. */
  async function tooOldNow(db: Db = pool): Promise<ListSource[]> {
    return areRequired ? tooOld(await current(db), now()) : []
  }

  return {
    tooOld: tooOldNow,

    /** Returns whether a stale list blocks all verification and payments. */
    areTooOld: async (db: Db = pool): Promise<boolean> => (await tooOldNow(db)).length > 0,

    /**
     * Returns whether payments of these people wait: for fresh lists, or, after a period without them, until each
     * person is screened. Runs at most one query per half minute while the lists are fresh.
     */
    async hold(db: Db, people: readonly bigint[]): Promise<boolean> {
      if (!areRequired) return false
      const state = await current(db)
      if (tooOld(state, now()).length > 0) return true
      if (!state.gap) return false
      const { rowCount } = await db.query(
        `select from screening_person where user_id = any($1::bigint[]) and ${behindSql('$2', '$3')} limit 1`,
        [people, state.gap.epoch, state.gap.begunAt],
      )
      return rowCount === 1
    },

    /** Expected time at which waiting payments resume. */
    expectedBy: (): Date => new Date(now().getTime() + expectedWaitMs),
  }
}

export type ListGate = ReturnType<typeof createListGate>

/** Startup warning for operators; undefined while the lists are fresh. */
export const listsSentence = (tooOldLists: readonly ListSource[]): string | undefined =>
  tooOldLists.length === 0
    ? undefined
    : `Lists for screening are missing or too old (${tooOldLists.join(', ')}): nobody is verified and payments wait until they are fetched or imported (docs/screening.md).`
