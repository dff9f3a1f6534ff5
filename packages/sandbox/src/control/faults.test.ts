import { describe, expect, test } from 'vitest'
import { allLines } from '../banks/test-banks.ts'
import { cards, parseEvents, fetchSession, pay } from '../cards/test-payments.ts'
import {
  goodSession,
  openSession,
  type Receiver,
  startReceiver,
  startTestSandbox,
  type TestSandbox,
} from '../test-sandbox.ts'

const set = (sandbox: TestSandbox, setting: 'webhooks' | 'faults', body: object) =>
  sandbox.call('PUT', `/api/control/${setting}`, { body })

const references = ({ received }: Receiver): unknown[] => parseEvents(received).map(({ data }) => data['reference'])

/** Creates `count` events, each by a separate payment. */
async function createEvents(sandbox: TestSandbox, count: number, prefix = 'p'): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const id = await openSession(sandbox, { reference: `${prefix}${index}` }, `${prefix}${index}`)
    await pay(sandbox, id, cards.good)
  }
}

describe('webhook faults', () => {
  test('duplicate an event', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    await set(sandbox, 'webhooks', { double_percent: 100 })
    await createEvents(sandbox, 2)
    await receiver.waitForEvents(4)
    await sandbox.stop()
    const ids = parseEvents(receiver.received).map(({ id }) => id)
    expect([ids.length, new Set(ids).size]).toEqual([4, 2])
  })

  test('drop an event until someone sends it', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    await set(sandbox, 'webhooks', { drop_percent: 100 })
    await createEvents(sandbox, 1, 'dropped')
    await set(sandbox, 'webhooks', {})
    await createEvents(sandbox, 1, 'sent')
    await receiver.waitForEvents(1)
    expect(references(receiver)).toEqual(['sent0'])
    const deliveries = async () =>
      (await sandbox.call('GET', '/api/control/webhooks')).json['deliveries'] as { number: number }[]
    // An attempt counts only once the receiver has replied.
    await expect.poll(deliveries).toMatchObject([{ attempts: 1 }, { state: 'dropped', attempts: 0 }])
    const [, droppedEvent] = await deliveries()
    await sandbox.call('POST', `/api/control/webhooks/${droppedEvent?.number}/resend`)
    await receiver.waitForEvents(2)
    expect(references(receiver)).toEqual(['sent0', 'dropped0'])
  })

  test('delay an event', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    await set(sandbox, 'webhooks', { delay_ms: 400 })
    const before = Date.now()
    await createEvents(sandbox, 1)
    await receiver.waitForEvents(1)
    expect(receiver.received[0]!.at - before).toBeGreaterThanOrEqual(400)
  })

  test('reorder events', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    await set(sandbox, 'webhooks', { shuffle: true, delay_ms: 4000, seed: 3 })
    const sessions = await Promise.all(Array.from({ length: 8 }, (_, index) => openSession(sandbox, {}, `p${index}`)))
    await Promise.all(sessions.map((id) => pay(sandbox, id, cards.good)))
    await receiver.waitForEvents(8)
    const { json } = await sandbox.call('GET', '/api/control/webhooks')
    const createdIds = (json['deliveries'] as { event_id: string }[]).map(({ event_id }) => event_id).toReversed()
    const receivedIds = parseEvents(receiver.received).map(({ id }) => id)
    expect(new Set(receivedIds)).toEqual(new Set(createdIds))
    expect(receivedIds).not.toEqual(createdIds)
  })

  test.each([
    ['drop_percent', ['waiting', 'dropped']],
    ['double_percent', ['1', '2']],
  ])('repeat for the same seed and differ for another: %s', async (fault, expected) => {
    const sandbox = await startTestSandbox({ retryDelaysMs: [60_000] })
    const decide = async (seed: number, prefix: string): Promise<string[]> => {
      await set(sandbox, 'webhooks', { [fault]: 40, seed })
      await createEvents(sandbox, 12, prefix)
      const { json } = await sandbox.call('GET', '/api/control/webhooks')
      const deliveries = json['deliveries'] as { event_id: string; state: string }[]
      const newest = [...new Set(deliveries.map(({ event_id }) => event_id))].slice(0, 12)
      const copies = newest.map((id) => deliveries.filter(({ event_id }) => event_id === id))
      return copies.map((copy) => (fault === 'double_percent' ? String(copy.length) : (copy[0]?.state ?? '')))
    }
    const [first, repeated, other] = [await decide(7, 'a'), await decide(7, 'b'), await decide(8, 'c')]
    expect(repeated).toEqual(first)
    expect(other).not.toEqual(first)
    expect(new Set(first)).toEqual(new Set(expected))
  })

  test('survive a restart', async () => {
    const sandbox = await startTestSandbox()
    await set(sandbox, 'webhooks', { drop_percent: 100 })
    await set(sandbox, 'faults', { error_percent: 100 })
    await sandbox.stop()
    const restartedSandbox = await startTestSandbox({ dataDir: sandbox.dataDir })
    expect((await restartedSandbox.call('GET', '/api/control/webhooks')).json).toMatchObject({ drop_percent: 100 })
    expect((await restartedSandbox.call('POST', '/api/kyc/checks', { body: {} })).status).toBe(500)
  })
})

