// Tests how `npm start` refuses unusable settings, ports, data folders, databases and disks.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  choosePort,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/server/src/platform/database/embedded-postgres.ts'
import { createDataFolder, removeDataFolder } from '@tern/testkit/database-server'
import { describeError, StartError } from './data-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let intactFolder: string
let dataDir: string
let ports: Record<string, string>

beforeAll(async () => {
  // Database and secrets as a completed start leaves them.
  intactFolder = createDataFolder('test')
  const database = await startEmbeddedPostgres({ dataDir: intactFolder })
  await database.stop()
  const secrets = { TERN_SECRET: 'x'.repeat(43), SANDBOX_SECRET: 'y'.repeat(43) }
  fs.writeFileSync(path.join(intactFolder, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 })
})
afterAll(() => removeDataFolder(intactFolder))

beforeEach(async () => {
  dataDir = createDataFolder('product')
  const names = ['PORT', 'SANDBOX_PORT', 'ADMIN_PORT', 'WORKER_ADMIN_PORT']
  ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await choosePort())])))
})
afterEach(() => fs.rmSync(dataDir, { recursive: true }))

function copyDataFolder(): void {
  spawnSync('cp', ['-a', `${intactFolder}/.`, dataDir])
  const file = path.join(dataDir, 'postgres.json')
  const connection = JSON.parse(fs.readFileSync(file, 'utf8')) as { directory: string }
  const directory = connection.directory.replace(intactFolder, dataDir)
  fs.writeFileSync(file, JSON.stringify({ ...connection, directory }), { mode: 0o600 })
}

