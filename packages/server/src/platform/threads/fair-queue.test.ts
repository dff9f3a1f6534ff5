import { describe, expect, test } from 'vitest'
import { createFairQueue, type RejectReason } from './fair-queue.ts'

class QueueFullError extends Error {
  readonly reason: RejectReason
  constructor(reason: RejectReason) {
    super(reason)
    this.reason = reason
  }
}

/** Creates a queue, by default with one place, whose tasks end on demand; records the tasks begun so far. */
function createQueue(limits: { atOnce?: number; perLineAtOnce?: number; perLine: number; inTotal: number }) {
  const runInQueue = createFairQueue({ atOnce: 1, ...limits, turnAway: (reason) => new QueueFullError(reason) })
  const startedNames: string[] = []
  const refusedNames: string[] = []
  const taskEnds = new Map<string, () => void>()
  let end: (() => void) | undefined
  const addTask = (line: string, name: string) =>
    runInQueue(line, () => {
      startedNames.push(name)
      return new Promise<void>((resolve) => {
        end = resolve
        taskEnds.set(name, resolve)
      })
    }).catch((error: unknown) => void refusedNames.push(`${name} ${(error as QueueFullError).reason}`))
  const waitForTurn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    startedNames,
    refusedNames,
    async addTask(line: string, ...names: string[]) {
      for (const name of names) void addTask(line, name)
      await waitForTurn()
    },
    async finishOne(name: string) {
      taskEnds.get(name)?.()
      await waitForTurn()
    },
    async finish(times = 1) {
      for (let i = 0; i < times; i += 1) {
        end?.()
        await waitForTurn()
      }
    },
  }
}

test('serves lines in turn', async () => {
  const queue = createQueue({ perLine: 9, inTotal: 99 })
  await queue.addTask('a', 'a1', 'a2', 'a3', 'a4')
  await queue.addTask('b', 'b1', 'b2')
  await queue.addTask('c', 'c1')
  await queue.finish(6)
  expect(queue.startedNames).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('rejects tasks beyond a line’s limit, and continues after failures', async () => {
  const queue = createQueue({ perLine: 2, inTotal: 99 })
  await queue.addTask('a', 'a1', 'a2', 'a3', 'a4')
  expect(queue.refusedNames).toEqual(['a4 line_full'])
  await queue.addTask('b', 'b1')
  await queue.finish(3)
  expect(queue.startedNames).toEqual(['a1', 'a2', 'b1', 'a3'])
  const runInQueue = createFairQueue({
    atOnce: 1,
    perLine: 1,
    inTotal: 1,
    turnAway: (reason) => new QueueFullError(reason),
  })
  await expect(runInQueue('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await runInQueue('a', () => Promise.resolve('next'))).toBe('next')
})

test('a full queue gives the last slot of its longest line to a shorter one', async () => {
  const queue = createQueue({ perLine: 9, inTotal: 4 })
  await queue.addTask('running', 'r')
  await queue.addTask('a', 'a1', 'a2', 'a3')
  await queue.addTask('b', 'b1')
  await queue.addTask('c', 'c1')
  expect(queue.refusedNames).toEqual(['a3 queue_full'])
  await queue.addTask('a', 'a4')
  await queue.addTask('b', 'b2')
  expect(queue.refusedNames.slice(1), 'who has no shorter line waits').toEqual(['a4 queue_full', 'b2 queue_full'])
  await queue.addTask('d', 'd1')
  await queue.addTask('e', 'e1')
  expect(queue.refusedNames.slice(3)).toEqual(['a2 queue_full', 'e1 queue_full'])
  await queue.finish(4)
  expect(queue.startedNames).toEqual(['r', 'a1', 'b1', 'c1', 'd1'])
})

describe('a line limited to one running task', () => {
  const limits = { atOnce: 2, perLineAtOnce: 1, perLine: 9, inTotal: 99 }

  test('leaves the other slots to other lines, even while they are free', async () => {
    const queue = createQueue(limits)
    await queue.addTask('a', 'a1', 'a2', 'a3')
    expect(queue.startedNames).toEqual(['a1'])
    await queue.addTask('b', 'b1', 'b2')
    expect(queue.startedNames).toEqual(['a1', 'b1'])
    await queue.finishOne('b1')
    expect(queue.startedNames).toEqual(['a1', 'b1', 'b2'])
    await queue.finishOne('b2')
    expect(queue.startedNames, 'a place is free, and a waits for a1').toEqual(['a1', 'b1', 'b2'])
    await queue.finishOne('a1')
    await queue.finishOne('a2')
    expect(queue.startedNames.slice(3)).toEqual(['a2', 'a3'])
  })

  test('takes its next turn after all lines that arrived while it was served', async () => {
    const queue = createQueue(limits)
    await queue.addTask('a', 'a1', 'a2')
    await queue.addTask('b', 'b1', 'b2')
    await queue.addTask('c', 'c1')
    await queue.addTask('d', 'd1')
    await queue.finishOne('a1')
    await queue.finishOne('b1')
    expect(queue.startedNames).toEqual(['a1', 'b1', 'c1', 'd1'])
    await queue.finishOne('c1')
    await queue.finishOne('d1')
    expect(queue.startedNames.slice(4)).toEqual(['a2', 'b2'])
  })
})
