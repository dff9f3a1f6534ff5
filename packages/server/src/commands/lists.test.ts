import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import { publishedPath } from '@tern/testkit/compliance/lists/published-lists'
import { startTestApp, type TestApp } from '@tern/testkit/app'

let world: TestApp
let environment: Record<string, string>
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-lists-'))

beforeAll(async () => {
  world = await startTestApp()
  environment = ternEnvironment(world)
})
afterAll(async () => {
  await world.close()
  fs.rmSync(folder, { recursive: true })
})

const runCommand = (...parameters: readonly string[]) => callTern(environment, 'lists', ...parameters)

test('imports lists, reports changes, and shows missing lists', async () => {
  expect(await runCommand('import', publishedPath('eu.xml'), publishedPath('uk.csv'))).toEqual({
    code: 0,
    text: [
      'eu: version 1 is in force, 3 entries: 3 new, 0 changed, 0 ended.',
      'uk: version 1 is in force, 3 entries: 3 new, 0 changed, 0 ended.',
    ].join('\n'),
  })
  expect(await runCommand('import', publishedPath('eu.xml'))).toEqual({
    code: 0,
    text: 'eu: nothing has changed since version 1 (3 entries).',
  })
  const { code, text } = await runCommand()
  expect(code).toBe(1)
  expect(text).toMatch(/^eu +in force +2026-08-05 08:00 UTC .* 1 +3$/m)
  expect(text).toMatch(/^un +missing/m)
})

test('refuses a file that is cut off, a file that is not there, and what it cannot read', async () => {
  const truncatedFile = path.join(folder, 'eu.xml')
  fs.writeFileSync(truncatedFile, fs.readFileSync(publishedPath('eu.xml')).subarray(0, 900))
  expect(await runCommand('import', truncatedFile)).toMatchObject({
    code: 2,
    text: expect.stringMatching(/eu\.xml is refused: .*cut off/),
  })
  const missingPath = path.join(folder, 'none.csv')
  expect(await runCommand('import', missingPath)).toEqual({ code: 2, text: `${missingPath} cannot be read (ENOENT).` })
  expect(await runCommand('import')).toMatchObject({ code: 2, text: expect.stringContaining('npx tern lists import') })
  expect(await runCommand('remove', 'eu')).toMatchObject({ code: 2 })
})

test('fetches lists, reports failures, and shows them until a fetch succeeds', async () => {
  const file = fs.readFileSync(publishedPath('uk.csv'))
  const server = createServer((request, response) =>
    request.url === '/uk.csv' ? response.end(file) : response.writeHead(500).end(),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await runCommand('fetch')).toEqual({ code: 1, text: 'SCREENING_LIST_URLS has no address for any list.' })
  environment.SCREENING_LIST_URLS = `uk=${base}/uk.csv un=${base}/un.xml`
  try {
    expect(await runCommand('fetch')).toEqual({
      code: 1,
      text: `uk: up to date.\nun: ${base}/un.xml cannot be fetched (it answers 500).`,
    })
    expect((await runCommand()).text).toMatch(/^un could not be fetched since 20.* UTC: .*answers 500/m)
    expect(await runCommand('fetch', 'uk', '--force')).toMatchObject({ code: 0 })
    expect(await runCommand('fetch', 'eu')).toMatchObject({
      code: 1,
      text: expect.stringContaining('no address for eu'),
    })
    expect(await runCommand('fetch', 'mars')).toMatchObject({
      code: 2,
      text: expect.stringContaining('npx tern lists'),
    })
  } finally {
    delete environment.SCREENING_LIST_URLS
    server.close()
  }
})

test('exits with 0 when every list is in force', async () => {
  await world.database.pool.query(
    `insert into screening_list (source, version, sha256, files, entries, imported_at, checked_at)
       select source, 1, repeat('0', 64), '{}', 1, now(), now() from screening_policy where source not in ('eu', 'uk')`,
  )
  expect((await runCommand()).code).toBe(0)
})
