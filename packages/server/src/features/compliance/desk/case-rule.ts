import type { DeskRule } from '@tern/contract/desk/queues'
import { codeFact, inputFacts, textFact } from '../../../platform/operations/desk-facts.ts'
import type { ComplianceCaseRow } from '../row-types.ts'

/** Returns why a case is open (its pattern with inputs, or the number of matching entries) and what it stops. */
export function findCaseRule({ kind, stops, evidence, opened_at: at }: ComplianceCaseRow): DeskRule {
  const did = `held_${stops}`
  const { rule, version, matches, unread_name: unreadName, ...inputs } = evidence
  if (typeof rule === 'string') {
    const policyVersion = typeof version === 'number' ? version : null
    return { rule, version: policyVersion, inputs: inputFacts(inputs), did, at: at.toISOString() }
  }
  const entryFacts = Array.isArray(matches)
    ? [textFact('entries_that_fit', String(matches.length))]
    : inputFacts(inputs)
  const unreadFacts = unreadName === undefined ? [] : [codeFact('name_read', 'not')]
  return { rule: kind, version: null, inputs: [...entryFacts, ...unreadFacts], did, at: at.toISOString() }
}
