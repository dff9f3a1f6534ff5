import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findSecrets, missingMaterial, readRun, type Secret } from './log-secrets.ts'

const secrets: Secret[] = [
  { kind: 'password', text: 'a "sound" passphrase' },
  { kind: 'cookie', text: 'q7tB0yXn3m5kC1hQ9rWvLsDfGzJpA2uE4iTo6bYNxKc' },
  { kind: 'token', text: 'ABCD-1234-EFGH' },
  { kind: 'link', text: 'Zk3v9QpLx7Wn2Rb5Tc8Yd1Fg4Hj6Km0Sa_Ue-IoPqRs' },
  { kind: 'password', text: 'twenty-and-more-letters "quoted"' },
  { kind: 'token', text: 'Zk3v9QpLx7Wn2Rb5Tc8Yd1Fg.and.more' },
]
const clean = '{"level":30,"reqId":"0199f0a0-0000-7000-8000-000000000000","msg":"request completed"}'
const search = (...lines: string[]) =>
  findSecrets([{ name: 'app.log', text: [clean, ...lines, clean].join('\n') }], secrets)

test.each([
  ['a password', JSON.stringify({ msg: 'a "sound" passphrase' })],
  ['a password', 'a "sound" passphrase'],
  ['a cookie', `{"cookie":"rt=${secrets[1]?.text}; Path=/"}`],
  ['a cookie', `x-${secrets[1]?.text}-y`],
  ['a token', 'the code ABCD-1234-EFGH was wrong'],
  ['a link', `"url":"/x/${secrets[3]?.text}"`],
  ['a password', JSON.stringify({ msg: secrets[4]?.text })],
  ['a password', `it was ${secrets[4]?.text}`],
  ['a token', `"token":"${secrets[5]?.text}"`],
  ['a token', `x-${secrets[5]?.text}-y`],
  ['a signed token', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJlLi4u'],
  ['the secret of an authenticator app', 'otpauth://totp/Tern:x?secret=JBSWY3DPEHPK3PXP'],
  ['the secret of a link', 'GET /verify-email?token=0123456789abcdefghij'],
  ['the secret of a link', 'GET /callback?state=1&code=0123456789abcdefghij'],
])('%s in a log is found: %s', (what, line) => {
  expect(search(line)).toEqual([{ log: 'app.log', line: 2, what }])
})

test('a log without secrets is clean', () => {
  expect(search('exit code=1', 'token=short', '{"sessionId":"0199f0a0-0000-7000-8000-000000000001"}')).toEqual([])
})

test('missing logs or secrets count as failure', () => {
  const logs = [{ name: 'app.log', text: clean }]
  expect(missingMaterial(logs, secrets)).toEqual([])
  expect(missingMaterial([], secrets)).toHaveLength(1)
  expect(missingMaterial([{ name: 'app.log', text: '' }], secrets)).toHaveLength(1)
  expect(missingMaterial(logs, [])).toHaveLength(4)
  expect(readRun('/nowhere')).toEqual({ logs: [], secrets: [] })
})

test('reads the files of a run, even if a process was killed while writing', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-secrets-'))
  fs.writeFileSync(path.join(folder, 'secrets-1.jsonl'), '["token","ABCD-1234-EFGH"]\n["cookie","half')
  fs.writeFileSync(path.join(folder, 'app-1.log'), 'x ABCD-1234-EFGH\n')
  const { logs, secrets: recordedSecrets } = readRun(folder)
  expect(findSecrets(logs, recordedSecrets)).toEqual([{ log: 'app-1.log', line: 1, what: 'a token' }])
  fs.rmSync(folder, { recursive: true })
})
