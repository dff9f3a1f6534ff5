import { expect, test } from 'vitest'
import type { Db } from './db.ts'
import { createJointReads } from './joint-reads.ts'

/** Stub connection, of which only the identity matters. */
const createConnection = () => ({}) as Db
const db = createConnection()
const waitForNextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('keys requested in one turn are read together, each once', async () => {
  const calls: (readonly number[])[] = []
  const readSquares = createJointReads(async (_db, keys: readonly number[]) => {
    calls.push(keys)
    return new Map(keys.filter((key) => key > 0).map((key) => [key, key * key]))
  })
  expect(await Promise.all([readSquares(db, 2), readSquares(db, 3), readSquares(db, 2), readSquares(db, -1)])).toEqual([
    4,
    9,
    4,
    undefined,
  ])
  expect(calls).toEqual([[2, 3, -1]])
})

test('a caller is not given the result of a read that began before it called', async () => {
  let storedValue = 'live'
  let finishRead = () => {}
  const readJointly = createJointReads(async (_db, keys: readonly string[]) => {
    const value = storedValue
    await new Promise<void>((resolve) => {
      finishRead = resolve
    })
    return new Map(keys.map((key) => [key, value]))
  })
  const earlierRead = readJointly(db, 'session')
  await waitForNextTurn()
  storedValue = 'revoked'
  const laterRead = readJointly(db, 'session')
  finishRead()
  expect(await earlierRead).toBe('live')
  await waitForNextTurn()
  finishRead()
  expect(await laterRead).toBe('revoked')
})

test('a failed read rejects every call it would have answered, and no later one', async () => {
  let isFailing = true
  const readJointly = createJointReads(async (_db, keys: readonly string[]) => {
    if (isFailing) throw new Error('no connection')
    return new Map(keys.map((key) => [key, key]))
  })
  const outcomes = await Promise.allSettled([readJointly(db, 'a'), readJointly(db, 'b'), readJointly(db, 'a')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  isFailing = false
  expect(await readJointly(db, 'a')).toBe('a')
})

test('keys requested of different connections are read apart, each through its own', async () => {
  const calls: [Db, readonly string[]][] = []
  const readJointly = createJointReads(async (db, keys: readonly string[]) => {
    calls.push([db, keys])
    return new Map(keys.map((key) => [key, key]))
  })
  const otherDb = createConnection()
  expect(await Promise.all([readJointly(db, 'a'), readJointly(otherDb, 'a'), readJointly(otherDb, 'b')])).toEqual([
    'a',
    'a',
    'b',
  ])
  expect(calls.map(([, keys]) => keys)).toEqual([['a'], ['a', 'b']])
  expect(calls.map(([usedDb]) => usedDb === otherDb)).toEqual([false, true])
})
