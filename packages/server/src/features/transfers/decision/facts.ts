import type { Db } from '../../../platform/database/db.ts'
import { createJointReads } from '../../../platform/database/joint-reads.ts'
import { buildFirstId } from '../../../platform/ids.ts'
import {
  caseStopsSql,
  type PaymentJudgement,
  computeOutlineStart,
  buildOutlineSql,
  type OutlineRow,
} from '../../compliance/compliance.ts'
import {
  newDeviceSql,
  openLossSql,
  stopColumnsSql,
  type AccountStop,
  toAccountStop,
  type AccountStopRow,
} from '../../risk/risk.ts'
import { arrivalSql } from '../../wallets/wallets.ts'
import type { TransfersContext } from '../context.ts'
import { hasOpenWarningSql, type OpenWarning, openWarningSql } from '../warnings/warnings.ts'
import type { Candidate } from './decide.ts'

/** Facts about the sender and recipient of a transfer by which its rules decide. */
export interface Facts extends PaymentJudgement {
  readonly stop: AccountStop | undefined
  /** True if a case stops the sender or the recipient. */
  readonly isStoppedByCase: boolean
  /** True if the sender's street mode is on, or a change that turns it on is pending. */
  readonly usesStreetMode: boolean
  /** True if the sender changed a login factor recently. */
  readonly hasNewFactor: boolean
  /** True if the request's session is on a new device. */
  readonly isOnNewDevice: boolean
  /** Earliest arrival of the sender's money at the recipient, if long enough ago for the recipient to be trusted. */
  readonly arrivedAt: Date | undefined
  /** Warning about this payee that applies now. */
  readonly warning: OpenWarning | undefined
  /** True if a warning about any payee of the sender applies now. */
  readonly hasOpenWarning: boolean
  /** `generation` of the sender's row in `send_guard`. */
  readonly generation: bigint
  /** Version of the policies of all rules. */
  readonly version: bigint
  /** Age of the first payment to a payee from which that payee is trusted. */
  readonly trustedMs: number
  /** Age of the first payment to a payee from which monitoring treats that payee as known. */
  readonly knownMs: number
}

interface FactsRow extends OutlineRow {
  readonly facts: AccountStopRow & {
    readonly is_stopped_by_case: boolean
    readonly uses_street_mode: boolean
    readonly has_new_factor: boolean
    readonly is_on_new_device: boolean
    readonly arrived_at: string | null
    readonly warning: OpenWarning | null
    readonly has_open_warning: boolean
    readonly generation: string
    readonly version: string
    readonly trusted_hours: number
    readonly thresholds: readonly { readonly currency: string; readonly minor: string }[]
  }
}

interface FactsQuery {
  readonly userId: bigint
  readonly recipientId: bigint | undefined
  /** Session that requests the transfer. */
  readonly sessionId: string | undefined
  readonly at: Date
}

/** SQL: facts per query. `limit 1` keeps the planner from joining whole tables while statistics are missing. */
const factsSql = `select asked.place, found.*
  from unnest($1::bigint[], $2::uuid[], $3::timestamptz[], $4::bigint[], $5::uuid[], $6::timestamptz[])
         with ordinality as asked (user_id, first_id, since, recipient_id, session_id, at, place)
  cross join lateral (select outline.*, (select to_jsonb(f) from (
    select ${stopColumnsSql},
      ${caseStopsSql('array[asked.user_id, asked.recipient_id]')} as is_stopped_by_case,
      coalesce((select s.is_on from street_setting s where s.user_id = asked.user_id and s.valid_from <= asked.at
                 order by s.valid_from desc limit 1), false)
        or exists (select from street_setting s where s.user_id = asked.user_id and s.valid_from > asked.at and s.is_on)
        as uses_street_mode,
      coalesce(app_user.factor_changed_at > now() - make_interval(hours => p.new_factor_hours), false) as has_new_factor,
      ${newDeviceSql('asked.session_id', 'p.new_device_hours')} as is_on_new_device,
      ${arrivalSql('asked.user_id', 'asked.recipient_id', '(asked.at - make_interval(hours => p.trusted_after_hours))')}
        as arrived_at,
      ${openWarningSql('asked.user_id', 'asked.recipient_id')} as warning,
      ${hasOpenWarningSql('asked.user_id')} as has_open_warning,
      (select g.generation::text from send_guard g where g.user_id = asked.user_id) as generation,
      (select v.version::text from limit_policy_version v) as version,
      p.trusted_after_hours as trusted_hours,
      (select coalesce(jsonb_agg(jsonb_build_object('currency', currency, 'minor', minor)), '[]')
         from (select currency, min(threshold_minor)::text as minor from reporting_threshold group by currency) as lowest) as thresholds
      from app_user cross join (select * from risk_policy order by version desc limit 1) as p ${openLossSql}
     where app_user.id = asked.user_id) as f) as facts
    from (${buildOutlineSql('asked.user_id', 'asked.first_id', 'asked.since')}) as outline limit 1) as found`

async function readRows(db: Db, questions: readonly FactsQuery[]): Promise<Map<FactsQuery, FactsRow>> {
  const { rows } = await db.query<FactsRow & { place: bigint }>({
    name: 'facts_of_transfers',
    text: factsSql,
    values: [
      questions.map(({ userId }) => userId),
      questions.map(({ at }) => buildFirstId(computeOutlineStart(at))),
      questions.map(({ at }) => computeOutlineStart(at)),
      questions.map(({ recipientId }) => recipientId ?? null),
      questions.map(({ sessionId }) => sessionId ?? null),
      questions.map(({ at }) => at),
    ],
  })
  const factsByQuestion = new Map<FactsQuery, FactsRow>()
  for (const { place, ...row } of rows) {
    const question = questions[Number(place) - 1] // not money: a position
    if (question) factsByQuestion.set(question, row)
  }
  return factsByQuestion
}

const hourMs = 3_600_000

const readRow = createJointReads(readRows)

/**
 * Reads the facts that rules need about a transfer; undefined if the sender does not exist. Calls in the same turn of
 * the event loop share a query. Monitoring reads payments in further queries if a pattern is near.
 */
export async function readFacts(
  { now, monitoring }: Pick<TransfersContext, 'now' | 'monitoring'>,
  db: Db,
  { kind, senderId: userId, recipientId, sessionId, usdMinor }: Candidate,
): Promise<Facts | undefined> {
  const at = now()
  const row = await readRow(db, { userId, recipientId, sessionId, at })
  if (!row) return undefined
  const { facts, ...outline } = row
  const { thresholds } = facts
  const payment = { userId, recipientId, usdMinor }
  // An exchange pays no other person, so monitoring does not judge it.
  const patternFacts =
    kind === 'exchange'
      ? emptyPatternFacts
      : await monitoring.judge(db, { outline, from: computeOutlineStart(at), thresholds, payment })
  return {
    ...patternFacts,
    stop: toAccountStop(facts),
    isStoppedByCase: facts.is_stopped_by_case,
    usesStreetMode: facts.uses_street_mode,
    hasNewFactor: facts.has_new_factor,
    isOnNewDevice: facts.is_on_new_device,
    arrivedAt: facts.arrived_at === null ? undefined : new Date(facts.arrived_at),
    warning: facts.warning ?? undefined,
    hasOpenWarning: facts.has_open_warning,
    generation: BigInt(facts.generation),
    version: BigInt(facts.version),
    trustedMs: facts.trusted_hours * hourMs,
    knownMs: outline.known_days * 24 * hourMs,
  }
}

const emptyPatternFacts: PaymentJudgement = { largeFromUsdMinor: undefined, isLowRisk: false }
