import { privacy } from '@tern/messages/en/web/site/privacy'
import { terms } from '@tern/messages/en/web/site/terms'
import { expect, test } from 'vitest'
import { graceDays } from './grace.ts'

test('the legal pages state the grace period of a deletion', () => {
  const days = new RegExp(`\\b${String(graceDays)} days`)
  expect(privacy.clauses.rights.text.join(' ')).toMatch(days)
  expect(privacy.clauses.retention.text.join(' ')).toMatch(days)
  expect(terms.clauses.ending.text.join(' ')).toMatch(days)
})
