import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Flow, findPattern, isLowRisk, isOutlineLowRisk, computeLargeAmount, type Outline } from './rules.ts'
import type { MonitoringPolicyRow } from '../row-types.ts'

const hourMs = 3_600_000
const start = Date.UTC(2026, 5, 15)

const policy: MonitoringPolicyRow = {
  version: 1,
  structuring_hours: 72,
  structuring_count: 3,
  structuring_percent: 80,
  rapid_hours: 24,
  rapid_usd_minor: 200_000n,
  rapid_percent: 80,
  fan_in_hours: 24,
  fan_in_senders: 10,
  mule_account_days: 30,
  mule_hours: 168,
  mule_senders: 5,
  mule_percent: 70,
  mule_payees: 2,
  known_days: 30,
}
/** Lowest reporting threshold of any country, in US dollar cents. */
const lowestMinor = 300_000n
const largeMinor = computeLargeAmount(lowestMinor, policy)

const usdArbitrary = fc.oneof(
  fc.bigInt({ min: 1n, max: 5000n }),
  fc.bigInt({ min: largeMinor - 2n, max: largeMinor + 2n }),
  fc.bigInt({ min: 1n, max: 320_000n }),
)
const flowArbitrary: fc.Arbitrary<Flow> = fc.record({
  at: fc.integer({ min: -168, max: 0 }).map((hours) => new Date(start + hours * hourMs)),
  direction: fc.constantFrom('in', 'out'),
  party: fc.oneof(fc.constantFrom('bank', 'own'), fc.integer({ min: 1, max: 12 }).map(String)),
  usdMinor: usdArbitrary,
  isAsked: fc.boolean(),
  isKnown: fc.boolean(),
})
const changeFlow = (flow: Flow, to: Partial<Flow>): Flow => ({ ...flow, ...to })

/** Payments just below a threshold, all in one direction. */
const structuredFlowsArbitrary = fc
  .tuple(
    fc.constantFrom<Flow['direction']>('in', 'out'),
    fc.array(fc.tuple(flowArbitrary, fc.bigInt({ min: 245_000n, max: 299_999n })), { maxLength: 4 }),
  )
  .map(([direction, flows]) => flows.map(([flow, usdMinor]) => changeFlow(flow, { direction, usdMinor })))
/** Small payments from several strangers, then one withdrawal of their sum. */
const gatheredFlowsArbitrary = fc
  .tuple(fc.integer({ min: 1, max: 11 }), fc.bigInt({ min: 1000n, max: 20_000n }))
  .map(([senders, usdMinor]): Flow[] => {
    const first: Flow = {
      at: new Date(start - hourMs),
      direction: 'in',
      party: '1',
      usdMinor,
      isAsked: false,
      isKnown: false,
    }
    const incomingFlows = Array.from({ length: senders }, (_, index) => changeFlow(first, { party: String(index) }))
    const outgoingUsdMinor = usdMinor * BigInt(senders)
    return incomingFlows.concat(
      changeFlow(first, { at: new Date(start), direction: 'out', party: 'bank', usdMinor: outgoingUsdMinor }),
    )
  })
const flowsArbitrary = fc.oneof(
  fc.array(flowArbitrary, { maxLength: 14 }),
  structuredFlowsArbitrary,
  gatheredFlowsArbitrary,
)
/**
 * Movements that leave a low-risk sender low-risk: amounts below `largeMinor`, and incoming ones from known senders
 * only.
 */
const quietFlowArbitrary: fc.Arbitrary<Flow> = fc
  .tuple(flowArbitrary, fc.bigInt({ min: 1n, max: largeMinor - 1n }), fc.integer({ min: 0, max: 24 }))
  .map(([flow, usdMinor, hours]) =>
    changeFlow(flow, {
      at: new Date(start + hours * hourMs),
      usdMinor,
      party: flow.direction === 'in' && flow.party === 'own' ? '7' : flow.party,
      isKnown: flow.direction === 'in' || flow.isKnown,
    }),
  )
/**
 * Values after a change of exchange rates, in percent. Values and the lowest threshold change against each other by
 * less than a factor of two.
 */
const driftArbitrary = fc.oneof(fc.constant(100n), fc.bigInt({ min: 51n, max: 100n }))

interface LaterScenario {
  readonly quietFlows: readonly Flow[]
  readonly driftPercents: readonly bigint[]
  readonly thresholds: readonly bigint[]
  readonly hours: number
  readonly ageDays: number
}
const laterArbitrary: fc.Arbitrary<LaterScenario> = fc.record({
  quietFlows: fc.array(quietFlowArbitrary, { maxLength: 8 }),
  driftPercents: fc.array(driftArbitrary, { minLength: 40, maxLength: 40 }),
  thresholds: fc.subarray([lowestMinor, 350_000n, 1_000_000n]),
  hours: fc.integer({ min: 0, max: 24 }),
  ageDays: fc.integer({ min: 0, max: 60 }),
})

/** Returns the pattern that a further send completes at a later time, if any. */
function findPatternLater(
  flows: readonly Flow[],
  { quietFlows, driftPercents, thresholds, hours, ageDays }: LaterScenario,
) {
  const at = new Date(start + hours * hourMs)
  const allFlows = [...flows, ...quietFlows.filter((flow) => flow.at <= at)]
  const revaluedFlows = allFlows.map((flow, index) =>
    changeFlow(flow, { usdMinor: (flow.usdMinor * 100n) / (driftPercents[index] ?? 100n) }),
  )
  const next: Flow = { at, direction: 'out', party: '9', usdMinor: largeMinor - 1n, isAsked: false, isKnown: false }
  const accountOpenedAt = new Date(at.getTime() - ageDays * 24 * hourMs)
  return findPattern({ at, accountOpenedAt, reportingThresholds: thresholds, flows: [...revaluedFlows, next] }, policy)
}

const summarizeFlows = (flows: readonly Flow[]): Outline => {
  const incomingFlows = flows.filter(
    ({ direction, party }) => direction === 'in' && party !== 'own' && party !== 'bank',
  )
  return {
    inCount: flows.filter(({ direction }) => direction === 'in').length,
    outCount: flows.filter(({ direction }) => direction === 'out').length,
    fromPeopleUsdMinor: incomingFlows.reduce((sum, { usdMinor }) => sum + usdMinor, 0n),
    senders: new Set(incomingFlows.map(({ party }) => party)).size,
  }
}

test('a calm sender completes no pattern with small payments, at any later time and rate', () => {
  let lowRiskCount = 0
  fc.assert(
    fc.property(flowsArbitrary, laterArbitrary, (flows, laterScenario) => {
      if (!isLowRisk(flows, largeMinor, policy)) return
      lowRiskCount += 1
      expect(findPatternLater(flows, laterScenario)).toBeUndefined()
    }),
    { numRuns: 20_000, seed: 20_261_128 },
  )
  expect(lowRiskCount).toBeGreaterThan(1000)
})

test('a sender who is calm by the outline is calm by the payments', () => {
  let lowRiskCount = 0
  fc.assert(
    fc.property(fc.array(flowArbitrary, { maxLength: 5 }), (flows) => {
      if (!isOutlineLowRisk(summarizeFlows(flows), policy)) return
      lowRiskCount += 1
      expect(isLowRisk(flows, largeMinor, policy)).toBe(true)
    }),
    { numRuns: 20_000, seed: 20_261_128 },
  )
  expect(lowRiskCount).toBeGreaterThan(1000)
})
