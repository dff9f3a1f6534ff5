import type { Notification, NotificationGroup } from '@tern/contract/notifications/notifications'
import { describe, expect, it } from 'vitest'
import { describeGroup } from './group-text.ts'

const chrome = { browser: 'Chrome', system: 'Linux', country: 'US', network: '192.0.2.0/24', unfamiliar: 'device' }
const phone = { browser: 'Safari', system: 'iPhone', network: '127.0.0.0/24', unfamiliar: 'device' }
const person = { id: 1, name: 'Grace Tan', username: 'grace' }
const paidParams = { person, amount: '4.50', currency: 'USD', description: 'Tent' }

interface GroupOptions {
  code: string
  params: object
  count?: number
  total?: string
  summary?: NotificationGroup['summary']
}

function buildGroup({ code, params, count = 1, total, summary = null }: GroupOptions): NotificationGroup {
  const sharedFields = { id: '0193', subject_id: null, needs_action: false, read_at: null, answered_at: null }
  const latest = { ...sharedFields, code, params, created_at: '2026-11-26T12:55:00.000Z' } as unknown as Notification
  return { latest, count, unread: count, total: total ?? null, summary }
}

describe('a group of notifications', () => {
  it.each([
    [{ code: 'new_sign_in', params: chrome }, 'New login from a new computer', 'Chrome on Linux, United States'],
    [
      { code: 'new_sign_in', params: chrome, count: 6 },
      '6 logins from a new computer',
      'Chrome on Linux, United States',
    ],
    [{ code: 'new_sign_in', params: phone, count: 2 }, '2 logins from a new phone', 'Safari on iPhone'],
    [
      { code: 'new_sign_in', params: { ...chrome, unfamiliar: 'place' }, count: 2 },
      '2 logins from a new place',
      'Chrome on Linux, United States',
    ],
    [
      { code: 'new_sign_in', params: { ...chrome, unfamiliar: undefined } },
      'New login from an unfamiliar device or place',
      'Chrome on Linux, United States',
    ],
    [
      { code: 'security_change', params: { ...chrome, change: 'password_changed' }, count: 2 },
      'Your password was changed, 2 times',
      'Chrome on Linux, United States',
    ],
    [
      { code: 'new_sign_in', params: chrome, count: 17, summary: { logins: 14, devices: 2, changes: 3 } },
      'Security summary, Nov 2026',
      '14 logins, 2 devices, 3 changes',
    ],
    [
      { code: 'new_sign_in', params: chrome, count: 2, summary: { logins: 2, devices: 1, changes: 0 } },
      'Security summary, Nov 2026',
      '2 logins, 1 device',
    ],
    [{ code: 'money_received', params: paidParams, count: 3, total: '13.50' }, '3 payments from Grace Tan', undefined],
    [
      { code: 'request_paid', params: paidParams, count: 2, total: '9.00' },
      'Grace Tan paid 2 of your requests',
      undefined,
    ],
    [
      { code: 'deposit_arrived', params: { ...paidParams, method: 'card' }, count: 2, total: '9.00' },
      'Money you added arrived 2 times',
      undefined,
    ],
  ] as const)('of %j says %s', (groupInput, sentence, details) => {
    const text = describeGroup(buildGroup(groupInput))
    expect(text.sentence.replace(/, (Nov|November)( 2026)?$/, ', Nov 2026')).toBe(sentence)
    expect(text.details).toBe(details)
  })

  it('names the total of its payments, and of one payment its amount', () => {
    const groupOfThree = buildGroup({ code: 'money_received', params: paidParams, count: 3, total: '13.50' })
    expect(describeGroup(groupOfThree).amount).toBe('$13.50')
    expect(describeGroup(buildGroup({ code: 'money_received', params: paidParams })).amount).toBe('$4.50')
  })
})
