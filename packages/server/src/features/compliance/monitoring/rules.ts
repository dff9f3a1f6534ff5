// Payment patterns that need a review (docs/monitoring.md). Pure functions of facts and policy.

import type { MonitoringPolicyRow } from '../row-types.ts'

export interface Flow {
  readonly at: Date
  readonly direction: 'in' | 'out'
  /** User id; `bank` for withdrawals, `own` for deposits. */
  readonly party: string
  /** US dollar cents. */
  readonly usdMinor: bigint
  /** Pays a request that the person made. */
  readonly isAsked: boolean
  /** The payer paid this payee before, at least `known_days` earlier. */
  readonly isKnown: boolean
}

export interface FlowFacts {
  readonly at: Date
  readonly accountOpenedAt: Date
  /** Reporting thresholds of the person's country, in US dollar cents. */
  readonly reportingThresholds: readonly bigint[]
  /** Includes the pending payment, if any. */
  readonly flows: readonly Flow[]
}

export type PatternRule = 'structuring' | 'rapid_in_and_out' | 'fan_in' | 'mule'

/** Rule that fired, with its inputs; amounts are in US dollar cents. */
export interface Pattern {
  readonly rule: PatternRule
  readonly version: number
  readonly inputs: Readonly<Record<string, string | number>>
}

const hourMs = 3_600_000

const recentFlows = ({ at, flows }: FlowFacts, hours: number): Flow[] =>
  flows.filter((flow) => flow.at.getTime() > at.getTime() - hours * hourMs)

const sumFlows = (flows: readonly Flow[]): bigint => flows.reduce((sum, { usdMinor }) => sum + usdMinor, 0n)
const countParties = (flows: readonly Flow[]): number => new Set(flows.map(({ party }) => party)).size
const isAtLeastShare = (part: bigint, percent: number, total: bigint): boolean => part * 100n >= total * BigInt(percent)

const isUser = ({ party }: Flow): boolean => party !== 'bank' && party !== 'own'
const isFromStranger = (flow: Flow): boolean => flow.direction === 'in' && isUser(flow) && !flow.isKnown
const isUnrequestedFromStranger = (flow: Flow): boolean => isFromStranger(flow) && !flow.isAsked

/** Returns the outgoing payments since the first of `inflows`. */
const listOutflowsSince = (flows: readonly Flow[], inflows: readonly Flow[]): Flow[] => {
  const first = Math.min(...inflows.map(({ at }) => at.getTime()))
  return flows.filter(({ direction, at }) => direction === 'out' && at.getTime() >= first)
}

type Rule = (flowFacts: FlowFacts, policy: MonitoringPolicyRow) => Pattern['inputs'] | undefined

/** Several movements in one direction, each just below a reporting threshold. */
const detectStructuring: Rule = (flowFacts, policy) => {
  const { structuring_hours: hours, structuring_count: count, structuring_percent: percent } = policy
  for (const threshold of flowFacts.reportingThresholds) {
    for (const direction of ['in', 'out'] as const) {
      const belowThreshold = recentFlows(flowFacts, hours).filter(
        (flow) =>
          flow.direction === direction &&
          flow.usdMinor < threshold &&
          isAtLeastShare(flow.usdMinor, percent, threshold),
      )
      // A total below the threshold would not have to be reported either.
      if (belowThreshold.length < count || sumFlows(belowThreshold) < threshold) continue
      return {
        direction,
        hours,
        count: belowThreshold.length,
        usd: String(sumFlows(belowThreshold)),
        threshold_usd: String(threshold),
      }
    }
  }
  return undefined
}

/** Unrequested money from strangers, most of which goes on to strangers or a bank within hours. */
const detectRapidInAndOut: Rule = (flowFacts, policy) => {
  const { rapid_hours: hours, rapid_usd_minor: minimum, rapid_percent: percent } = policy
  const windowFlows = recentFlows(flowFacts, hours)
  const inflows = windowFlows.filter(isUnrequestedFromStranger)
  const inflow = sumFlows(inflows)
  if (inflow < minimum) return undefined
  const outflow = sumFlows(listOutflowsSince(windowFlows, inflows).filter(({ isKnown }) => !isKnown))
  return isAtLeastShare(outflow, percent, inflow)
    ? { hours, in_usd: String(inflow), out_usd: String(outflow) }
    : undefined
}

