import { expect, test } from 'vitest'
import { inputFacts } from './desk-facts.ts'

test('inputs of a rule: amounts in dollars, times, yes and no; missing ones are omitted', () => {
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
