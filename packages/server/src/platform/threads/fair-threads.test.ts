import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createFairThreads } from './fair-threads.ts'
import { createGate, endlessWorker, type GateInput, gateWorker } from './test-tasks.ts'

/** Reached only if a task hangs. */
const timeoutMs = 60_000
const [attacker, otherPersonId] = [1n, 2n]

function createThreads({ threads = 2, maxWaitingPerLine = 9, maxWaiting = 99 } = {}) {
  const pool = createFairThreads({ threads, maxWaitingPerLine, maxWaiting, heapMb: 64 })
  return {
    /** Runs a task that ends once its gate is opened. */
    gated(personId: bigint, timeLimitMs = timeoutMs) {
      const gate = createGate()
      const task = pool.run<GateInput, number>(personId, { module: gateWorker, input: gate.input, timeLimitMs })
      task.catch(() => {})
      return { ...gate, task, begins: () => vi.waitUntil(gate.hasBegun, { timeout: timeoutMs, interval: 5 }) }
    },
    endless: (personId: bigint, timeLimitMs: number) =>
      pool.run(personId, { module: endlessWorker, input: undefined, timeLimitMs }),
  }
}

test('one user occupies one thread, and other users’ tasks run on the other', async () => {
  const threads = createThreads()
  const attack = [threads.gated(attacker), threads.gated(attacker), threads.gated(attacker)]
  await attack[0]?.begins()
  for (const person of [otherPersonId, 3n, 4n]) {
    const task = threads.gated(person)
    await task.begins()
    task.open()
    await task.task
  }
  expect(attack.map(({ hasBegun }) => hasBegun())).toEqual([true, false, false])
  for (const task of attack) {
    task.open()
    await task.task
  }
})

test('waiting tasks are limited per user: the next one is refused, another user’s is not', async () => {
  const threads = createThreads({ threads: 1, maxWaitingPerLine: 2 })
  const gatedTasks = [threads.gated(attacker), threads.gated(attacker), threads.gated(attacker)]
  await expect(threads.gated(attacker).task).rejects.toMatchObject({
    code: 'rate_limited',
    details: { reason: 'files_of_yours', retryAfterSeconds: expect.any(Number) },
  })
  const task = threads.gated(otherPersonId)
  for (const gatedTask of [...gatedTasks, task]) gatedTask.open()
  expect(await task.task).toBeGreaterThanOrEqual(0)
})

test('waiting does not count against a task’s time limit', async () => {
  const threads = createThreads({ threads: 1 })
  const first = threads.gated(attacker)
  await first.begins()
  const taskMs = 2000
  const second = threads.gated(attacker, taskMs)
  const third = threads.gated(otherPersonId, taskMs)
  await delay(taskMs + 200)
  first.open()
  for (const task of [third, second]) {
    await task.begins()
    task.open()
    expect(await task.task).toBeLessThan(taskMs)
  }
})

test('a task that never ends is rejected alone: concurrent and later tasks continue', async () => {
  const threads = createThreads()
  const endlessTask = threads.endless(attacker, 500)
  const otherPersonTask = threads.gated(otherPersonId)
  const queuedTask = threads.gated(attacker)
  await Promise.all([otherPersonTask.begins(), expect(endlessTask).rejects.toThrow()])
  await queuedTask.begins()
  for (const task of [otherPersonTask, queuedTask]) {
    task.open()
    await task.task
  }
})
