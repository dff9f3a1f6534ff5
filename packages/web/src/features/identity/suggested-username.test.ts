import { registration } from '@tern/contract/protocol/account-forms'
import { expect, test } from 'vitest'
import { suggestUsername, varyUsername } from './suggested-username.ts'

test.each([
  [{ name: 'María dos Santos', email: 'm77@example.com' }, 'maria.dos.santos'],
  [{ name: '', email: 'maria.santos@example.com' }, 'maria.santos'],
  [{ name: '', email: 'maria.santos+tern@example.com' }, 'maria.santos'],
  [{ name: '山田 太郎', email: 'taro@example.jp' }, 'taro'],
  [{ name: '山田 太郎', email: '太郎@example.jp' }, ''],
  [{ name: 'Al', email: 'al@example.com' }, ''],
  [{ name: '' }, ''],
])('%j is offered the username %s', (person, username) => {
  expect(suggestUsername(person)).toBe(username)
})

test.each(['maria.santos', 'a'.repeat(30), ' Maria '])('a variant of %s is a valid username', (username) => {
  const variant = varyUsername(username)
  const form = { email: 'a@example.com', password: 'pole to pole 2026', username: variant }
  expect(registration.parse(form).username).toBe(variant)
  expect(variant).toMatch(/^(maria\.santos|a{25}|maria)\.\d{4}$/)
})
