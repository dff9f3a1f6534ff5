// Payment patterns that need a review (docs/monitoring.md). Pure: equal readings and policies give equal results.

export interface Flow {
  readonly at: Date
  readonly direction: 'in' | 'out'
  /** User id; `bank` for withdrawals, `own` for deposits. */
  readonly party: string
  /** US dollar cents. */
  readonly usdMinor: bigint
  /** Payment of the person's own request. */
  readonly isAsked: boolean
  /** An earlier payment in this direction is old enough to make the parties known to each other. */
  readonly isKnown: boolean
}

export interface Reading {
  readonly at: Date
  readonly accountOpenedAt: Date
  /** Reporting thresholds of the person's country, in US dollar cents. */
  readonly reportingThresholds: readonly bigint[]
  /** Includes the pending movement, if there is one. */
  readonly flows: readonly Flow[]
}

/** Row of `monitoring_policy`. */
export interface MonitoringPolicy {
  readonly version: number
  readonly structuring_hours: number
  readonly structuring_count: number
  readonly structuring_percent: number
  readonly rapid_hours: number
  readonly rapid_usd_minor: bigint
  readonly rapid_percent: number
  readonly fan_in_hours: number
  readonly fan_in_senders: number
  readonly mule_account_days: number
  readonly mule_hours: number
  readonly mule_senders: number
  readonly mule_percent: number
  readonly mule_payees: number
  readonly known_days: number
}

export type PatternRule = 'structuring' | 'rapid_in_and_out' | 'fan_in' | 'mule'

/** A rule that fired, with its inputs. Amounts are US dollar cents. */
export interface Pattern {
  readonly rule: PatternRule
  readonly version: number
  readonly inputs: Readonly<Record<string, string | number>>
}

const hourMs = 3_600_000

const recentFlows = ({ at, flows }: Reading, hours: number): Flow[] =>
  flows.filter((flow) => flow.at.getTime() > at.getTime() - hours * hourMs)

const sumFlows = (flows: readonly Flow[]): bigint => flows.reduce((sum, { usdMinor }) => sum + usdMinor, 0n)
const countParties = (flows: readonly Flow[]): number => new Set(flows.map(({ party }) => party)).size
const isShare = (part: bigint, percent: number, whole: bigint): boolean => part * 100n >= whole * BigInt(percent)

const isUser = ({ party }: Flow): boolean => party !== 'bank' && party !== 'own'
const isFromStranger = (flow: Flow): boolean => flow.direction === 'in' && isUser(flow) && !flow.isKnown
const isUnrequested = (flow: Flow): boolean => isFromStranger(flow) && !flow.isAsked

/** Returns payments out since the first of these arrivals. */
const outflowsSince = (flows: readonly Flow[], inflows: readonly Flow[]): Flow[] => {
  const first = Math.min(...inflows.map(({ at }) => at.getTime()))
  return flows.filter(({ direction, at }) => direction === 'out' && at.getTime() >= first)
}

type Rule = (reading: Reading, policy: MonitoringPolicy) => Pattern['inputs'] | undefined

/** Several movements just below a reporting threshold. */
const structuring: Rule = (reading, policy) => {
  const { structuring_hours: hours, structuring_count: count, structuring_percent: percent } = policy
  for (const threshold of reading.reportingThresholds) {
    for (const direction of ['in', 'out'] as const) {
      const below = recentFlows(reading, hours).filter(
        (flow) =>
          flow.direction === direction && flow.usdMinor < threshold && isShare(flow.usdMinor, percent, threshold),
      )
      // A sum below the threshold evades nothing.
      if (below.length < count || sumFlows(below) < threshold) continue
      return { direction, hours, count: below.length, usd: String(sumFlows(below)), threshold_usd: String(threshold) }
    }
  }
  return undefined
}

/** Most of the money received from strangers is sent to strangers or a bank within hours. */
const rapidInAndOut: Rule = (reading, policy) => {
  const { rapid_hours: hours, rapid_usd_minor: least, rapid_percent: percent } = policy
  const recent = recentFlows(reading, hours)
  const inflows = recent.filter(isUnrequested)
  const inflow = sumFlows(inflows)
  if (inflow < least) return undefined
  const left = sumFlows(outflowsSince(recent, inflows).filter(({ isKnown }) => !isKnown))
  return isShare(left, percent, inflow) ? { hours, in_usd: String(inflow), out_usd: String(left) } : undefined
}

