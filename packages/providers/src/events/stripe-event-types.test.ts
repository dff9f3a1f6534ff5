import fs from 'node:fs'
import { expect, test } from 'vitest'
import { identityEventTypes, payoutEventTypes, snapshotEventTypes } from './stripe-event-types.ts'

const manual = fs.readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8')

/** Returns the event types in a text, where `.failed` shares the beginning of the type before it. */
function listTypes(text: string): string[] {
  const types: string[] = []
  for (const [, name = ''] of text.matchAll(/`([\w.]+)`/g)) {
    types.push(name.startsWith('.') ? (types.at(-1) ?? '').replace(/\.\w+$/, name) : name)
  }
  return types.filter((type) => /^[\w.]+\.[\w.]+$/.test(type))
}

const section = (name: string): string => manual.split(`## ${name}\n`)[1]?.split('\n## ')[0] ?? ''
const row = (payload: string): string => new RegExp(`^\\| ${payload} .*$`, 'm').exec(section('Stripe'))?.[0] ?? ''

test('the manual tells operators to send exactly the events that the adapters need', () => {
  expect(new Set(listTypes(row('snapshot')))).toEqual(new Set(snapshotEventTypes))
  expect(new Set(listTypes(row('thin')))).toEqual(new Set(payoutEventTypes))
  const identity = listTypes(section('Stripe Identity')).filter((type) => type.startsWith('identity.'))
  expect(new Set(identity)).toEqual(new Set(identityEventTypes))
})
