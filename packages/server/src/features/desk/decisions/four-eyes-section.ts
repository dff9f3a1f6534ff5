import type { DeskSection } from '@tern/contract/desk/queues'
import { money } from '@tern/money/money'
import { moneyFact } from '../../../platform/operations/desk-facts.ts'

/** Returns the section that says why two operators decide, with the threshold if it is above zero. */
export function buildFourEyesSection(usdMinor: bigint | null | undefined, threshold: bigint | null): DeskSection {
  const inputs = [
    ...(typeof usdMinor === 'bigint' ? [moneyFact('worth', money('USD', usdMinor))] : []),
    ...(threshold === null || threshold === 0n ? [] : [moneyFact('two_above', money('USD', threshold))]),
  ]
  const rule = { rule: 'two_people', version: null, inputs, did: 'needs_two', at: null }
  return { code: 'four_eyes', chapter: 'rules', facts: [], rules: [rule] }
}
