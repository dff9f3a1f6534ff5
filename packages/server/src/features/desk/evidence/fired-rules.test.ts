import { expect, test } from 'vitest'
import { fourEyes, inputFacts, ruleOfCase } from './fired-rules.ts'
import type { ComplianceCaseRow } from '../../compliance/row-types.ts'

const caseOf = (change: Partial<ComplianceCaseRow>) =>
  ({ stops: 'transfers', opened_at: new Date('2026-11-26T09:00:00Z'), ...change }) as ComplianceCaseRow

test('what a rule saw: amounts in dollars, moments, yes and no; what was not there is left out', () => {
  const inputs = {
    unproven_usd: '123456',
    new_payees: 2,
    trusted: false,
    new_factor: null,
    proven_at: '2026-11-01T08:00:00+00:00',
  }
  expect(inputFacts(inputs)).toEqual([
    { label: 'unproven_usd', kind: 'money', amount: '1234.56', currency: 'USD' },
    { label: 'new_payees', kind: 'text', text: '2' },
    { label: 'trusted', kind: 'code', code: 'not' },
    { label: 'proven_at', kind: 'moment', at: '2026-11-01T08:00:00.000Z' },
  ])
})

test('a pattern stands with the numbers that it fired at, a name with how many entries fit it', () => {
  const evidence = { rule: 'fan_in', version: 3, hours: 24, senders: 5, in_usd: '250000' }
  expect(ruleOfCase(caseOf({ kind: 'pattern', evidence }))).toMatchObject({
    ...{ rule: 'fan_in', version: 3, did: 'held_transfers', at: '2026-11-26T09:00:00.000Z' },
    inputs: [{ text: '24' }, { text: '5' }, { label: 'in_usd', amount: '2500.00' }],
  })
  const named = caseOf({ kind: 'name_match', stops: 'person', evidence: { matches: [{}, {}] } })
  expect(ruleOfCase(named)).toMatchObject({
    rule: 'name_match',
    version: null,
    did: 'held_person',
    inputs: [{ text: '2' }],
  })
})

test('a name that could not be read says so', () => {
  const unread = caseOf({ kind: 'name_match', stops: 'nothing', evidence: { matches: [], unread_name: 'hash' } })
  expect(ruleOfCase(unread).inputs).toEqual([
    { label: 'entries_that_fit', kind: 'text', text: '0' },
    { label: 'name_read', kind: 'code', code: 'not' },
  ])
})

test('two people decide from a value on, or whatever it is worth', () => {
  expect(fourEyes(2_500_00n, 1_000_00n).rules).toMatchObject([
    {
      rule: 'two_people',
      inputs: [
        { label: 'worth', amount: '2500.00' },
        { label: 'two_above', amount: '1000.00' },
      ],
    },
  ])
  expect(fourEyes(undefined, null).rules).toMatchObject([{ inputs: [] }])
})
