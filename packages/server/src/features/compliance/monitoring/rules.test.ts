import { describe, expect, test } from 'vitest'
import { type Flow, findPattern, isNearPattern, type FlowFacts } from './rules.ts'
import type { MonitoringPolicyRow } from '../row-types.ts'

const policy: MonitoringPolicyRow = {
  ...{ version: 1, structuring_hours: 72, structuring_count: 3, structuring_percent: 80 },
  ...{ rapid_hours: 24, rapid_usd_minor: 200_000n, rapid_percent: 80, fan_in_hours: 24, fan_in_senders: 10 },
  ...{ mule_account_days: 30, mule_hours: 168, mule_senders: 5, mule_percent: 70, mule_payees: 2, known_days: 30 },
}
const at = new Date('2026-06-15T12:00:00Z')
const hoursBefore = (hours: number) => new Date(at.getTime() - hours * 3_600_000)

type FlowChanges = Partial<Flow>
/** Returns a payment in dollars from a stranger, made `hours` before `at`. */
const from = (party: string, dollars: number, hours: number, overrides: FlowChanges = {}): Flow => ({
  ...{
    at: hoursBefore(hours),
    direction: 'in',
    party,
    usdMinor: BigInt(dollars) * 100n,
    isAsked: false,
    isKnown: false,
  },
  ...overrides,
})
const to = (party: string, dollars: number, hours = 0, overrides: FlowChanges = {}): Flow => ({
  ...from(party, dollars, hours, overrides),
  direction: 'out',
})
const knownParty: FlowChanges = { isKnown: true }
const requestedPayment: FlowChanges = { isAsked: true }
const buildCrowdFlows = (count: number, dollars: number, overrides: FlowChanges = {}) =>
  Array.from({ length: count }, (_, n) => from(`person ${n}`, dollars, 20 - n / 2, overrides))

const openedLongAgo = hoursBefore(24 * 400)
const openedRecently = hoursBefore(24 * 6)
const findRule = (flows: readonly Flow[], overrides: Partial<FlowFacts> = {}) =>
  findPattern(
    { at, accountOpenedAt: openedLongAgo, reportingThresholds: [1_000_000n, 300_000n], flows, ...overrides },
    policy,
  )?.rule

describe('fires', () => {
  test.each<[string, string, Flow[], Partial<FlowFacts>?]>([
    ['three sends just below 10,000', 'structuring', [to('a', 9500, 60), to('b', 9900, 30), to('c', 8000)]],
    ['the lower threshold too', 'structuring', [to('a', 2900, 60), to('a', 2950, 30), to('a', 2999)]],
    [
      'three deposits just below it',
      'structuring',
      [from('own', 9000, 70), from('own', 9000, 40), from('own', 9000, 1)],
    ],
    ['to people known for long too', 'structuring', [1, 2, 3].map((n) => to('a', 9500, n, knownParty))],
    ['most of it goes on to a stranger', 'rapid_in_and_out', [from('a', 2500, 5), to('b', 2000)]],
    ['exactly the least, exactly the share', 'rapid_in_and_out', [from('a', 2000, 23), to('b', 1600)]],
    ['in the moment in which it came', 'rapid_in_and_out', [from('a', 2500, 5), to('b', 2000, 5)]],
    ['in parts, to a bank', 'rapid_in_and_out', [from('a', 5000, 9), to('bank', 2000, 4), to('bank', 2000)]],
    ['ten strangers, then money leaves', 'fan_in', [...buildCrowdFlows(10, 40), to('b', 50)]],
    [
      'a young account that gathers and withdraws',
      'mule',
      [...buildCrowdFlows(5, 100), to('bank', 400)],
      { accountOpenedAt: openedRecently },
    ],
    [
      'the same on the last day on which it is young',
      'mule',
      [...buildCrowdFlows(5, 100), to('bank', 400)],
      { accountOpenedAt: hoursBefore(24 * 30 - 1) },
    ],
    [
      'the same to two new payees',
      'mule',
      [...buildCrowdFlows(5, 100), to('x', 200, 1), to('y', 200)],
      { accountOpenedAt: openedRecently },
    ],
  ])('%s', (_case, rule, flows, overrides) => {
    expect(findRule(flows, overrides)).toBe(rule)
  })
})

