import { expect, test } from 'vitest'
import { createJointReads } from './joint-reads.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('keys requested in one turn are read together, each once', async () => {
  const reads: (readonly number[])[] = []
  const square = createJointReads(async (keys: readonly number[]) => {
    reads.push(keys)
    return new Map(keys.filter((key) => key > 0).map((key) => [key, key * key]))
  })
  expect(await Promise.all([square(2), square(3), square(2), square(-1)])).toEqual([4, 9, 4, undefined])
  expect(reads).toEqual([[2, 3, -1]])
})

test('a caller is not given the result of a read that began before it called', async () => {
  let truth = 'live'
  let finish = () => {}
  const read = createJointReads(async (keys: readonly string[]) => {
    const seen = truth
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    return new Map(keys.map((key) => [key, seen]))
  })
  const before = read('session')
  await nextTurn()
  truth = 'revoked'
  const after = read('session')
  finish()
  expect(await before).toBe('live')
  await nextTurn()
  finish()
  expect(await after).toBe('revoked')
})

test('a failed read rejects every call it would have answered, and no later one', async () => {
  let fails = true
  const read = createJointReads(async (keys: readonly string[]) => {
    if (fails) throw new Error('no connection')
    return new Map(keys.map((key) => [key, key]))
  })
  const outcomes = await Promise.allSettled([read('a'), read('b'), read('a')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  fails = false
  expect(await read('a')).toBe('a')
})
