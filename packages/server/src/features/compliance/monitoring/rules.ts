// What makes people look at somebody's payments (docs/monitoring.md). Pure: the same reading and numbers give the same answer.

/** One movement of a person's money. */
export interface Flow {
  readonly at: Date
  readonly direction: 'in' | 'out'
  /** A user's number; `bank` of withdrawals, `own` of deposits. */
  readonly party: string
  /** US dollar cents. */
  readonly usdMinor: bigint
  /** It pays what the person had asked for. */
  readonly isAsked: boolean
  /** The two have paid each other, this way, long enough before. */
  readonly isKnown: boolean
}

/** All that the rules look at. */
export interface Reading {
  readonly at: Date
  readonly accountOpenedAt: Date
  /** Of the person's country, in US dollar cents. */
  readonly reportingThresholds: readonly bigint[]
  /** With the movement that is about to be made, if there is one. */
  readonly flows: readonly Flow[]
}

/** The numbers, as `monitoring_policy` has them. */
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

/** A rule that fired, with the numbers it fired at. Amounts are US dollar cents. */
export interface Pattern {
  readonly rule: PatternRule
  readonly version: number
  readonly inputs: Readonly<Record<string, string | number>>
}

const hourMs = 3_600_000

const within = ({ at, flows }: Reading, hours: number): Flow[] =>
  flows.filter((flow) => flow.at.getTime() > at.getTime() - hours * hourMs)

const sumOf = (flows: readonly Flow[]): bigint => flows.reduce((sum, { usdMinor }) => sum + usdMinor, 0n)
const partiesOf = (flows: readonly Flow[]): number => new Set(flows.map(({ party }) => party)).size
const isShare = (part: bigint, percent: number, whole: bigint): boolean => part * 100n >= whole * BigInt(percent)

const isUser = ({ party }: Flow): boolean => party !== 'bank' && party !== 'own'
const fromStranger = (flow: Flow): boolean => flow.direction === 'in' && isUser(flow) && !flow.isKnown
const unasked = (flow: Flow): boolean => fromStranger(flow) && !flow.isAsked

/** What left after the first of these came. */
const outAfter = (flows: readonly Flow[], arrived: readonly Flow[]): Flow[] => {
  const first = Math.min(...arrived.map(({ at }) => at.getTime()))
  return flows.filter(({ direction, at }) => direction === 'out' && at.getTime() >= first)
}

type Rule = (reading: Reading, policy: MonitoringPolicy) => Pattern['inputs'] | undefined

/** Several movements just below what is reported. */
const structuring: Rule = (reading, policy) => {
  const { structuring_hours: hours, structuring_count: count, structuring_percent: percent } = policy
  for (const threshold of reading.reportingThresholds) {
    for (const direction of ['in', 'out'] as const) {
      const below = within(reading, hours).filter(
        (flow) =>
          flow.direction === direction && flow.usdMinor < threshold && isShare(flow.usdMinor, percent, threshold),
      )
      // One of them alone is no way around anything.
      if (below.length < count || sumOf(below) < threshold) continue
      return { direction, hours, count: below.length, usd: String(sumOf(below)), threshold_usd: String(threshold) }
    }
  }
  return undefined
}

/** Most of what strangers sent goes on to strangers, or to a bank, within hours. */
const rapidInAndOut: Rule = (reading, policy) => {
  const { rapid_hours: hours, rapid_usd_minor: least, rapid_percent: percent } = policy
  const recent = within(reading, hours)
  const arrived = recent.filter(unasked)
  const came = sumOf(arrived)
  if (came < least) return undefined
  const left = sumOf(outAfter(recent, arrived).filter(({ isKnown }) => !isKnown))
  return isShare(left, percent, came) ? { hours, in_usd: String(came), out_usd: String(left) } : undefined
}

/** Many strangers send to one account, which did not ask them; and now money leaves. */
const fanIn: Rule = (reading, policy) => {
  const { fan_in_hours: hours, fan_in_senders: least } = policy
  const arrived = within(reading, hours).filter(unasked)
  const senders = partiesOf(arrived)
  return senders >= least ? { hours, senders, in_usd: String(sumOf(arrived)) } : undefined
}

