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
// Turns end at once, so that attempts in both processes overlap.
const here = startProcess(0)
const there = startProcess(0)
type Process = typeof here

async function isChecked(process: Process, account: string): Promise<boolean> {
  let looked = false
  const outcome = await guardAttempts(process, database.pool, { account }, () => {
    looked = true
    return Promise.resolve(undefined)
  }).catch((error: unknown) => error)
  expect(outcome === undefined || (outcome instanceof Refusal && outcome.code === 'too_many_attempts')).toBe(true)
  return looked
}
async function fail(process: Process, account: string, times: number): Promise<void> {
  for (let guess = 0; guess < times; guess += 1) expect(await isChecked(process, account)).toBe(true)
}

async function begin(process: Process, account: string): Promise<{ end: () => Promise<void> }> {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const attempt = guardAttempts(process, database.pool, { account }, async () => {
    begun.resolve()
    await gate.promise
    return refuse('rate_limited')
  })
  await begun.promise
  return {
    async end() {
      gate.resolve()
      await expect(attempt).rejects.toMatchObject({ code: 'rate_limited' })
    },
  }
}

test('taking back an attempt keeps a pause another process has begun', async () => {
  await fail(here, 'ada', 3)
  const unmade = await begin(here, 'ada')
  await fail(there, 'ada', 1)
  expect(await isChecked(there, 'ada'), 'the fifth began a pause').toBe(false)
  await unmade.end()
  expect(await isChecked(there, 'ada')).toBe(false)
  expect(await isChecked(here, 'ada')).toBe(false)
  offsetMs += 31_000
  expect(await isChecked(there, 'ada'), 'after it one guess').toBe(true)
  expect(await isChecked(here, 'ada'), 'and the next pause').toBe(false)
})

test('taking back an attempt ends the pause it began and does not count it', async () => {
  await fail(here, 'ben', 4)
  const unmade = await begin(here, 'ben')
  expect(await isChecked(there, 'ben')).toBe(false)
  await unmade.end()
  expect(await isChecked(there, 'ben'), 'the fifth').toBe(true)
  expect(await isChecked(there, 'ben')).toBe(false)
})

test('attempts taken back in two processes do not count', async () => {
  await fail(here, 'cleo', 3)
  const [one, other] = [await begin(here, 'cleo'), await begin(there, 'cleo')]
  await one.end()
  await other.end()
  await fail(there, 'cleo', 2)
  expect(await isChecked(here, 'cleo')).toBe(false)
})

test('correct passwords in three processes at once are not guesses: each waits its turn, even after four failures', async () => {
  const processes = [startProcess(), startProcess(), startProcess()]
  await fail(processes[0]!, 'dora', 4)
  let underWay = 0
  let most = 0
  const logIn = (process: Process) =>
    guardAttempts(process, database.pool, { account: 'dora' }, async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await delay(20)
      underWay -= 1
      return 'in'
    })
  const outcomes = await Promise.all(processes.flatMap((process) => [logIn(process), logIn(process), logIn(process)]))
  expect(outcomes).toEqual(Array(9).fill('in'))
  expect(most, 'checks at once').toBe(1)
})

test('concurrent guesses in three processes are limited like sequential ones', async () => {
  const processes = [startProcess(), startProcess(), startProcess()]
  const looked = await Promise.all(
    processes.flatMap((process) => Array.from({ length: 5 }, () => isChecked(process, 'emil'))),
  )
  expect(looked.filter(Boolean)).toHaveLength(5)
})

test('the turn of a process that died during a check passes on', async () => {
  const dead = startProcess(300)
  await begin(dead, 'fay')
  expect(await isChecked(startProcess(), 'fay')).toBe(true)
})
