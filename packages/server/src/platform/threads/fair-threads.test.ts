import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createFairThreads } from './fair-threads.ts'
import { createGate, endlessWorker, type GateInput, gateWorker } from './test-tasks.ts'

/** Timeout for hangs only. */
const longMs = 60_000
const [attacker, other] = [1n, 2n]

function open({ threads = 2, mostWaitingPerLine = 9, mostWaiting = 99 } = {}) {
  const pool = createFairThreads({ threads, mostWaitingPerLine, mostWaiting, heapMb: 64 })
  return {
    /** A task that ends once its gate is opened. */
    gated(personId: bigint, timeLimitMs = longMs) {
      const gate = createGate()
      const done = pool.run<GateInput, number>(personId, { module: gateWorker, input: gate.input, timeLimitMs })
      done.catch(() => {})
      return { ...gate, done, begins: () => vi.waitUntil(gate.hasBegun, { timeout: longMs, interval: 5 }) }
    },
    endless: (personId: bigint, timeLimitMs: number) =>
      pool.run(personId, { module: endlessWorker, input: undefined, timeLimitMs }),
  }
}

test('one user occupies one thread, and other users’ tasks run on the other', async () => {
  const threads = open()
  const attack = [threads.gated(attacker), threads.gated(attacker), threads.gated(attacker)]
  await attack[0]?.begins()
  for (const person of [other, 3n, 4n]) {
    const task = threads.gated(person)
    await task.begins()
    task.open()
    await task.done
  }
  expect(attack.map(({ hasBegun }) => hasBegun())).toEqual([true, false, false])
  for (const task of attack) {
    task.open()
    await task.done
  }
})

test('waiting tasks are limited per user: the next one is refused, another user’s is not', async () => {
  const threads = open({ threads: 1, mostWaitingPerLine: 2 })
  const held = [threads.gated(attacker), threads.gated(attacker), threads.gated(attacker)]
  await expect(threads.gated(attacker).done).rejects.toMatchObject({
    code: 'rate_limited',
    details: { reason: 'files_of_yours', retryAfterSeconds: expect.any(Number) },
  })
  const task = threads.gated(other)
  for (const each of [...held, task]) each.open()
  expect(await task.done).toBeGreaterThanOrEqual(0)
})

test('waiting does not count against a task’s time limit', async () => {
  const threads = open({ threads: 1 })
  const first = threads.gated(attacker)
  await first.begins()
  const ownMs = 2000
  const second = threads.gated(attacker, ownMs)
  const third = threads.gated(other, ownMs)
  await delay(ownMs + 200)
  first.open()
  for (const task of [third, second]) {
    await task.begins()
    task.open()
    expect(await task.done).toBeLessThan(ownMs)
  }
})

test('a task that never ends is rejected alone: concurrent and later tasks continue', async () => {
  const threads = open()
  const endless = threads.endless(attacker, 500)
  const beside = threads.gated(other)
  const behind = threads.gated(attacker)
  await Promise.all([beside.begins(), expect(endless).rejects.toThrow()])
  await behind.begins()
  for (const task of [beside, behind]) {
    task.open()
    await task.done
  }
})
