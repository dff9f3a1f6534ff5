import { findCountry } from '@tern/contract/countries'
import { isCurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { buildFirstId } from '../../../platform/ids.ts'
import { type MonitoringContext, readUsdMinor } from '../context.ts'
import type { Flow, Outline } from './rules.ts'
import type { MonitoringPolicyRow, ReportingThresholdRow } from '../row-types.ts'

type Ctx = Pick<MonitoringContext, 'now' | 'exchange'>

/** Maximum number of movements read; older ones are ignored. */
const maxRows = 500
/** Longest period of movements that rules see, in hours; no policy may exceed it. */
const maxHours = 168
const hourMs = 3_600_000

export interface OutlineRow extends MonitoringPolicyRow {
  readonly opened_at: Date
  /** Time at which the last pattern case was cleared; only later movements count. */
  readonly cleared_at: Date | null
  readonly groups: readonly { kind: string; currency: string; minor: string; count: number; senders: number }[]
}

/** Summary of a user's recent movements, with the policy in force. */
export interface Overview {
  readonly policy: MonitoringPolicyRow
  readonly accountOpenedAt: Date
  readonly since: Date
  readonly outline: Outline
  /** Whether every currency of the movements has a rate; amounts without one count as zero. */
  readonly isValued: boolean
}

/**
 * SQL: summary of a user's movements since a time, without exchanges, failed movements and demo data. `firstId` is the
 * lowest possible id of that time; ids are ordered by time, so it limits the index scan.
 */
export const buildOutlineSql = (
  userId: string,
  firstId: string,
  since: string,
): string => `select policy.*, u.created_at as opened_at, cleared.at as cleared_at, coalesce(listed.groups, '[]') as groups
  from app_user u
    cross join (select * from monitoring_policy order by version desc limit 1) as policy
    left join lateral (select max(decided_at) as at from compliance_case
      where user_id = u.id and kind = 'pattern' and state = 'cleared') as cleared on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('kind', kind, 'currency', currency, 'minor', minor::text, 'count', n, 'senders', senders)) as groups
        from (
          select kind, currency, sum(minor) as minor, count(*)::int as n, count(distinct sender_id)::int as senders
            from (select kind, case kind when 'RECEIVE' then target_currency else source_currency end as currency,
                    case kind when 'RECEIVE' then target_amount else source_amount end as minor, sender_id
                    from transaction t
                   where t.user_id = u.id and t.id >= ${firstId} and t.created_at >= ${since} and t.status <> 'FAILED' and t.kind <> 'EXCHANGE'
                     and t.created_at > coalesce(cleared.at, '-infinity')
                     and t.created_at >= coalesce((select started_at from demo_seed), '-infinity')
                   order by t.id desc limit ${maxRows}) as latest
           group by kind, currency) as grouped) as listed on true
 where u.id = ${userId}`

/** Parameters: user id, lowest id of the period, start of the period. */
export const outlineSql = buildOutlineSql('$1', '$2', '$3')

interface Amount {
  readonly currency: string
  readonly minor: bigint
}

/** Returns an amount in US dollar cents; zero without a rate. */
const usdOrZero = (ctx: Pick<Ctx, 'exchange'>, { currency, minor }: Amount): bigint =>
  (isCurrencyCode(currency) ? readUsdMinor(ctx, money(currency, minor)) : undefined) ?? 0n

/** Returns the start of the period that is summarized for a movement at `at`. */
export const computeOutlineStart = (at: Date): Date => new Date(at.getTime() - maxHours * hourMs)

/** Returns the summary of a user's recent movements; undefined for an unknown user. */
export async function readOverview(ctx: Ctx, db: Db, userId: bigint): Promise<Overview | undefined> {
  const from = computeOutlineStart(ctx.now())
  const values = [userId, buildFirstId(from), from]
  const { rows } = await db.query<OutlineRow>({ name: 'monitoring_outline', text: outlineSql, values })
  return rows[0] && toOverview(ctx, rows[0], from)
}

/** Converts a row of `buildOutlineSql` for the period from `from` on. */
export function toOverview(ctx: Pick<Ctx, 'exchange'>, row: OutlineRow, from: Date): Overview {
  const { groups, opened_at: accountOpenedAt, cleared_at: clearedAt, ...policy } = row
  const countKinds = (...kinds: string[]) =>
    groups.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { count }) => sum + count, 0)
  const receivedGroups = groups.filter(({ kind }) => kind === 'RECEIVE')
  const outline = {
    inCount: countKinds('RECEIVE', 'DEPOSIT'),
    outCount: countKinds('SEND', 'WITHDRAW'),
    fromPeopleUsdMinor: receivedGroups.reduce(
      (sum, { currency, minor }) => sum + usdOrZero(ctx, { currency, minor: BigInt(minor) }),
      0n,
    ),
    senders: receivedGroups.reduce((sum, { senders }) => sum + senders, 0),
  }
  const since = clearedAt !== null && clearedAt > from ? clearedAt : from
  const isValued = groups.every(({ currency }) => isCurrencyCode(currency) && readUsdMinor(ctx, money(currency, 1n)))
  return { policy, accountOpenedAt, since, outline, isValued }
}