/** Unrequested payments from many strangers. */
const detectFanIn: Rule = (flowFacts, policy) => {
  const { fan_in_hours: hours, fan_in_senders: minimum } = policy
  const inflows = recentFlows(flowFacts, hours).filter(isUnrequestedFromStranger)
  const senders = countParties(inflows)
  return senders >= minimum ? { hours, senders, in_usd: String(sumFlows(inflows)) } : undefined
}

/** A new account that passes on most of the unrequested money of several strangers, to a bank or to strangers. */
const detectMule: Rule = (flowFacts, policy) => {
  const { mule_hours: hours, mule_senders: minimum, mule_percent: percent, mule_payees: minPayees } = policy
  const ageDays = Math.floor((flowFacts.at.getTime() - flowFacts.accountOpenedAt.getTime()) / (24 * hourMs)) // not money: days
  if (ageDays >= policy.mule_account_days) return undefined
  const windowFlows = recentFlows(flowFacts, hours)
  const inflows = windowFlows.filter(isUnrequestedFromStranger)
  const senders = countParties(inflows)
  if (senders < minimum) return undefined
  const passedOnFlows = listOutflowsSince(windowFlows, inflows).filter(({ isKnown }) => !isKnown)
  const payees = countParties(passedOnFlows.filter(isUser))
  const bankOutflow = sumFlows(passedOnFlows.filter(({ party }) => party === 'bank'))
  if (bankOutflow === 0n && payees < minPayees) return undefined
  const [inflow, outflow] = [sumFlows(inflows), sumFlows(passedOnFlows)]
  if (!isAtLeastShare(outflow, percent, inflow)) return undefined
  return {
    ...{ hours, senders, payees, account_age_days: ageDays },
    ...{ in_usd: String(inflow), out_usd: String(outflow), to_bank_usd: String(bankOutflow) },
  }
}

const rules: readonly (readonly [PatternRule, Rule])[] = [
  ['structuring', detectStructuring],
  ['rapid_in_and_out', detectRapidInAndOut],
  ['mule', detectMule],
  ['fan_in', detectFanIn],
]

export function findPattern(flowFacts: FlowFacts, policy: MonitoringPolicyRow): Pattern | undefined {
  for (const [rule, detect] of rules) {
    const inputs = detect(flowFacts, policy)
    if (inputs) return { rule, version: policy.version, inputs }
  }
  return undefined
}

/** Totals of a period; upper bounds of what the rules count. */
export interface Outline {
  readonly inCount: number
  readonly outCount: number
  /** Total received from other users, in US dollar cents. */
  readonly fromPeopleUsdMinor: bigint
  readonly senders: number
}

/** Returns whether a rule could fire, so that the movements themselves must be read. */
export const isNearPattern = (outline: Outline, policy: MonitoringPolicyRow): boolean =>
  Math.max(outline.inCount, outline.outCount) >= policy.structuring_count ||
  outline.fromPeopleUsdMinor >= policy.rapid_usd_minor ||
  outline.senders >= Math.min(policy.fan_in_senders, policy.mule_senders)

/**
 * Returns whether no rule can fire later as long as only payments below `largeUsdMinor` leave: the large payments and
 * the strangers are fewer than any limit. The sum from strangers must be below half its limit, since exchange rates
 * change.
 */
export function isLowRisk(flows: readonly Flow[], largeUsdMinor: bigint, policy: MonitoringPolicyRow): boolean {
  const countLarge = (direction: Flow['direction']) =>
    flows.filter((flow) => flow.direction === direction && flow.usdMinor >= largeUsdMinor).length
  const inflows = flows.filter(isUnrequestedFromStranger)
  return (
    Math.max(countLarge('in'), countLarge('out')) < policy.structuring_count &&
    sumFlows(inflows) * 2n < policy.rapid_usd_minor &&
    countParties(inflows) < Math.min(policy.fan_in_senders, policy.mule_senders)
  )
}

/** Applies the conditions of `isLowRisk` to totals: every payment counts as large, every sender as a stranger. */
export const isOutlineLowRisk = (outline: Outline, policy: MonitoringPolicyRow): boolean =>
  !isNearPattern({ ...outline, fromPeopleUsdMinor: outline.fromPeopleUsdMinor * 2n }, policy)

/**
 * Returns the amount in US dollar cents from which a payment may count towards structuring: half of the policy's share
 * of the lowest threshold of any country, since exchange rates change and the recipient may live elsewhere.
 */
export const computeLargeAmount = (lowestThresholdUsdMinor: bigint, policy: MonitoringPolicyRow): bigint =>
  (lowestThresholdUsdMinor * BigInt(policy.structuring_percent)) / 200n
