import { createHmac } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { goodCard, openSession, type Receiver, startReceiver, startTestSandbox, testSecret } from '../test-sandbox.ts'

const readIds = ({ received }: Receiver): string[] =>
  received.map(({ body }) => (JSON.parse(body) as { id: string }).id)

test('events are signed with the secret and real time, even when the sandbox clock differs', async () => {
  const receiver = await startReceiver()
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
  await sandbox.call('PUT', '/api/clock', { body: { now: '2026-01-15T12:00:00Z' } })
  const id = await openSession(sandbox)
  const before = Date.now()
  await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
  await receiver.waitForEvents(1)
  const { body, headers } = receiver.received[0]!
  const [, timestamp = '', signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['sandbox-signature'])) ?? []
  const signatureTime = Number(timestamp) * 1000
  expect([signatureTime > before - 1000, signatureTime <= Date.now()]).toEqual([true, true])
  expect(signature).toBe(createHmac('sha256', testSecret).update(`${timestamp}.${body}`).digest('hex'))
  expect((JSON.parse(body) as { created_at: string }).created_at).toMatch(/^2026-01-15T12:00:0/)
})

test('events are resent with growing pauses until the answer is 2xx', async () => {
  const receiver = await startReceiver([500, 404, 302, 200])
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url, retryDelaysMs: [30, 60, 90] })
  const id = await openSession(sandbox)
  await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
  await receiver.waitForEvents(4)
  const pauses = receiver.received.slice(1).map(({ at }, index) => at - receiver.received[index]!.at)
  expect(pauses[0]).toBeGreaterThanOrEqual(25)
  expect(pauses[1]).toBeGreaterThanOrEqual(55)
  expect(pauses[2]).toBeGreaterThanOrEqual(85)
  expect(new Set(readIds(receiver)).size).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(receiver.received).toHaveLength(4)
})

test('an event that falls due during a queue scan is not forgotten', async () => {
  const receiver = await startReceiver([500, 500, 200])
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url, retryDelaysMs: [10] })
  const id = await openSession(sandbox)
  const systemNow = Date.now
  let elapsedMs = 0
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => systemNow() + (elapsedMs += 7))
  try {
    await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
    await receiver.waitForEvents(3)
  } finally {
    clock.mockRestore()
  }
})

test('a failing event does not delay the next', async () => {
  const receiver = await startReceiver([500])
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url, retryDelaysMs: [60_000] })
  for (const key of ['first', 'second']) {
    const id = await openSession(sandbox, { reference: key }, key)
    await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
    await receiver.waitForEvents(key === 'first' ? 1 : 2)
  }
  expect(new Set(readIds(receiver)).size).toBe(2)
})

test('an event resent during delivery is sent once more', async () => {
  const { promise: answerGate, resolve: answer } = Promise.withResolvers<void>()
  const receiver = await startReceiver([], answerGate)
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
  const id = await openSession(sandbox)
  await sandbox.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
  await receiver.waitForEvents(1)
  const { json } = await sandbox.call('GET', '/api/control/webhooks')
  const [delivery] = json['deliveries'] as { number: number }[]
  expect((await sandbox.call('POST', `/api/control/webhooks/${delivery?.number}/resend`)).status).toBe(200)
  answer()
  await receiver.waitForEvents(2)
  expect(new Set(readIds(receiver)).size).toBe(1)
})

test('many concurrent events all arrive', async () => {
  const receiver = await startReceiver(Array.from({ length: 10 }, () => 503))
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url, retryDelaysMs: [10] })
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const id = await openSession(sandbox, { reference: `payment-${index}` }, `key-${index}`)
      await sandbox.call('POST', `/api/checkout/${id}/cancel`)
    }),
  )
  await receiver.waitForEvents(40)
  expect(new Set(readIds(receiver)).size).toBe(30)
})

test('undelivered events survive a restart with all other state', async () => {
  const first = await startTestSandbox({ webhookUrl: 'http://localhost:9/nobody', retryDelaysMs: [50] })
  const id = await openSession(first)
  await first.call('POST', `/api/checkout/${id}/pay`, { body: goodCard })
  await first.call('PUT', '/api/clock', { body: { offsetMs: 1234 } })
  await first.call('PUT', '/api/rates', { body: { usd_per_unit: { EUR: { numerator: '11', denominator: '10' } } } })
  await first.stop()

  const receiver = await startReceiver()
  const second = await startTestSandbox({ webhookUrl: receiver.url, dataDir: first.dataDir })
  await receiver.waitForEvents(1)
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ type: 'checkout.paid', data: { session_id: id } })
  expect((await second.call('GET', `/api/checkout/sessions/${id}`)).json).toMatchObject({ status: 'paid' })
  expect((await second.call('GET', '/api/clock')).json['offsetMs']).toBe(1234)
  expect((await second.call('GET', '/api/rates')).json).toMatchObject({
    usd_per_unit: { EUR: { numerator: '11', denominator: '10' } },
  })
})
