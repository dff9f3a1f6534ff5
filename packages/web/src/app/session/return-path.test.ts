import { expect, test } from 'vitest'
import { returnPath } from './return-path.ts'

test.each([
  ['/send', '/send'],
  ['/send?payment_success=true#top', '/send?payment_success=true#top'],
  ['/a/../wallet', '/wallet'],
])('%j is one of our own paths', (from, path) => {
  expect(returnPath(from, '/dashboard')).toBe(path)
})

test.each([
  null,
  undefined,
  '',
  'send',
  'https://evil.example/send',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/./\\evil.example',
  '/.//evil.example',
  'javascript:alert(1)',
  '\\/evil.example',
  ' //evil.example',
])('%j is never followed', (from) => {
  expect(returnPath(from, '/dashboard')).toBe('/dashboard')
})
