import { countries } from '@tern/contract/countries'
import { expect, test } from 'vitest'
import { placeCaret, groupNumber } from './number-groups.ts'

test.each([
  ['United States', '123456789', '123-45-6789'],
  ['United Kingdom', 'ab123456c', 'AB123456C'],
  ['Canada', '130692544', '130-692-544'],
  ['Australia', '123456782', '123 456 782'],
  ['Germany', '65929970489', '65929970489'],
  ['France', '255081416802538', '2 55 08 14168 025 38'],
  ['Japan', '123456789018', '1234-5678-9018'],
  ['Singapore', 's1234567d', 'S1234567D'],
  ['India', '999941057058', '9999 4105 7058'],
  ['Brazil', '52998224725', '529.982.247-25'],
  ['Australia', '10000006', '100 000 06'],
  ['France', '295109912611193', '2 95 10 99126 111 93'],
  ['Japan', '１２３４５６７８９０１８', '1234-5678-9018'],
  ['United Kingdom', 'AB 12 34 56 C', 'AB123456C'],
])('%s: %s is grouped as %s, also when it is pasted with punctuation', (country, input, grouped) => {
  const format = countries.find(({ name }) => name === country)!.idFormat
  expect(groupNumber(format, input)).toBe(grouped)
  expect(groupNumber(format, grouped)).toBe(grouped)
})

test('punctuation is added and removed with the character after it', () => {
  expect(groupNumber('XXX-XX-XXXX', '123')).toBe('123')
  expect(groupNumber('XXX-XX-XXXX', '1234')).toBe('123-4')
  expect(groupNumber('XXX-XX-XXXX', '123-')).toBe('123')
  expect(groupNumber('XXX-XX-XXXX', '1234567890')).toBe('1234567890')
})

test('the caret stays behind the sign before it', () => {
  expect(placeCaret('123-45', '12345', 5)).toBe(6)
  expect(placeCaret('129-34', '1293-4', 3)).toBe(3)
})
