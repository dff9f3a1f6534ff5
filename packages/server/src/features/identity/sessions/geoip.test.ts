import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { isCommonPassword, listFile, leakedLengthLimit } from '../users/common-passwords.ts'
import { deviceName } from './devices.ts'
import { passwordWeakness } from '../users/passwords.ts'
import { placeInWords } from '../../../platform/devices.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { findCountry } from './geoip.ts'

test.each([
  ['8.8.8.8', 'US'],
  ['::ffff:8.8.8.8', 'US'],
  ['81.169.145.64', 'DE'],
  ['2001:4860:4860::8888', 'US'],
  ['2a02:8108::1', 'DE'],
  ['127.0.0.1', undefined],
  ['10.1.2.3', undefined],
  ['172.16.5.5', undefined],
  ['192.168.1.1', undefined],
  ['::ffff:192.168.1.1', undefined],
  ['169.254.1.1', undefined],
  ['100.64.0.1', undefined],
  ['203.0.113.9', undefined],
  ['255.255.255.255', undefined],
  ['::1', undefined],
  ['fe80::1%eth0', undefined],
  ['fd00::1', undefined],
  ['2001:db8::1', undefined],
  ['1.2.3', undefined],
  ['somewhere', undefined],
  ['', undefined],
])('%s belongs to %s', (address, country) => {
  expect(findCountry(address)).toBe(country)
})

test.each([
  ['DE', '192.0.2.0/24', 'Germany'],
  [undefined, '192.0.2.0/24', 'network 192.0.2.0/24'],
  ['XX', '192.0.2.0/24', 'network 192.0.2.0/24'],
  [undefined, '', 'an unknown place'],
])('country %s in network "%s" is "%s"', (country, network, expectedText) => {
  expect(placeInWords(currentRequestMessages(), { country, network })).toBe(expectedText)
})

const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/126.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/126.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/17.5 Safari/605.1.15`, 'Safari on Mac'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webkit} Version/17.5 Mobile/15E148 Safari/604.1`,
    'Safari on iPhone',
  ],
  [`Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) ${webkit} Version/17.5 Mobile/15E148 Safari/604.1`, 'Safari on iPad'],
  [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${webkit} Chrome/126.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  ['curl/8.0', 'Unknown device'],
  ['', 'Unknown device'],
  ['\u0000\u202Eevil', 'Unknown device'],
])('%j is %s', (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name)
})

test('device names are short and plain for any user agent', () => {
  const hostileTexts = [
    'https://evil.example/',
    '<script>alert(1)</script>',
    'Log in at evil.example now',
    '\r\nBcc: all@x.example',
    'x'.repeat(100_000),
    '((((((((('.repeat(2000),
  ]
  const shapes = [
    (text: string) => text,
    (text: string) => `${text}/1.0`,
    (text: string) => `Mozilla/5.0 (${text}) Chrome/126.0`,
    (text: string) => `Mozilla/5.0 (Linux; Android 14; ${text}) Chrome/126.0 Mobile`,
    (text: string) => `Mozilla/5.0 (X11; ${text} Linux) ${text}/1.0 Version/3 Safari/2`,
  ]
  const startedAt = performance.now()
  for (const text of hostileTexts) {
    for (const shape of shapes) expect(deviceName(shape(text))).toMatch(/^[A-Za-z0-9 +-]{1,60}$/)
  }
  expect(performance.now() - startedAt).toBeLessThan(1000)
})

test('leaked passwords are recognized only as a whole', () => {
  for (const leakedPassword of ['password123', 'q1w2e3r4t5', 'usuckballz1', 'vjht008', 'basketball', 'summer2026']) {
    expect(isCommonPassword(leakedPassword), leakedPassword).toBe(true)
  }
  for (const acceptablePassword of ['a sound passphrase', 'sketball1', 'password123\nq1w2e3r4t5', '\n', '']) {
    expect(isCommonPassword(acceptablePassword), acceptablePassword).toBe(false)
  }
  const list = readFileSync(createRequire(import.meta.url).resolve(listFile), 'latin1')
  expect(list.split('\n').filter(({ length }) => length >= leakedLengthLimit)).toEqual([])
  const owner = { email: 'x@tern.example', username: 'x' }
  expect(passwordWeakness('BasketBall', owner)).toBeDefined()
  // Full-width letters are normalized.
  expect(passwordWeakness('ｂasketball', owner)).toBeDefined()
  expect(passwordWeakness('pole to pole 2026', owner)).toBeUndefined()
})
