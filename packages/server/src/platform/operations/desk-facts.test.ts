import { expect, test } from 'vitest'
import { inputFacts } from './desk-facts.ts'

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
