import type pg from 'pg'
import type { Queryable } from '../../../../platform/database/db.ts'
import type { ListSource } from '../lists/entry.ts'

// Whether names can be compared with lists that are up to date. Where they cannot, nobody is verified and no payment moves.

/** For this long a process believes that no operator has required another list, or a fresher one. */
const believedMs = 30_000
/** Expected end of a wait: the lists are fetched every hour, and people hear of it when that fails. */
export const expectedWaitMs = 86_400_000

interface GateState {
  /** Required lists that were never imported. */
  readonly missing: readonly ListSource[]
  /** When each of the others becomes too old. */
  readonly freshUntil: readonly { readonly source: ListSource; readonly until: Date }[]
  /** First epoch after a time without fresh lists, as long as somebody has not been screened since. */
  readonly gap: { readonly epoch: number; readonly begunAt: Date } | undefined
}

interface Options {
  readonly pool: pg.Pool
  readonly now: () => Date
  /** Always open otherwise. */
  readonly areRequired: boolean
}

async function readGate(db: Queryable): Promise<GateState> {
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

/** Whether a row of `screening_person` was screened before an epoch, as SQL. A new form or name is screened soon, and no gap. */
const behindSql = (epoch: string, begunAt: string): string =>
  `screened_epoch < ${epoch} and (screened_at is null or screened_at < ${begunAt})`

const tooOld = ({ missing, freshUntil }: GateState, at: Date): ListSource[] => [
  ...missing,
  ...freshUntil.filter(({ until }) => until < at).map(({ source }) => source),
]

export function createListGate({ pool, now, areRequired }: Options) {
  let known: (GateState & { readonly readAt: number }) | undefined

  /**
   * The state that holds now. Lists only become older by the clock, so a stored state answers without a query while all are fresh;
   * one that is not fresh is read again, since an import may have come.
   */
  async function current(db: Queryable): Promise<GateState> {
    const isUsable =
      known !== undefined && performance.now() - known.readAt < believedMs && tooOld(known, now()).length === 0
    if (isUsable && known && known.gap === undefined) return known
    const readAt = performance.now()
    known = { ...(await readGate(db)), readAt }
    return known
  }

  /** Required lists that are missing or too old; none where none is required. */
  async function tooOldNow(db: Queryable = pool): Promise<ListSource[]> {
    return areRequired ? tooOld(await current(db), now()) : []
  }

  return {
    tooOld: tooOldNow,

    /** Whether nobody can be verified or paid because of a list. */
    areTooOld: async (db: Queryable = pool): Promise<boolean> => (await tooOldNow(db)).length > 0,

    /**
     * Whether what these people send or get waits: for lists, or, after a time without them, until each has been screened. No
     * statement while the lists are fresh, apart from one every half minute.
     */
    async hold(db: Queryable, people: readonly bigint[]): Promise<boolean> {
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

    /** By when what waits is expected to go on. */
    expectedBy: (): Date => new Date(now().getTime() + expectedWaitMs),
  }
}

export type ListGate = ReturnType<typeof createListGate>

/** What operators are told at a start; undefined while the lists are fresh. */
export const listsSentence = (tooOldLists: readonly ListSource[]): string | undefined =>
  tooOldLists.length === 0
    ? undefined
    : `Lists for screening are missing or too old (${tooOldLists.join(', ')}): nobody is verified and payments wait until they are fetched or imported (docs/screening.md).`
