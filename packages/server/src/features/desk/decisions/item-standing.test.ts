import fc from 'fast-check'
import { expect, test } from 'vitest'
import { needsTwo } from './item-rows.ts'
import {
  type SeatDecision,
  determineOutcome,
  type ItemStanding,
  determineState,
  findObstacle,
} from './item-standing.ts'

const operators = ['ana', 'ben', 'cleo', 'dan'] as const
const verdicts = ['settle', 'reject'] as const

test('in any order, two different operators agree or a third who is a lead decides', () => {
  const attemptArbitrary = fc.record({
    id: fc.constantFrom(...operators),
    isLead: fc.boolean(),
    verdict: fc.constantFrom(...verdicts),
  })
  fc.assert(
    fc.property(fc.boolean(), fc.array(attemptArbitrary, { maxLength: 12 }), (needsTwo, attempts) => {
      const decisions: SeatDecision[] = []
      let currentVerdict: string | null = null
      for (const { id, isLead, verdict } of attempts) {
        const standing: ItemStanding = { needsTwo, decisions, forLead: false, claimedBy: null, verdict: currentVerdict }
        if (findObstacle(standing, { id, isLead })) continue
        const { seat, outcome } = determineOutcome(standing, verdict)
        decisions.push({ seat, operatorId: id, verdict })
        if (outcome === 'carry_out') currentVerdict = verdict
        if (seat === 'lead') expect(isLead).toBe(true)
      }
      expect(new Set(decisions.map(({ operatorId }) => operatorId)).size).toBe(decisions.length)
      expect(new Set(decisions.map(({ seat }) => seat)).size).toBe(decisions.length)
      if (currentVerdict === null) return
      const agreeingDecisions = decisions.filter(({ verdict }) => verdict === currentVerdict)
      expect(agreeingDecisions.length).toBeGreaterThanOrEqual(needsTwo ? 2 : 1)
    }),
    { seed: 20_261_128 },
  )
})

test.each([
  ['open', { decisions: [] }, undefined],
  ['open, left to a lead', { decisions: [], forLead: true }, 'lead_needed'],
  ['open, taken by another', { decisions: [], claimedBy: 'ben' }, 'taken'],
  ['open, taken by oneself', { decisions: [], claimedBy: 'ana' }, undefined],
  ['proposed by oneself', { decisions: [{ seat: 'first', operatorId: 'ana', verdict: 'settle' }] }, 'decided_already'],
  ['proposed by another', { decisions: [{ seat: 'first', operatorId: 'ben', verdict: 'settle' }] }, undefined],
  ['decided', { decisions: [], verdict: 'settle' }, 'decided'],
] as const)('what is %s', (name, overrides, expectedObstacle) => {
  const standing = { needsTwo: true, forLead: false, claimedBy: null, verdict: null, ...overrides } as ItemStanding
  expect(determineState(standing)).toBe(/^\w+/.exec(name)?.[0])
  expect(findObstacle(standing, { id: 'ana', isLead: false })).toBe(expectedObstacle)
})

test.each([
  ['more than the value', { usdMinor: 100_001n }, 100_000n, true],
  ['the value itself', { usdMinor: 100_000n }, 100_000n, false],
  ['what cannot be valued', { usdMinor: undefined }, 100_000n, true],
  ['what is not about money', { usdMinor: null }, 0n, false],
  ['where there is no value', { usdMinor: 100_001n }, null, false],
  ['what is always for two', { usdMinor: null, isForTwo: true }, null, true],
] as const)(
  '%s needs one or two decisions, and one where one always suffices',
  (_case, entry, threshold, isTwoExpected) => {
    expect(needsTwo(entry, threshold)).toBe(isTwoExpected)
    expect(needsTwo(entry, threshold, true)).toBe(false)
  },
)
