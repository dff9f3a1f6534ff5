import { caseStopsSql, type Judged, type OutlineRow, outlineSql, outlineValues } from '../../compliance/compliance.ts'
import { newDeviceSql, openLossSql, stopColumnsSql, type Stopped, stoppedOf, type StoppedRow } from '../../risk/risk.ts'
import { arrivalSql } from '../../wallets/wallets.ts'
import type { Candidate, RuleContext } from './decide.ts'

/** Facts about the sender and recipient of a transfer, read by one statement before its rules decide. */
export interface Facts extends Judged {
  readonly stop: Stopped | undefined
  /** A case stops the sender or the recipient. */
  readonly isStoppedByCase: boolean
  /** Street mode is on for the sender, or will be. */
  readonly usesStreetMode: boolean
  /** The sender has just changed how they prove that it is them. */
  readonly hasNewFactor: boolean
  /** Of the session that asks. */
  readonly isOnNewDevice: boolean
  /** When money of the sender had reached the recipient, if long enough ago to trust them. */
  readonly arrivedAt: Date | undefined
  /** Of the sender's row in `send_guard`. */
  readonly generation: bigint
  /** Of the numbers of all rules. */
  readonly version: bigint
  /** After so long a payee is trusted, and known to monitoring. */
  readonly trustedMs: number
  readonly knownMs: number
}

interface FactsRow extends OutlineRow {
  readonly facts: StoppedRow & {
    readonly is_stopped_by_case: boolean
    readonly uses_street_mode: boolean
    readonly has_new_factor: boolean
    readonly is_on_new_device: boolean
    readonly arrived_at: string | null
    readonly generation: string
    readonly version: string
    readonly trusted_hours: number
    readonly thresholds: readonly { readonly currency: string; readonly minor: string }[]
  }
}

/** Values: those of `outlineSql`, the recipient or null, the session or null, now. */
const factsSql = `select outline.*, (select to_jsonb(f) from (
    select ${stopColumnsSql},
      ${caseStopsSql('array[$1, $4::bigint]')} as is_stopped_by_case,
      coalesce((select s.is_on from street_setting s where s.user_id = $1 and s.valid_from <= $6 order by s.valid_from desc limit 1), false)
        or exists (select from street_setting s where s.user_id = $1 and s.valid_from > $6 and s.is_on) as uses_street_mode,
      coalesce(app_user.factor_changed_at > now() - make_interval(hours => p.new_factor_hours), false) as has_new_factor,
      ${newDeviceSql('$5::uuid', 'p.new_device_hours')} as is_on_new_device,
      ${arrivalSql('$1', '$4::bigint', '($6::timestamptz - make_interval(hours => p.trusted_after_hours))')} as arrived_at,
      (select g.generation::text from send_guard g where g.user_id = $1) as generation,
      (select v.version::text from limit_policy_version v) as version,
      p.trusted_after_hours as trusted_hours,
      (select coalesce(jsonb_agg(jsonb_build_object('currency', currency, 'minor', minor)), '[]')
         from (select currency, min(threshold_minor)::text as minor from reporting_threshold group by currency) as lowest) as thresholds
      from app_user cross join (select * from risk_policy order by version desc limit 1) as p ${openLossSql}
     where app_user.id = $1) as f) as facts
  from (${outlineSql}) as outline`

const hourMs = 3_600_000

/** Reads what the rules ask, by one statement; near a pattern, its payments by further ones. Undefined for nobody. */
export async function readFacts(
  { pool, now, monitoring }: Pick<RuleContext, 'pool' | 'now' | 'monitoring'>,
  transfer: Candidate,
): Promise<Facts | undefined> {
  const { kind, senderId: userId, recipientId, sessionId, usdMinor } = transfer
  const at = now()
  const { from, values } = outlineValues(userId, at)
  const { rows } = await pool.query<FactsRow>({
    name: 'facts_of_transfer',
    text: factsSql,
    values: [...values, recipientId ?? null, sessionId ?? null, at],
  })
  const [row] = rows
  if (!row) return undefined
  const { facts, ...outline } = row
  const leaving = { userId, recipientId, usdMinor }
  const read = { outline, from, thresholds: facts.thresholds }
  // What is exchanged stays its owner's.
  const judged = kind === 'exchange' ? notJudged : await monitoring.judge(read, leaving)
  return {
    ...judged,
    stop: stoppedOf(facts),
    isStoppedByCase: facts.is_stopped_by_case,
    usesStreetMode: facts.uses_street_mode,
    hasNewFactor: facts.has_new_factor,
    isOnNewDevice: facts.is_on_new_device,
    arrivedAt: facts.arrived_at === null ? undefined : new Date(facts.arrived_at),
    generation: BigInt(facts.generation),
    version: BigInt(facts.version),
    trustedMs: facts.trusted_hours * hourMs,
    knownMs: outline.known_days * 24 * hourMs,
  }
}

const notJudged: Judged = { largeFromUsdMinor: undefined, isCalm: false }
