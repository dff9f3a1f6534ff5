import type { Db } from '../../../../platform/database/db.ts'
import type { ScreeningContext } from '../../context.ts'
import type { ListSource } from '../lists/entry.ts'
import type { ScreeningEpochRow, ScreeningPolicyRow } from '../../row-types.ts'

// Blocks verification and payments while a required list is missing or stale.

/** Time for which a process caches which lists are fresh. */
const gateLifetimeMs = 30_000
/** Expected time until blocked payments resume: lists are fetched every hour, and failures alert operators. */
export const expectedWaitMs = 86_400_000

interface GateState {
  /** Required lists that were never imported. */
  readonly missing: readonly ListSource[]
  /** Time at which each imported list becomes stale. */
  readonly staleTimes: readonly { readonly source: ListSource; readonly until: Date }[]
  /** Newest epoch that ended a period with stale lists, while some people have not been screened since. */
  readonly gap: { readonly epoch: number; readonly begunAt: Date } | undefined
}

/** State last read by this process. */
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
 * SQL condition: a row of `screening_person` was last screened before an epoch began. Excludes rows screened since that
 * are due again only because of a new form or name.
 */
const behindSql = (epoch: string, begunAt: string): string =>
  `screened_epoch < ${epoch} and (screened_at is null or screened_at < ${begunAt})`

const listStale = ({ missing, staleTimes }: GateState, at: Date): ListSource[] => [
  ...missing,
  ...staleTimes.filter(({ until }) => until < at).map(({ source }) => source),
]

/**
 * Returns the current state. Whether lists are stale follows from a cached state and the clock, so it is read again
 * only when it is old, while a list is stale and may have been imported, or while people wait to be screened.
 */
async function currentGate({ gate, now }: Ctx, db: Db): Promise<GateState> {
  const { state } = gate
  const isRecent = state !== undefined && performance.now() - state.readAt < gateLifetimeMs
  if (isRecent && listStale(state, now()).length === 0 && state.gap === undefined) return state
  const readAt = performance.now()
  gate.state = { ...(await readGate(db)), readAt }
  return gate.state
}

/** Returns the required lists that are missing or stale; none if lists are not required. */
export async function findStaleLists(ctx: Ctx, db: Db): Promise<ListSource[]> {
  return ctx.areListsRequired ? listStale(await currentGate(ctx, db), ctx.now()) : []
}

/** Returns whether missing or stale lists block verification and payments. */
export const areListsStale = async (ctx: Ctx, db: Db): Promise<boolean> => (await findStaleLists(ctx, db)).length > 0

/**
 * Returns whether payments of these users are blocked: while lists are stale, and afterwards until each user has been
 * screened. Queries at most once every 30 seconds while all lists are fresh and no one waits to be screened.
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

/** Returns the time at which blocked payments are expected to resume. */
export const computeListDeadline = ({ now }: Pick<Ctx, 'now'>): Date => new Date(now().getTime() + expectedWaitMs)

/** Returns the warning for operators at startup; undefined if no list is stale. */
export const describeStaleLists = (staleLists: readonly ListSource[]): string | undefined =>
  staleLists.length === 0
    ? undefined
    : `Lists for screening are missing or too old (${staleLists.join(', ')}): nobody is verified and payments wait until they are fetched or imported (docs/screening.md).`
