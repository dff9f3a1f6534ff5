import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../../tools/test-database.ts'
import { Refusal, refuse } from '../../refuse.ts'
import { createSeal } from '../../seal.ts'
import { createLoginAttempts } from './login-attempts.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

let offsetMs = 0
const parts = {
  pool: database.pool,
  seal: createSeal(Buffer.alloc(32, 7), 'identity/login-attempt'),
  now: () => new Date(Date.now() + offsetMs),
}
const [here, there] = [createLoginAttempts(parts), createLoginAttempts(parts)]
type Process = typeof here

/** One guess that is wrong: true when it was looked at, false when the account waits. */
async function isLookedAt(process: Process, account: string): Promise<boolean> {
  let looked = false
  const outcome = await process
    .guard(account, () => {
      looked = true
      return Promise.resolve(undefined)
    })
    .catch((error: unknown) => error)
  expect(outcome === undefined || (outcome instanceof Refusal && outcome.code === 'too_many_attempts')).toBe(true)
  return looked
}
async function fail(process: Process, account: string, times: number): Promise<void> {
  for (let guess = 0; guess < times; guess += 1) expect(await isLookedAt(process, account)).toBe(true)
}

/** An attempt that is admitted and, when `end` is called, turns out not to have been made. */
async function begin(process: Process, account: string): Promise<{ end: () => Promise<void> }> {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const attempt = process.guard(account, async () => {
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

test('an attempt that was not made does not lift the pause that another process has begun meanwhile', async () => {
  await fail(here, 'ada', 3)
  const unmade = await begin(here, 'ada')
  await fail(there, 'ada', 1)
  expect(await isLookedAt(there, 'ada'), 'the fifth began a pause').toBe(false)
  await unmade.end()
  expect(await isLookedAt(there, 'ada')).toBe(false)
  expect(await isLookedAt(here, 'ada')).toBe(false)
  offsetMs += 31_000
  expect(await isLookedAt(there, 'ada'), 'after it one guess').toBe(true)
  expect(await isLookedAt(here, 'ada'), 'and the next pause').toBe(false)
})

test('the pause that began with an attempt that was not made ends with it, and the attempt does not count', async () => {
  await fail(here, 'ben', 4)
  const unmade = await begin(here, 'ben')
  expect(await isLookedAt(there, 'ben')).toBe(false)
  await unmade.end()
  expect(await isLookedAt(there, 'ben'), 'the fifth').toBe(true)
  expect(await isLookedAt(there, 'ben')).toBe(false)
})

test('of attempts in two processes that were not made, neither counts', async () => {
  await fail(here, 'cleo', 3)
  const [one, other] = [await begin(here, 'cleo'), await begin(there, 'cleo')]
  await one.end()
  await other.end()
  await fail(there, 'cleo', 2)
  expect(await isLookedAt(here, 'cleo')).toBe(false)
})
