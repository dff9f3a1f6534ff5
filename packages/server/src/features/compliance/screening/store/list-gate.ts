import type { Db } from '../../../../platform/database/db.ts'
import type { ScreeningContext } from '../../context.ts'
import type { ListSource } from '../lists/entry.ts'
import type { ScreeningEpochRow, ScreeningPolicyRow } from '../../row-types.ts'

// Gate on fresh screening lists: while they are stale, verification stops and payments wait.

/** Time a process caches the required lists and their freshness. */
const gateLifetimeMs = 30_000
/** Expected duration of a wait: the lists are fetched every hour, and failures alert operators. */
export const expectedWaitMs = 86_400_000

interface GateState {
  /** Required lists that were never imported. */
  readonly missing: readonly ListSource[]
  /** Time at which each imported list becomes stale. */
  readonly staleTimes: readonly { readonly source: ListSource; readonly until: Date }[]
  /** First epoch after a period without fresh lists, until everyone has been screened since. */
  readonly gap: { readonly epoch: number; readonly begunAt: Date } | undefined
}

/** Latest state this process has read. */
export interface GateMemory {
  state: (GateState & { readonly readAt: number }) | undefined
}

export const emptyGate = (): GateMemory => ({ state: undefined })

type Ctx = Pick<ScreeningContext, 'now' | 'areListsRequired' | 'gate'>

async function readGate(db: Db): Promise<GateState> {
  const { rows } = await db.query<
    Pick<ScreeningPolicyRow, 'source'> &
      Pick<ScreeningEpochRow, 'begun_at'> & {
        readonly until: Date | null
        readonly epoch: number | null
      }
  >({
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
    staleTimes: rows.flatMap(({ source, until }) => (until === null ? [] : [{ source, until }])),
    gap: first && first.epoch !== null ? { epoch: first.epoch, begunAt: first.begun_at } : undefined,
  }
}

/**
 * SQL condition: a row of `screening_person` was last screened before an epoch. New forms and names are screened
 * anyway.
 */
const behindSql = (epoch: string, begunAt: string): string =>
  `screened_epoch < ${epoch} and (screened_at is null or screened_at < ${begunAt})`

const listStale = ({ missing, staleTimes }: GateState, at: Date): ListSource[] => [
  ...missing,
  ...staleTimes.filter(({ until }) => until < at).map(({ source }) => source),
]

/**
 * Returns the current state. Lists go stale by the clock alone, so a cached state needs no query while all are fresh; a
 * stale state is read again, because lists may have been imported.
 */
async function currentGate({ gate, now }: Ctx, db: Db): Promise<GateState> {
  const { state } = gate
  const isRecent = state !== undefined && performance.now() - state.readAt < gateLifetimeMs
  if (isRecent && listStale(state, now()).length === 0 && state.gap === undefined) return state
  const readAt = performance.now()
  gate.state = { ...(await readGate(db)), readAt }
  return gate.state
}

/** Returns required lists that are missing or stale; empty when lists are not required. */
export async function findStaleLists(ctx: Ctx, db: Db): Promise<ListSource[]> {
  return ctx.areListsRequired ? listStale(await currentGate(ctx, db), ctx.now()) : []
}

/** Returns whether a stale list blocks all verification and payments. */
export const areListsStale = async (ctx: Ctx, db: Db): Promise<boolean> => (await findStaleLists(ctx, db)).length > 0

/**
 * Returns whether payments of these people wait: for fresh lists, or, after a period without them, until each person is
 * screened. Runs at most one query per half minute while the lists are fresh.
 */
export async function areHeldForLists(ctx: Ctx, db: Db, people: readonly bigint[]): Promise<boolean> {
  if (!ctx.areListsRequired) return false
  const state = await currentGate(ctx, db)
  if (listStale(state, ctx.now()).length > 0) return true
  if (!state.gap) return false
  const { rowCount } = await db.query(
    `select from screening_person where user_id = any($1::bigint[]) and ${behindSql('$2', '$3')} limit 1`,
    [people, state.gap.epoch, state.gap.begunAt],
  )
  return rowCount === 1
}

/** Returns the expected time at which waiting payments resume. */
export const computeListDeadline = ({ now }: Pick<Ctx, 'now'>): Date => new Date(now().getTime() + expectedWaitMs)

/** Startup warning for operators; undefined while the lists are fresh. */
export const describeStaleLists = (staleLists: readonly ListSource[]): string | undefined =>
  staleLists.length === 0
    ? undefined
    : `Lists for screening are missing or too old (${staleLists.join(', ')}): nobody is verified and payments wait until they are fetched or imported (docs/screening.md).`