/** Many strangers pay one account without a request, and money now leaves it. */
const fanIn: Rule = (reading, policy) => {
  const { fan_in_hours: hours, fan_in_senders: least } = policy
  const inflows = recentFlows(reading, hours).filter(isUnrequested)
  const senders = countParties(inflows)
  return senders >= least ? { hours, senders, in_usd: String(sumFlows(inflows)) } : undefined
}

/** A young account gathers money from strangers and passes most of it on, to a bank or to several new payees. */
const mule: Rule = (reading, policy) => {
  const { mule_hours: hours, mule_senders: least, mule_percent: percent, mule_payees: leastPayees } = policy
  const ageDays = Math.floor((reading.at.getTime() - reading.accountOpenedAt.getTime()) / (24 * hourMs)) // not money: days
  if (ageDays >= policy.mule_account_days) return undefined
  const recent = recentFlows(reading, hours)
  const inflows = recent.filter(isUnrequested)
  const senders = countParties(inflows)
  if (senders < least) return undefined
  const left = outflowsSince(recent, inflows).filter(({ isKnown }) => !isKnown)
  const payees = countParties(left.filter(isUser))
  const bankOutflow = sumFlows(left.filter(({ party }) => party === 'bank'))
  if (bankOutflow === 0n && payees < leastPayees) return undefined
  const [inflow, outflow] = [sumFlows(inflows), sumFlows(left)]
  if (!isShare(outflow, percent, inflow)) return undefined
  return {
    ...{ hours, senders, payees, account_age_days: ageDays },
    ...{ in_usd: String(inflow), out_usd: String(outflow), to_bank_usd: String(bankOutflow) },
  }
}

const rules: readonly (readonly [PatternRule, Rule])[] = [
  ['structuring', structuring],
  ['rapid_in_and_out', rapidInAndOut],
  ['mule', mule],
  ['fan_in', fanIn],
]

export function findPattern(reading: Reading, policy: MonitoringPolicy): Pattern | undefined {
  for (const [rule, fires] of rules) {
    const inputs = fires(reading, policy)
    if (inputs) return { rule, version: policy.version, inputs }
  }
  return undefined
}

/** Totals of the same period: they may be too high, never too low. */
export interface Outline {
  readonly ins: number
  readonly outs: number
  /** Received from other people, in US dollar cents, and the number of senders. */
  readonly fromPeopleUsdMinor: bigint
  readonly senders: number
}

/** Returns whether any rule could fire, so that the movements must be read. */
export const isNearPattern = (outline: Outline, policy: MonitoringPolicy): boolean =>
  Math.max(outline.ins, outline.outs) >= policy.structuring_count ||
  outline.fromPeopleUsdMinor >= policy.rapid_usd_minor ||
  outline.senders >= Math.min(policy.fan_in_senders, policy.mule_senders)

/**
 * Returns whether no rule can fire at any later time, whatever payments below `largeUsdMinor` leave: the counts of
 * large payments and of strangers are below every limit. The sum from strangers must be below half its limit, because
 * exchange rates change.
 */
export function isCalm(flows: readonly Flow[], largeUsdMinor: bigint, policy: MonitoringPolicy): boolean {
  const countLarge = (direction: Flow['direction']) =>
    flows.filter((flow) => flow.direction === direction && flow.usdMinor >= largeUsdMinor).length
  const inflows = flows.filter(isUnrequested)
  return (
    Math.max(countLarge('in'), countLarge('out')) < policy.structuring_count &&
    sumFlows(inflows) * 2n < policy.rapid_usd_minor &&
    countParties(inflows) < Math.min(policy.fan_in_senders, policy.mule_senders)
  )
}

/** Applies `isCalm` to an outline, which counts every payment as large and every sender as a stranger. */
export const isOutlineCalm = (outline: Outline, policy: MonitoringPolicy): boolean =>
  !isNearPattern({ ...outline, fromPeopleUsdMinor: outline.fromPeopleUsdMinor * 2n }, policy)

/**
 * Returns the value in US dollar cents from which a payment may count towards structuring: half of the policy's share
 * of the lowest threshold of any country, because exchange rates change and the recipient may live in another country.
 */
export const largeFrom = (lowestThresholdUsdMinor: bigint, policy: MonitoringPolicy): bigint =>
  (lowestThresholdUsdMinor * BigInt(policy.structuring_percent)) / 200n
