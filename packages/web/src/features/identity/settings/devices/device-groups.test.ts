import type { DeviceSession } from '@tern/contract/security'
import { expect, test } from 'vitest'
import { groupByDevice, describePlace } from './device-groups.ts'

const login = (id: string, facts: Partial<DeviceSession> = {}): DeviceSession => ({
  id,
  current: false,
  device: 'Chrome on Linux',
  country: null,
  network: '127.0.0.0/24',
  created_at: '2026-11-01T10:00:00Z',
  last_used_at: '2026-11-02T10:00:00Z',
  ...facts,
})

test('a device is one row for any number of logins; another browser or place is another row', () => {
  const groups = groupByDevice([
    login('a', { current: true }),
    login('b'),
    login('c', { device: 'Firefox on Windows' }),
    login('d', { country: 'DE', network: '192.0.2.0/24' }),
    login('e'),
  ])
  expect(
    groups.map(({ device, place, isCurrent, logins }) => [device, place, isCurrent, logins.map(({ id }) => id)]),
  ).toEqual([
    ['Chrome on Linux', 'This computer', true, ['a', 'b', 'e']],
    ['Firefox on Windows', 'This computer', false, ['c']],
    ['Chrome on Linux', 'Germany', false, ['d']],
  ])
})

test.each([
  ['127.0.0.0/24', 'This computer'],
  ['::/48', 'This computer'],
  ['::1/128', 'This computer'],
  ['0:0:0:0::/64', 'This computer'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['2001:db8::/48', '2001:db8::/48'],
  ['', 'Location unknown'],
])('the network "%s" is "%s"', (network, expected) => {
  expect(describePlace({ country: null, network })).toBe(expected)
})