/** Starts the product, which must exit with code 1 and print no stack trace; returns its output. */
async function startExpectingFailure(changes: Record<string, string> = {}): Promise<string> {
  const { PATH, HOME } = process.env
  const child: ChildProcess = spawn(process.execPath, [path.join(root, 'tools', 'start.mjs')], {
    cwd: root,
    env: { PATH, HOME, DATA_DIR: dataDir, ...ports, ...changes },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  expect([code, output]).toEqual([1, expect.not.stringMatching(/^\s+at .+:\d+:\d+/m)])
  return output
}

const remove = (name: string) => fs.rmSync(path.join(dataDir, name), { recursive: true })
const truncateFile = (name: string) => fs.truncateSync(path.join(dataDir, name), 7)

test.each([
  ['no postgres folder beside postgres.json', () => remove('postgres'), /postgres is missing, though .*postgres\.json/],
  [
    'no pg_control',
    () => remove('postgres/global/pg_control'),
    /is incomplete: global\/pg_control is missing or empty/,
  ],
  ['an empty PG_VERSION', () => fs.truncateSync(path.join(dataDir, 'postgres/PG_VERSION')), /PG_VERSION is missing/],
  ['a truncated pg_control', () => truncateFile('postgres/global/pg_control'), /The database did not start/],
  ['a truncated postgres.json', () => truncateFile('postgres.json'), /postgres\.json is damaged/],
  ['no postgres.json', () => remove('postgres.json'), /holds a database, but postgres\.json/],
  ['truncated secrets', () => truncateFile('secrets.json'), /secrets\.json is damaged/],
  ['no secrets', () => remove('secrets.json'), /secrets\.json is missing, though .* holds a database/],
])(
  '%s stops the start with a sentence, and nothing is recreated',
  { timeout: 600_000 },
  async (_name, corrupt, sentence) => {
    copyDataFolder()
    corrupt()
    const filesBefore = fs.readdirSync(dataDir).toSorted()
    expect(await startExpectingFailure()).toMatch(sentence)
    const remainingFiles = fs.readdirSync(dataDir).filter((name) => !/\.log$|^logs$/.test(name))
    expect(remainingFiles.toSorted()).toEqual(filesBefore.filter((name) => !/\.log$|^logs$/.test(name)))
  },
)

test('a file in place of the folder stops the start with a sentence', async () => {
  const file = path.join(dataDir, 'a file')
  fs.writeFileSync(file, '')
  expect(await startExpectingFailure({ DATA_DIR: file })).toContain(`${file} is not a folder; set DATA_DIR to one.`)
})

test.each([
  [{ PORT: 'many' }, 'PORT must be a port number from 1 to 65535, not "many".'],
  [{ SANDBOX_PORT: '70000' }, 'SANDBOX_PORT must be a port number'],
  [{ TERN_MODE: 'live' }, 'TERN_MODE must be one of sandbox, production, not "live".'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be an address that begins with'],
  [{ PUBLIC_URL: 'tern.example' }, 'PUBLIC_URL must be an address that begins with'],
  [{ TERN_MODE: 'production' }, 'DATABASE_URL must be set in production'],
  [
    { TERN_MODE: 'production', DATABASE_URL: 'postgres://127.0.0.1:9/x', PUBLIC_URL: 'https://tern.example' },
    'TERN_SECRET must be set',
  ],
])('%j stops the start with one sentence', async (changes, sentence) => {
  const output = await startExpectingFailure(changes)
  expect(output).toContain(sentence)
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(fs.readdirSync(dataDir)).toEqual([])
})

test.each(['PORT', 'SANDBOX_PORT'])('an occupied %s is named', async (variable) => {
  const server = net.createServer().listen(Number(ports[variable]), '127.0.0.1')
  await once(server, 'listening')
  expect(await startExpectingFailure()).toContain(
    `Port ${ports[variable]} is already in use; set ${variable} to a free one.`,
  )
  server.close()
})

const mount = (...options: string[]) => spawnSync('mount', options).status === 0
const canMount =
  process.getuid?.() === 0 && mount('-t', 'tmpfs', 'tmpfs', '/mnt') && spawnSync('umount', ['/mnt']).status === 0

test.runIf(canMount)('a read-only disk stops the start with a sentence', async () => {
  expect(mount('-t', 'tmpfs', '-o', 'ro', 'tmpfs', dataDir)).toBe(true)
  try {
    expect(await startExpectingFailure()).toContain(`${dataDir} is on a read-only disk`)
  } finally {
    spawnSync('umount', [dataDir])
  }
})

test.runIf(canMount)('a full disk stops the start with a sentence', async () => {
  expect(mount('-t', 'tmpfs', '-o', 'size=6m,mode=755', 'tmpfs', dataDir)).toBe(true)
  try {
    expect(await startExpectingFailure()).toMatch(/The disk that holds .* is full; free some space, then start again\./)
  } finally {
    spawnSync('umount', [dataDir])
  }
})

test.each(['EACCES', 'EDQUOT', 'EIO'])('%s is reported with the name of the folder', (code) => {
  const error = Object.assign(new Error(`${code}: whatever`), { code, syscall: 'open' })
  const message = describeError(error, '/data')
  expect(message).toBeInstanceOf(StartError)
  expect((message as Error).message).toContain('/data')
})

test('errors unrelated to the disk stay unchanged', () => {
  const error = new TypeError('a bug')
  expect(describeError(error, '/data')).toBe(error)
})

let database: EmbeddedPostgres | undefined
afterEach(async () => {
  await database?.stop()
  database = undefined
})

test(
  'an external database that does not answer, or refuses the login, stops the start with a sentence',
  { timeout: 600_000 },
  async () => {
    const unreachableUrl = `postgres://tern:secret@127.0.0.1:${await choosePort()}/tern`
    expect(await startExpectingFailure({ DATABASE_URL: unreachableUrl })).toMatch(
      /The database does not answer \(ECONNREFUSED/,
    )
    database = await startEmbeddedPostgres({ dataDir })
    const wrongPassword = new URL(database.url)
    wrongPassword.password = 'not-the-password'
    const failure = await startExpectingFailure({
      DATABASE_URL: wrongPassword.href,
      TERN_SECRET: 'x'.repeat(40),
      SANDBOX_SECRET: 'x'.repeat(40),
    })
    expect(failure).toContain('The database does not accept the user and password in DATABASE_URL.')
    expect(failure).not.toContain('not-the-password')
    const missingDatabaseUrl = new URL(database.url)
    missingDatabaseUrl.pathname = '/another'
    const missing = await startExpectingFailure({
      DATABASE_URL: missingDatabaseUrl.href,
      TERN_SECRET: 'x'.repeat(40),
      SANDBOX_SECRET: 'x'.repeat(40),
    })
    expect(missing).toContain('The database that DATABASE_URL names does not exist.')
  },
)