describe('does not fire', () => {
  test.each<[string, Flow[], Partial<FlowFacts>?]>([
    ['nothing', []],
    [
      'a salary of 9,500 each month, rent from it',
      [from('employer', 9500, 10, knownParty), to('landlord', 3000, 0, knownParty)],
    ],
    [
      'a first salary, rent and a purchase from it',
      [from('employer', 4000, 10), to('landlord', 1500), to('shop', 300)],
    ],
    ['a salary that goes home to the family', [from('employer', 3000, 10, knownParty), to('mother', 2900)]],
    [
      'an employer who pays salaries of all sizes',
      [3100, 4200, 5600, 2000].map((pay, n) => to(`e ${n}`, pay, n, knownParty)),
    ],
    ['flatmates split a rent', [...buildCrowdFlows(4, 700, requestedPayment), to('landlord', 3500, 0, knownParty)]],
    ['flatmates split the first rent', [...buildCrowdFlows(4, 700, requestedPayment), to('landlord', 3500)]],
    ['a collection for a present', [...buildCrowdFlows(14, 20, requestedPayment), to('shop', 280)]],
    ['a shop with payment links', [...buildCrowdFlows(60, 80, requestedPayment), to('bank', 4800)]],
    [
      'a new shop with payment links',
      [...buildCrowdFlows(60, 80, requestedPayment), to('bank', 4800)],
      { accountOpenedAt: openedRecently },
    ],
    ['regulars of a stall', [...buildCrowdFlows(25, 15, knownParty), to('bank', 375)]],
    ['two just below', [to('a', 9500, 60), to('b', 9900)]],
    ['a third too long ago', [to('a', 9500, 73), to('b', 9900, 30), to('c', 9900)]],
    ['at the threshold, which is reported', [1, 2, 3].map((n) => to('a', 10_000, n))],
    ['below the share', [1, 2, 3].map((n) => to('a', 7999, n))],
    ['two in, one out', [from('own', 9500, 9), from('own', 9500, 5), to('a', 9500)]],
    ['own money that goes on', [from('own', 2800, 3), to('b', 2800)]],
    ['below the least', [from('a', 1999, 5), to('b', 1999)]],
    ['below the share of what came', [from('a', 2500, 5), to('b', 1999)]],
    ['most of it goes to somebody known', [from('a', 2500, 5), to('b', 2400, 0, knownParty)]],
    ['what came a day ago', [from('a', 2500, 24), to('b', 2500)]],
    ['what left before anything came', [to('b', 2500, 6), from('a', 2500, 5), to('c', 10)]],
    ['nine strangers', [...buildCrowdFlows(9, 40), to('b', 50)]],
    ['ten strangers, the first of them a day ago', [...buildCrowdFlows(9, 40), from('the first', 40, 24), to('b', 50)]],
    ['one stranger ten times', [...Array.from({ length: 10 }, (_, n) => from('a', 40, n)), to('b', 50)]],
    [
      'four strangers of a young account',
      [...buildCrowdFlows(4, 100), to('bank', 400)],
      { accountOpenedAt: openedRecently },
    ],
    [
      'a birthday of a young account, spent in one shop',
      [...buildCrowdFlows(6, 50), to('shop', 290)],
      { accountOpenedAt: openedRecently },
    ],
    [
      'five whose first sent a week ago',
      [...buildCrowdFlows(4, 100), from('a', 100, 168), to('bank', 500)],
      { accountOpenedAt: openedRecently },
    ],
    [
      'a young account that pays two people it knows',
      [...buildCrowdFlows(5, 100), to('x', 200, 1, knownParty), to('y', 200, 0, knownParty)],
      { accountOpenedAt: openedRecently },
    ],
    [
      'the same at thirty days',
      [...buildCrowdFlows(5, 100), to('bank', 400)],
      { accountOpenedAt: hoursBefore(24 * 30) },
    ],
    ['the same of an old account', [...buildCrowdFlows(6, 100), to('bank', 600)]],
    [
      'a young account that keeps it',
      [...buildCrowdFlows(6, 100), to('bank', 400)],
      { accountOpenedAt: openedRecently },
    ],
    ['no threshold is known', [1, 2, 3].map((n) => to('a', 9500, n, knownParty)), { reportingThresholds: [] }],
  ])('%s', (_case, flows, overrides) => {
    expect(findRule(flows, overrides)).toBeUndefined()
  })
})

test('movements with a sum below the threshold are no structuring', () => {
  const patternInput = { at, accountOpenedAt: openedLongAgo, reportingThresholds: [1_000_000n] }
  const coarsePolicy = { ...policy, structuring_count: 2, structuring_percent: 40 }
  const flows = [to('a', 4900, 3, knownParty), to('a', 4900, 2, knownParty)]
  expect(findPattern({ ...patternInput, flows }, coarsePolicy)).toBeUndefined()
  expect(findPattern({ ...patternInput, flows: [...flows, to('a', 4000, 1, knownParty)] }, coarsePolicy)?.rule).toBe(
    'structuring',
  )
})

test('a pattern records the policy version and its inputs', () => {
  const patternInput = {
    at,
    accountOpenedAt: openedLongAgo,
    reportingThresholds: [],
    flows: [from('a', 2500, 5), to('b', 2000)],
  }
  expect(findPattern(patternInput, { ...policy, version: 7 })).toEqual({
    ...{ rule: 'rapid_in_and_out', version: 7, inputs: { hours: 24, in_usd: '250000', out_usd: '200000' } },
  })
})

test('every outline of a pattern that fires is near', () => {
  const flows = [...buildCrowdFlows(5, 100), to('bank', 400)]
  const outline = { inCount: 5, outCount: 1, fromPeopleUsdMinor: 50_000n, senders: 5 }
  expect(findRule(flows, { accountOpenedAt: openedRecently })).toBe('mule')
  expect(isNearPattern(outline, policy)).toBe(true)
  expect(isNearPattern({ ...outline, inCount: 2, senders: 4 }, policy)).toBe(false)
  expect(isNearPattern({ inCount: 2, outCount: 1, fromPeopleUsdMinor: 50_000n, senders: 5 }, policy)).toBe(true)
  expect(isNearPattern({ inCount: 0, outCount: 3, fromPeopleUsdMinor: 0n, senders: 0 }, policy)).toBe(true)
  expect(isNearPattern({ inCount: 1, outCount: 0, fromPeopleUsdMinor: 200_000n, senders: 1 }, policy)).toBe(true)
})
