import { expect, test } from 'vitest'
import { dataOfLink } from './scanned-link.ts'

const origin = 'https://tern.example'

test.each([
  ['https://tern.example/pay?data=abc', 'abc'],
  ['  https://tern.example/pay?data=abc\n', 'abc'],
  ['https://tern.example/pay?data=abc&receipt=x', 'abc'],
  ['https://tern.example/pay', undefined],
  ['https://tern.example/pay?data=', undefined],
  ['https://tern.example/login?data=abc', undefined],
  ['https://tern.example.evil.test/pay?data=abc', undefined],
  ['https://tern.example@evil.test/pay?data=abc', undefined],
  ['http://tern.example/pay?data=abc', undefined],
  ['javascript:alert(1)//pay?data=abc', undefined],
  ['/pay?data=abc', undefined],
  ['WIFI:S:cafe;;', undefined],
  ['', undefined],
])('%j names %j', (text, data) => {
  expect(dataOfLink(text, origin)).toBe(data)
})