/** A young account gathers from strangers and passes most of it on, to a bank or to several people it has never paid. */
const mule: Rule = (reading, policy) => {
  const { mule_hours: hours, mule_senders: least, mule_percent: percent, mule_payees: leastPayees } = policy
  const ageDays = Math.floor((reading.at.getTime() - reading.accountOpenedAt.getTime()) / (24 * hourMs)) // not money: days
  if (ageDays >= policy.mule_account_days) return undefined
  const recent = within(reading, hours)
  const arrived = recent.filter(unasked)
  const senders = partiesOf(arrived)
  if (senders < least) return undefined
  const left = outAfter(recent, arrived).filter(({ isKnown }) => !isKnown)
  const payees = partiesOf(left.filter(isUser))
  const toBank = sumOf(left.filter(({ party }) => party === 'bank'))
  if (toBank === 0n && payees < leastPayees) return undefined
  const [came, went] = [sumOf(arrived), sumOf(left)]
  if (!isShare(went, percent, came)) return undefined
  return {
    ...{ hours, senders, payees, account_age_days: ageDays },
    ...{ in_usd: String(came), out_usd: String(went), to_bank_usd: String(toBank) },
  }
}

const rules: readonly (readonly [PatternRule, Rule])[] = [
  ['structuring', structuring],
  ['rapid_in_and_out', rapidInAndOut],
  ['mule', mule],
  ['fan_in', fanIn],
]

/** The first rule that fires, if any does. */
export function findPattern(reading: Reading, policy: MonitoringPolicy): Pattern | undefined {
  for (const [rule, fires] of rules) {
    const inputs = fires(reading, policy)
    if (inputs) return { rule, version: policy.version, inputs }
  }
  return undefined
}

/** What a cheap look at the same time knows: counts may be too high, never too low. */
export interface Outline {
  /** Movements in each direction. */
  readonly ins: number
  readonly outs: number
  /** What came from other people, and from how many. */
  readonly fromPeopleUsdMinor: bigint
  readonly senders: number
}

/** Whether any rule could fire, so that the movements themselves have to be read. */
export const isNear = (outline: Outline, policy: MonitoringPolicy): boolean =>
  Math.max(outline.ins, outline.outs) >= policy.structuring_count ||
  outline.fromPeopleUsdMinor >= policy.rapid_usd_minor ||
  outline.senders >= Math.min(policy.fan_in_senders, policy.mule_senders)

/**
 * Whether no rule can fire, whatever time passes and whatever payments below `largeUsdMinor` leave: what only grows with payments that
 * are large, or come from strangers, is below every rule's number. The sum from strangers has to be below half of it, since later
 * exchange rates count.
 */
export function isCalm(flows: readonly Flow[], largeUsdMinor: bigint, policy: MonitoringPolicy): boolean {
  const largeOnes = (direction: Flow['direction']) =>
    flows.filter((flow) => flow.direction === direction && flow.usdMinor >= largeUsdMinor).length
  const arrived = flows.filter(unasked)
  return (
    Math.max(largeOnes('in'), largeOnes('out')) < policy.structuring_count &&
    sumOf(arrived) * 2n < policy.rapid_usd_minor &&
    partiesOf(arrived) < Math.min(policy.fan_in_senders, policy.mule_senders)
  )
}

/** The same by a cheap look, which counts every payment as large and every sender as a stranger. */
export const isOutlineCalm = (outline: Outline, policy: MonitoringPolicy): boolean =>
  !isNear({ ...outline, fromPeopleUsdMinor: outline.fromPeopleUsdMinor * 2n }, policy)

/**
 * From which value on a payment may count towards structuring, in US dollar cents: half of what the lowest threshold of any country
 * makes of it, since later exchange rates count, and the recipient may live elsewhere.
 */
export const largeFrom = (lowestThresholdUsdMinor: bigint, policy: MonitoringPolicy): bigint =>
  (lowestThresholdUsdMinor * BigInt(policy.structuring_percent)) / 200n

/** How far back any rule looks. */
export const longestHours = (policy: MonitoringPolicy): number =>
  Math.max(policy.structuring_hours, policy.rapid_hours, policy.fan_in_hours, policy.mule_hours)
