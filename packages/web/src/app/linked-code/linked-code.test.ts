import { expect, test } from 'vitest'
import { findLinkedCode } from './linked-code.ts'

const code = 'AB12-CD34'

test.each([
  code,
  ` ${code}.`,
  `(${code})`,
  `https://tern.example/certificate/${code}`,
  `https://tern.example/certificate/${code}/`,
  `tern.example/certificate/${code}?from=mail#top`,
  `See https://tern.example/certificate/${code}.`,
  `https://tern.example/certificate/\n${code}`,
  'AB12\ud83d-CD34',
])('%j has the code', (text) => {
  expect(findLinkedCode(text, '/certificate')).toBe(code)
})

test.each(['', ' ', '…', 'https://tern.example/certificate/', '\ud83d'])('%j has no code', (text) => {
  expect(findLinkedCode(text, '/certificate')).toBe('')
})
