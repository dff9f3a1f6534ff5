import { expect, test } from 'vitest'
import { findCaseRule } from './case-rule.ts'
import type { ComplianceCaseRow } from '../row-types.ts'

const buildCase = (change: Partial<ComplianceCaseRow>) =>
  ({ stops: 'transfers', opened_at: new Date('2026-11-26T09:00:00Z'), ...change }) as ComplianceCaseRow

test('a pattern is shown with its thresholds, a name with its number of matching entries', () => {
  const evidence = { rule: 'fan_in', version: 3, hours: 24, senders: 5, in_usd: '250000' }
  expect(findCaseRule(buildCase({ kind: 'pattern', evidence }))).toMatchObject({
    ...{ rule: 'fan_in', version: 3, did: 'held_transfers', at: '2026-11-26T09:00:00.000Z' },
    inputs: [{ text: '24' }, { text: '5' }, { label: 'in_usd', amount: '2500.00' }],
  })
  const nameMatchCase = buildCase({ kind: 'name_match', stops: 'person', evidence: { matches: [{}, {}] } })
  expect(findCaseRule(nameMatchCase)).toMatchObject({
    rule: 'name_match',
    version: null,
    did: 'held_person',
    inputs: [{ text: '2' }],
  })
})

test('an unreadable name is marked', () => {
  const unreadableNameCase = buildCase({
    kind: 'name_match',
    stops: 'nothing',
    evidence: { matches: [], unread_name: 'hash' },
  })
  expect(findCaseRule(unreadableNameCase).inputs).toEqual([
    { label: 'entries_that_fit', kind: 'text', text: '0' },
    { label: 'name_read', kind: 'code', code: 'not' },
  ])
})
