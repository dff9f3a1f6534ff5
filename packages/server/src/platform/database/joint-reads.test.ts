import { expect, test } from 'vitest'
import type { Db } from './db.ts'
import { createJointReads } from './joint-reads.ts'

/** Stub connection with only an identity. */
const connection = () => ({}) as Db
const db = connection()
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('keys requested in one turn are read together, each once', async () => {
  const reads: (readonly number[])[] = []
  const square = createJointReads(async (_db, keys: readonly number[]) => {
    reads.push(keys)
    return new Map(keys.filter((key) => key > 0).map((key) => [key, key * key]))
  })
  expect(await Promise.all([square(db, 2), square(db, 3), square(db, 2), square(db, -1)])).toEqual([4, 9, 4, undefined])
  expect(reads).toEqual([[2, 3, -1]])
})

test('a caller is not given the result of a read that began before it called', async () => {
  let truth = 'live'
  let finish = () => {}
  const read = createJointReads(async (_db, keys: readonly string[]) => {
    const seen = truth
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    return new Map(keys.map((key) => [key, seen]))
  })
  const before = read(db, 'session')
  await nextTurn()
  truth = 'revoked'
  const after = read(db, 'session')
  finish()
  expect(await before).toBe('live')
  await nextTurn()
  finish()
  expect(await after).toBe('revoked')
})

test('a failed read rejects every call it would have answered, and no later one', async () => {
  let fails = true
  const read = createJointReads(async (_db, keys: readonly string[]) => {
    if (fails) throw new Error('no connection')
    return new Map(keys.map((key) => [key, key]))
  })
  const outcomes = await Promise.allSettled([read(db, 'a'), read(db, 'b'), read(db, 'a')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  fails = false
  expect(await read(db, 'a')).toBe('a')
})

test('keys requested of different connections are read apart, each through its own', async () => {
  const reads: [Db, readonly string[]][] = []
  const read = createJointReads(async (db, keys: readonly string[]) => {
    reads.push([db, keys])
    return new Map(keys.map((key) => [key, key]))
  })
  const other = connection()
  expect(await Promise.all([read(db, 'a'), read(other, 'a'), read(other, 'b')])).toEqual(['a', 'a', 'b'])
  expect(reads.map(([, keys]) => keys)).toEqual([['a'], ['a', 'b']])
  expect(reads.map(([used]) => used === other)).toEqual([false, true])
})
