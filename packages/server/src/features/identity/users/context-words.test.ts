import { expect, test } from 'vitest'
import { isMadeOfContextWords } from './context-words.ts'

const context = { email: 'maria.lopez@gmail.example', username: 'mlopez77', operatorName: 'Nordwind Pay AB' }

test.each([
  'tern-2026!!',
  'TernTern1234'.toLowerCase(),
  'mytern.wallet',
  't3rn_w4ll3t_1',
  'nordwind2026',
  'n0rdw1nd!!!!',
  'maria2026maria',
  'lopez-lopez-1',
  'mlopez77mlopez77',
  'supportadmin9',
  'moneybank.2027',
])('%s is made of words of the product, its operator or the account', (password) => {
  expect(isMadeOfContextWords(password, context)).toBe(true)
})

test.each([
  'pattern of nine lanterns',
  'western-union-77',
  'tern-kq7!xpzv',
  'my money grows on trees',
  'bankable-otter',
  '4815162342108',
  'correct horse battery',
])('%s is not', (password) => {
  expect(isMadeOfContextWords(password, context)).toBe(false)
})

test('an unset operator and a short name forbid nothing more', () => {
  const short = { email: 'al@x.example', username: 'al', operatorName: undefined }
  expect(isMadeOfContextWords('nordwind2026', short)).toBe(false)
  expect(isMadeOfContextWords('alalalal2026x', short)).toBe(false)
})