interface FlowRow {
  readonly kind: 'SEND' | 'WITHDRAW' | 'RECEIVE' | 'DEPOSIT'
  readonly created_at: Date
  readonly party: string
  readonly currency: string
  readonly minor: bigint
  readonly is_asked: boolean
  readonly is_known: boolean
}

/** Returns a user's movements since a time, with the facts that the rules need. */
export async function readFlows(
  ctx: Pick<Ctx, 'exchange'>,
  db: Db,
  { userId, since, knownDays }: { readonly userId: bigint; readonly since: Date; readonly knownDays: number },
): Promise<Flow[]> {
  const { rows } = await db.query<FlowRow>(
    `select t.kind, t.created_at, t.currency, t.minor, t.party,
         t.kind = 'RECEIVE' and exists (select from request_payment p where p.transaction_id = t.id) as is_asked,
         t.kind in ('SEND', 'RECEIVE') and exists (
           select from transaction before where before.kind = 'SEND' and before.status = 'COMPLETED'
              and before.user_id = t.sender_id and before.recipient_id = t.recipient_id
              and before.created_at <= t.created_at - make_interval(days => $4)) as is_known
       from (select id, kind, created_at, sender_id, recipient_id,
               case kind when 'RECEIVE' then target_currency else source_currency end as currency,
               case kind when 'RECEIVE' then target_amount else source_amount end as minor,
               case kind when 'SEND' then recipient_id::text when 'RECEIVE' then sender_id::text when 'WITHDRAW' then 'bank' else 'own' end as party
             from transaction
            where user_id = $1 and id >= $2 and created_at > $3 and status <> 'FAILED' and kind <> 'EXCHANGE'
              -- A reversal by a card, a bank or a dispute is a withdrawal without a payout, which no person made.
              and (kind <> 'WITHDRAW' or exists (select from payout p where p.id = payment_id and p.transaction_id = transaction.id))
              and created_at >= coalesce((select started_at from demo_seed), '-infinity')
            order by id desc limit ${maxRows}) as t`,
    [userId, buildFirstId(since), since, knownDays],
  )
  return rows.map((row) => ({
    at: row.created_at,
    direction: row.kind === 'SEND' || row.kind === 'WITHDRAW' ? 'out' : 'in',
    party: row.party,
    usdMinor: usdOrZero(ctx, row),
    isAsked: row.is_asked,
    isKnown: row.is_known,
  }))
}

/** Returns whether the sender has paid this recipient up to a time. */
export async function isKnownPayee(
  db: Db,
  [senderId, recipientId]: readonly [bigint, bigint],
  until: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from transaction where kind = 'SEND' and status = 'COMPLETED' and user_id = $1 and recipient_id = $2
        and created_at <= $3 limit 1`,
    [senderId, recipientId, until],
  )
  return rowCount === 1
}

/**
 * Returns the lowest of these reporting thresholds in US dollar cents; undefined if there is none or one has no rate.
 */
export function findLowestThreshold(
  ctx: Pick<Ctx, 'exchange'>,
  thresholds: readonly { readonly currency: string; readonly minor: string }[],
): bigint | undefined {
  const values = thresholds.map(({ currency, minor }) => usdOrZero(ctx, { currency, minor: BigInt(minor) }))
  return values.includes(0n) ? undefined : values.toSorted((a, b) => (a < b ? -1 : 1))[0]
}

/** Returns the reporting thresholds of a country in US dollar cents, highest first; without those that have no rate. */
export async function readReportingThresholds(
  ctx: Pick<Ctx, 'exchange'>,
  db: Db,
  { country: name, at }: { readonly country: string | undefined; readonly at: Date },
): Promise<bigint[]> {
  const { rows } = await db.query<Pick<ReportingThresholdRow, 'currency' | 'threshold_minor'>>(
    `select distinct on (source) currency, threshold_minor from reporting_threshold
      where country = $1 and valid_from <= ($2::timestamptz at time zone 'UTC')::date order by source, valid_from desc`,
    [name === undefined ? null : findCountry(name)?.code, at],
  )
  return rows
    .map(({ currency, threshold_minor: minor }) => usdOrZero(ctx, { currency, minor }))
    .filter((usd) => usd > 0n)
    .toSorted((a, b) => (a < b ? 1 : -1))
}
