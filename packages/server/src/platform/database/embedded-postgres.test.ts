import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { findDatabaseUrl, removeEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

// Creating a database waits for the disk, which is slow on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

let dataDir: string

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(temporaryFolder(), 'tern-embedded-'))
  fs.chmodSync(dataDir, 0o755)
})

afterEach(async () => {
  await removeEmbeddedPostgres(dataDir)
  fs.rmSync(dataDir, { recursive: true, force: true })
})

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<unknown[]>({ text: statement, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

function readPostmasterPid(directory: string): number {
  return Number(fs.readFileSync(path.join(directory, 'postmaster.pid'), 'utf8').split('\n')[0])
}

test('keeps data over a clean restart, durably and behind a password', async () => {
  const first = await startEmbeddedPostgres({ dataDir })
  expect(findDatabaseUrl(dataDir)).toBe(first.url)
  expect(await query(first.url, 'show fsync')).toEqual(['on'])
  expect(await query(first.url, 'show wal_segment_size')).toEqual(['2MB'])
  await query(first.url, 'create table kept as select 42 as n')
  const wrongPasswordUrl = first.url.replace(/:[^:@]+@/, ':wrong@')
  await expect(query(wrongPasswordUrl, 'select 1')).rejects.toThrow('password authentication failed')
  await first.stop()
  expect(findDatabaseUrl(dataDir)).toBeUndefined()

  const second = await startEmbeddedPostgres({ dataDir })
  expect(await query(second.url, 'select n from kept')).toEqual([42])
  expect(new URL(second.url).port).toBe(new URL(first.url).port)
  await second.stop()
})

test('lets only the owner read the password', async () => {
  const server = await startEmbeddedPostgres({ dataDir })
  expect(fs.statSync(path.join(dataDir, 'postgres.json')).mode & 0o077).toBe(0)
  await server.stop()
})

test('adopts the server of a killed process', async () => {
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL('./embedded-postgres.ts', import.meta.url))})
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} })
    process.kill(process.pid, 'SIGKILL')`
  await once(spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' }), 'exit')
  const remainingUrl = findDatabaseUrl(dataDir)
  expect(remainingUrl).toBeDefined()

  const sentences: string[] = []
  const server = await startEmbeddedPostgres({ dataDir, log: (sentence) => sentences.push(sentence) })
  expect(server.url).toBe(remainingUrl)
  expect(sentences).toEqual(['The database was still running from an earlier start and has been taken over.'])
  await server.stop()
  expect(findDatabaseUrl(dataDir)).toBeUndefined()
})

test('restarts a server that has other settings', async () => {
  // The first holder represents a dead process, so its timer must not restart the server.
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const first = await startEmbeddedPostgres({ dataDir, settings: { work_mem: '5MB' } })
  vi.useRealTimers()
  const second = await startEmbeddedPostgres({ dataDir, settings: { work_mem: '6MB' } })
  expect(await query(second.url, 'show work_mem')).toEqual(['6MB'])
  await second.stop()
  await first.stop()
})

test('restarts the server after a crash with everything committed', async () => {
  const server = await startEmbeddedPostgres({ dataDir })
  await query(server.url, 'create table kept as select 42 as n')
  const pid = readPostmasterPid(server.directory)
  process.kill(pid, 'SIGKILL')
  await expect
    .poll(() => query(server.url, 'select n from kept').catch((error: Error) => error.message), { timeout: 120_000 })
    .toEqual([42])
  expect(readPostmasterPid(server.directory)).not.toBe(pid)
  await server.stop()
  await delay(600)
  expect(findDatabaseUrl(dataDir)).toBeUndefined()
})

test('is not misled by a reused process id', async () => {
  const server = await startEmbeddedPostgres({ dataDir })
  await server.stop()
  fs.writeFileSync(path.join(server.directory, 'postmaster.pid'), `${process.pid}\n${server.directory}\n`)
  const restartedServer = await startEmbeddedPostgres({ dataDir })
  expect(await query(restartedServer.url, 'select 1')).toEqual([1])
  await restartedServer.stop()
})

test('removed while this process keeps it running, it is not started again', async () => {
  const sentences: string[] = []
  const server = await startEmbeddedPostgres({ dataDir, log: (sentence) => sentences.push(sentence) })
  await removeEmbeddedPostgres(dataDir)
  // Longer than it takes to notice a stopped server.
  await delay(600)
  expect(sentences.filter((sentence) => /started again|did not start/.test(sentence))).toEqual([])
  expect(fs.existsSync(server.directory)).toBe(false)
})

test.runIf(process.getuid?.() === 0)("uses the shared folder when root's data is out of reach", async () => {
  fs.chmodSync(dataDir, 0o700)
  const sentences: string[] = []
  const server = await startEmbeddedPostgres({ dataDir, log: (sentence) => sentences.push(sentence) })
  expect(server.directory).toMatch(/^\/var\/lib\/tern\/[0-9a-f]{12}\/postgres$/)
  expect(sentences.join()).toContain(path.dirname(server.directory))
  await server.stop()
  await removeEmbeddedPostgres(dataDir)
  expect(fs.existsSync(path.dirname(server.directory))).toBe(false)
})