describe('API faults', () => {
  const create = (sandbox: TestSandbox, key: string) =>
    sandbox.call('POST', '/api/checkout/sessions', { body: goodSession, headers: { 'idempotency-key': key } }).then(
      ({ status, json }) => ({ status, id: json['session_id'] }),
      () => ({ status: 0, id: undefined }),
    )

  test('fail before a call executes', async () => {
    const sandbox = await startTestSandbox()
    await set(sandbox, 'faults', { error_percent: 100 })
    expect((await create(sandbox, 'one')).status).toBe(500)
    await set(sandbox, 'faults', {})
    expect((await sandbox.call('GET', '/control')).text).not.toContain('payment-1')
  })

  test('fail after it executed, with an error or closed connection; a repetition finds the result', async () => {
    const sandbox = await startTestSandbox()
    await set(sandbox, 'faults', { lost_answer_percent: 100, seed: 5 })
    const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`)
    const lostReplies = []
    for (const key of keys) lostReplies.push(await create(sandbox, key))
    expect(new Set(lostReplies.map(({ status }) => status))).toEqual(new Set([0, 500]))
    await set(sandbox, 'faults', {})
    const settlePaths = (await sandbox.call('GET', '/control')).text.match(/\/control\/payments\/cs_[\w-]+\/settle/g)
    expect(settlePaths).toHaveLength(12)
    for (const key of keys) expect((await create(sandbox, key)).status).toBe(201)
    const after = (await sandbox.call('GET', '/control')).text.match(/\/control\/payments\/cs_[\w-]+\/settle/g)
    expect(after).toEqual(settlePaths)
  })

  test('delay the answer', async () => {
    const sandbox = await startTestSandbox()
    await set(sandbox, 'faults', { timeout_percent: 100, hang_ms: 500 })
    const before = Date.now()
    expect((await create(sandbox, 'one')).status).toBe(201)
    expect(Date.now() - before).toBeGreaterThanOrEqual(450)
  })

  test('never keep the sandbox from stopping', async () => {
    const sandbox = await startTestSandbox()
    await set(sandbox, 'faults', { timeout_percent: 100, hang_ms: 600_000 })
    const hangingCall = create(sandbox, 'one')
    // The page shows that the call was executed before it hung.
    await expect.poll(async () => (await sandbox.call('GET', '/control')).text).toContain('payment-1')
    await sandbox.stop()
    expect([0, 201]).toContain((await hangingCall).status)
  })

  test('hit the same calls for the same seed, others for another', async () => {
    const sandbox = await startTestSandbox()
    const statuses = async (seed: number, prefix: string): Promise<string> => {
      await set(sandbox, 'faults', { error_percent: 50, seed })
      const answers = []
      for (let index = 0; index < 16; index += 1) answers.push((await create(sandbox, `${prefix}${index}`)).status)
      return answers.join(' ')
    }
    const [first, repeated, other] = [await statuses(7, 'a'), await statuses(7, 'b'), await statuses(8, 'c')]
    expect(repeated).toBe(first)
    expect(other).not.toBe(first)
    expect(new Set(first.split(' '))).toEqual(new Set(['201', '500']))
  })

  test('spare the payer, callers without the secret, and the control API', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    await set(sandbox, 'faults', { error_percent: 100 })
    expect((await pay(sandbox, id, cards.good)).status).toBe(200)
    expect((await sandbox.call('GET', `/checkout/${id}`, { secret: null })).status).toBe(200)
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`, { secret: 'wrong' })).status).toBe(401)
    expect((await sandbox.call('POST', `/api/control/payments/${id}/refund`)).status).toBe(200)
    expect((await sandbox.call('PUT', '/api/clock', { body: { offsetMs: 1 } })).status).toBe(200)
    expect((await set(sandbox, 'webhooks', {})).status).toBe(200)
    expect((await sandbox.call('GET', `/api/checkout/sessions/${id}`)).status).toBe(500)
    expect((await set(sandbox, 'faults', {})).status).toBe(200)
    expect(await fetchSession(sandbox, id)).toMatchObject({ status: 'paid' })
    expect(await allLines(sandbox)).toHaveLength(2)
  })
})
