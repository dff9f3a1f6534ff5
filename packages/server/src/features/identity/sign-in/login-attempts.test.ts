import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import { createSeal } from '../../../platform/seal.ts'
import { createLoginAttempts, guardAttempts } from './login-attempts.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

let offsetMs = 0
const startProcess = (checkMs?: number) => ({
  seals: { loginAttempt: createSeal(Buffer.alloc(32, 7), 'identity/login-attempt') },
  realNow: () => new Date(Date.now() + offsetMs),
  attempts: createLoginAttempts(checkMs),
})
// Checks expire at once, so that attempts in both processes overlap.
const firstProcess = startProcess(0)
const secondProcess = startProcess(0)
type Process = typeof firstProcess

async function isChecked(process: Process, account: string): Promise<boolean> {
  let hasChecked = false
  const outcome = await guardAttempts(process, database.pool, { account }, () => {
    hasChecked = true
    return Promise.resolve(undefined)
  }).catch((error: unknown) => error)
  expect(outcome === undefined || (outcome instanceof Refusal && outcome.code === 'too_many_attempts')).toBe(true)
  return hasChecked
}
async function failAttempts(process: Process, account: string, times: number): Promise<void> {
  for (let attempt = 0; attempt < times; attempt += 1) expect(await isChecked(process, account)).toBe(true)
}

async function startAttempt(process: Process, account: string): Promise<{ end: () => Promise<void> }> {
  const gate = Promise.withResolvers<void>()
  const startGate = Promise.withResolvers<void>()
  const attempt = guardAttempts(process, database.pool, { account }, async () => {
    startGate.resolve()
    await gate.promise
    return refuse('rate_limited')
  })
  await startGate.promise
  return {
    async end() {
      gate.resolve()
      await expect(attempt).rejects.toMatchObject({ code: 'rate_limited' })
    },
  }
}

test('taking back an attempt keeps a pause another process has begun', async () => {
  await failAttempts(firstProcess, 'ada', 3)
  const unfinishedAttempt = await startAttempt(firstProcess, 'ada')
  await failAttempts(secondProcess, 'ada', 1)
  expect(await isChecked(secondProcess, 'ada'), 'the fifth began a pause').toBe(false)
  await unfinishedAttempt.end()
  expect(await isChecked(secondProcess, 'ada')).toBe(false)
  expect(await isChecked(firstProcess, 'ada')).toBe(false)
  offsetMs += 31_000
  expect(await isChecked(secondProcess, 'ada'), 'after it one guess').toBe(true)
  expect(await isChecked(firstProcess, 'ada'), 'and the next pause').toBe(false)
})

test('taking back an attempt ends the pause it began and does not count it', async () => {
  await failAttempts(firstProcess, 'ben', 4)
  const unfinishedAttempt = await startAttempt(firstProcess, 'ben')
  expect(await isChecked(secondProcess, 'ben')).toBe(false)
  await unfinishedAttempt.end()
  expect(await isChecked(secondProcess, 'ben'), 'the fifth').toBe(true)
  expect(await isChecked(secondProcess, 'ben')).toBe(false)
})

test('attempts taken back in two processes do not count', async () => {
  await failAttempts(firstProcess, 'cleo', 3)
  const [firstAttempt, secondAttempt] = [
    await startAttempt(firstProcess, 'cleo'),
    await startAttempt(secondProcess, 'cleo'),
  ]
  await firstAttempt.end()
  await secondAttempt.end()
  await failAttempts(secondProcess, 'cleo', 2)
  expect(await isChecked(firstProcess, 'cleo')).toBe(false)
})

test('correct passwords in three processes at once are not guesses: each waits its turn, even after four failures', async () => {
  const processes = [startProcess(), startProcess(), startProcess()]
  await failAttempts(processes[0]!, 'dora', 4)
  let runningCount = 0
  let mostRunning = 0
  const logIn = (process: Process) =>
    guardAttempts(process, database.pool, { account: 'dora' }, async () => {
      runningCount += 1
      mostRunning = Math.max(mostRunning, runningCount)
      await delay(20)
      runningCount -= 1
      return 'in'
    })
  const outcomes = await Promise.all(processes.flatMap((process) => [logIn(process), logIn(process), logIn(process)]))
  expect(outcomes).toEqual(Array(9).fill('in'))
  expect(mostRunning, 'checks at once').toBe(1)
})

test('concurrent guesses in three processes are limited like sequential ones', async () => {
  const processes = [startProcess(), startProcess(), startProcess()]
  const checks = await Promise.all(
    processes.flatMap((process) => Array.from({ length: 5 }, () => isChecked(process, 'emil'))),
  )
  expect(checks.filter(Boolean)).toHaveLength(5)
})

test('the turn of a process that died during a check passes on', async () => {
  const deadProcess = startProcess(300)
  await startAttempt(deadProcess, 'fay')
  expect(await isChecked(startProcess(), 'fay')).toBe(true)
})
