import { expect, test } from 'vitest'
import { buildIban, buildRoutingNumber } from './account-numbers.ts'

// Published examples: a German IBAN of the IBAN registry, and routing numbers of American banks.
test('an IBAN has the check digits of its account', () => {
  expect(buildIban('DE', '370400440532013000')).toBe('DE89370400440532013000')
})

test.each(['021000021', '011000015', '121000248'])('a routing number ends in its check digit: %s', (routing) => {
  expect(buildRoutingNumber(routing.slice(0, 8))).toBe(routing)
})
