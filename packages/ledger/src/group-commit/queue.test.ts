import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Movement } from '../movement.ts'
import { createQueue, type QueuedMovement } from './queue.ts'

const singleLane = { patient: false, takers: 1 }
const twoLanes = { patient: false, takers: 2 }

function createWaiter(from: bigint, to: bigint): QueuedMovement<Movement> {
  const movement: Movement = {
    ...{ id: randomUUID(), requestHash: Buffer.from('x'), kind: 'test', reference: randomUUID(), at: new Date(0) },
    legs: [{ from, to, amount: 1n, code: 'send' }],
  }
  const end = Number.POSITIVE_INFINITY
  return { request: movement, movement, giveUpAt: end, deadlineAt: end, callers: [] }
}

let lastAccount = 0n
/** Movements without a common account. */
const createWaiters = (count: number) =>
  Array.from({ length: count }, () => createWaiter((lastAccount += 2n), lastAccount + 1n))

test('waiting work is divided among idle lanes in shares worth a batch', () => {
  const queue = createQueue<Movement>()
  for (const waiter of createWaiters(100)) queue.add(waiter)
  expect(queue.take(new Map(), twoLanes).batch).toHaveLength(50)
  expect(queue.take(new Map(), twoLanes).batch).toHaveLength(32)
  expect(queue.take(new Map(), singleLane).batch).toHaveLength(18)
})

test('work is divided again after a time when all of it needed one account', () => {
  const queue = createQueue<Movement>()
  const rushWaiters = Array.from({ length: 600 }, () => createWaiter(1n, 2n))
  for (const waiter of rushWaiters) queue.add(waiter)
  const first = queue.take(new Map(), twoLanes)
  expect(first.batch).toHaveLength(256)
  // The other lane finds its share empty, so the first now takes whole batches.
  expect(queue.take(new Map(), twoLanes).batch).toEqual([])
  queue.release(first.batch)
  const second = queue.take(new Map(), twoLanes)
  expect(second.batch).toHaveLength(256)
  queue.release(second.batch)
  queue.release(queue.take(new Map(), twoLanes).batch)
  const sizes: number[] = []
  for (let count = 0; count < 20; count += 1) {
    for (const waiter of createWaiters(100)) queue.add(waiter)
    for (let takenCount = 0; takenCount < 100;) {
      const { batch } = queue.take(new Map(), twoLanes)
      sizes.push(batch.length)
      takenCount += batch.length
      queue.release(batch)
    }
  }
  expect(sizes.slice(0, 3)).toEqual([100, 100, 100])
  expect(sizes.slice(-3)).toEqual([50, 32, 18])
})

test('a movement that meets a lock goes first in the next batch, three times, then waits apart', () => {
  const queue = createQueue<Movement>()
  const blockedWaiter = createWaiter(1n, 2n)
  queue.add(blockedWaiter)
  for (let count = 0; count < 3; count += 1) {
    const { batch } = queue.take(new Map(), singleLane)
    expect(batch[0]).toBe(blockedWaiter)
    const laterWaiters = createWaiters(2)
    for (const waiter of laterWaiters) queue.add(waiter)
    expect(queue.addAgain(blockedWaiter)).toBe(true)
    queue.release(batch)
  }
  queue.release(queue.take(new Map(), singleLane).batch)
  expect(queue.addAgain(blockedWaiter)).toBe(false)
  expect([queue.hasFresh(), queue.hasBusy()]).toEqual([false, false])
  queue.addBusy(blockedWaiter, 1n)
  expect(queue.take(new Map(), singleLane).batch).toEqual([])
  expect([queue.hasFresh(), queue.hasBusy()]).toEqual([false, true])
})
