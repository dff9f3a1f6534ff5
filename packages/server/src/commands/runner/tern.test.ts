import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { callTern } from '@tern/testkit/processes/call-tern'
import { commands } from './table.ts'

const settings = { DATA_DIR: '/nowhere' }
const unreachableSettings = { ...settings, DATABASE_URL: 'postgres://127.0.0.1:1/none' }

test.each([[[]], [['help']], [['--help']]])('tern %j lists every command', async (parameters) => {
  const { code, text } = await callTern(settings, ...parameters)
  expect(code).toBe(0)
  for (const { name, summary } of commands) expect(text).toMatch(new RegExp(`^  npx tern ${name} +${summary}$`, 'm'))
})

test.each(commands.map(({ name }) => name))('tern %s explains itself, and refuses wrong parameters', async (name) => {
  const { usage, load } = commands.find((command) => command.name === name)!
  expect((await load()).run).toBeTypeOf('function')
  expect(usage).toMatch(new RegExp(`^npx tern ${name}( |$)`, 'm'))
  for (const parameters of [
    ['help', name],
    [name, '--help'],
  ]) {
    expect(await callTern(settings, ...parameters)).toEqual({ code: 0, text: expect.stringContaining(usage) })
  }
  expect(await callTern(settings, name, '--nonsense')).toEqual({ code: 2, text: usage })
})

test.each([
  ['adit', 'Did you mean npx tern audit?'],
  ['list', 'Did you mean npx tern lists?'],
  ['constructor', 'npx tern lists all.'],
  ['', 'npx tern lists all.'],
])('an unknown command "%s" exits with 64 and a suggestion', async (name, suggestion) => {
  const answer = { code: 64, text: `There is no command "${name}". ${suggestion}` }
  expect(await callTern(settings, name, '--by', 'Kim')).toEqual(answer)
  expect(await callTern(settings, 'help', name)).toEqual(answer)
})

test('a setting that is missing or unusable exits with 78 and one sentence', async () => {
  for (const name of ['audit', 'rates', 'desk', 'reseal']) {
    expect(await callTern(settings, name), name).toEqual({
      code: 78,
      text: 'No database is running over /nowhere. Start the product first, or set DATABASE_URL.',
    })
  }
  const secrets = { TERN_SECRET: randomBytes(24).toString('base64'), SANDBOX_SECRET: 'short' }
  expect(await callTern({ ...unreachableSettings, ...secrets }, 'reseal')).toEqual({
    code: 78,
    text: expect.stringMatching(/^SANDBOX_SECRET .*\.$/),
  })
})

test('any other failure exits with 2 and says what happened', async () => {
  expect(await callTern(unreachableSettings, 'audit')).toEqual({
    code: 2,
    text: expect.stringMatching(/^The command failed: .*ECONNREFUSED/),
  })
})

test('npm links the command to an executable file', () => {
  const folder = new URL('../../../', import.meta.url)
  const { bin } = JSON.parse(fs.readFileSync(new URL('package.json', folder), 'utf8')) as { bin: { tern: string } }
  const file = new URL(bin.tern, folder)
  expect(fs.statSync(file).mode & 0o111).toBe(0o111)
  expect(fs.readFileSync(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
})
