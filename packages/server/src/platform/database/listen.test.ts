import { afterAll, expect, test, vi } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { listen } from './listen.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

/** Blocks this process's event loop, as in a busy or frozen process. */
const sleep = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('after a pause nothing cached is used until a heartbeat, which follows at once', async () => {
  const onHeard = vi.fn()
  const listener = listen({
    databaseUrl: database.url,
    channel: 'paused_listener',
    log: { warn: () => {} },
    onNotice: () => {},
    onHeard: onHeard,
    // The next scheduled heartbeat would be too late for this test.
    heartbeatEveryMs: 3_600_000,
  })
  await expect.poll(listener.isCurrent, { interval: 5 }).toBe(true)
  const callsBefore = onHeard.mock.calls.length
  sleep(1000)
  expect(listener.isCurrent()).toBe(false)
  await expect.poll(() => onHeard.mock.calls.length, { interval: 5 }).toBeGreaterThan(callsBefore)
  await listener.close()
})
