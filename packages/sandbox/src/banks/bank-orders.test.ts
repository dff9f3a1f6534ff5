import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { getDatabasePath } from '../control/settings.ts'
import { allLines, debit, linkAccount, createPayout, setClock } from './test-banks.ts'
import { startReceiver, startTestSandbox, type TestSandbox, listInvalidFields } from '../test-sandbox.ts'

const monday = '2026-03-02T09:00:00Z'

/** Starts a sandbox with a linked account at `bank`, on a Monday morning. */
async function start(bank: string, options: { currency?: string; country?: string } = {}) {
  const receiver = await startReceiver()
  const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
  await setClock(sandbox, monday)
  const { token } = await linkAccount(sandbox, { bank, ...options })
  await receiver.waitForEvents(1)
  const events = () =>
    receiver.received
      .slice(1)
      .map(({ body }) => JSON.parse(body) as { type: string; created_at: string; data: Record<string, unknown> })
  return { sandbox, token, events, waitForEvents: (count: number) => receiver.waitForEvents(count + 1) }
}

/** Returns the creation times of queued events in the order of the queue; they may be delivered in another order. */
function listCreationTimes({ dataDir }: TestSandbox): string[] {
  const database = new DatabaseSync(getDatabasePath(dataDir), { readOnly: true })
  const rows = database.prepare('select body from webhook order by number').all()
  database.close()
  return rows.map(({ body }) => (JSON.parse(String(body)) as { created_at: string }).created_at)
}

const readId = ({ json }: { json: Record<string, unknown> }): string => String(json['session_id'] ?? json['payout_id'])

const debitNow = async (sandbox: TestSandbox, id: string) => (await sandbox.call('GET', `/api/bank/debits/${id}`)).json
const payoutNow = async (sandbox: TestSandbox, id: string) => (await sandbox.call('GET', `/api/payouts/${id}`)).json
const execute = (sandbox: TestSandbox, path: string) => sandbox.call('POST', `/api/control/${path}`)

describe('a debit', () => {
  test('is open for two business days, then paid by one line', async () => {
    const { sandbox, token, events, waitForEvents } = await start('harbour')
    const answer = await debit(sandbox, token)
    expect(answer.status).toBe(201)
    const id = readId(answer)
    const open = { session_id: id, status: 'open', reference: 'payment-1', amount_minor: '2500', currency: 'USD' }
    await setClock(sandbox, '2026-03-04T11:00:00Z')
    expect(await debitNow(sandbox, id)).toEqual(open)
    await setClock(sandbox, '2026-03-04T12:00:00Z')
    const paidReply = await debitNow(sandbox, id)
    expect(paidReply).toEqual({ ...open, status: 'paid', capture_id: expect.stringMatching(/^cap_/) })
    await waitForEvents(1)
    expect(events()).toMatchObject([{ type: 'debit.paid', created_at: '2026-03-04T12:00:00.000Z', data: paidReply }])
    const { amount_minor, currency, reference } = paidReply
    const line = { id: paidReply['capture_id'], kind: 'debit', amount_minor, currency, reference }
    expect(await allLines(sandbox)).toEqual([{ ...line, occurred_at: '2026-03-04T12:00:00.000Z' }])
    await setClock(sandbox, '2026-06-01T00:00:00Z')
    expect(await debitNow(sandbox, id)).toEqual(paidReply)
  })

  test('fails at Shoal Bank and moves nothing', async () => {
    const { sandbox, token, events, waitForEvents } = await start('shoal')
    const id = readId(await debit(sandbox, token))
    await setClock(sandbox, '2026-03-10T09:00:00Z')
    expect(await debitNow(sandbox, id)).toMatchObject({ status: 'failed', reason: 'insufficient_funds' })
    await waitForEvents(1)
    expect(events()).toMatchObject([{ type: 'debit.failed', data: await debitNow(sandbox, id) }])
    expect(await allLines(sandbox)).toEqual([])
  })

  test('at Undertow Bank is paid and returned in order, also when the clock skips both', async () => {
    const { sandbox, token, events, waitForEvents } = await start('undertow')
    const first = readId(await debit(sandbox, token))
    await setClock(sandbox, '2026-03-03T09:00:00Z')
    const second = readId(await debit(sandbox, token, { reference: 'payment-2', amount_minor: '700' }, 'debit-2'))
    await setClock(sandbox, '2026-05-01T00:00:00Z')
    await waitForEvents(4)
    const lines = await allLines(sandbox)
    expect(lines.map(({ kind, reference, occurred_at }) => [kind, reference, occurred_at.slice(0, 16)])).toEqual([
      ['debit', 'payment-1', '2026-03-04T12:00'],
      ['debit', 'payment-2', '2026-03-05T12:00'],
      ['debit_return', 'payment-1', '2026-03-11T12:00'],
      ['debit_return', 'payment-2', '2026-03-12T12:00'],
    ])
    expect(listCreationTimes(sandbox).slice(1)).toEqual(lines.map(({ occurred_at }) => occurred_at))
    const eventTypes = events()
    const reversals = eventTypes.filter(({ type }) => type === 'reversal.created')
    expect(eventTypes.filter(({ type }) => type === 'debit.paid')).toHaveLength(2)
    expect(reversals.map(({ data }) => data).toSorted((a, b) => (a['reference']! < b['reference']! ? -1 : 1))).toEqual(
      lines.slice(2),
    )
    // Returned debits stay paid: the return is a separate movement.
    for (const id of [first, second]) expect(await debitNow(sandbox, id)).toMatchObject({ status: 'paid' })
  })

  test('can be canceled once within the hour, and not once at the bank', async () => {
    const { sandbox, token, events, waitForEvents } = await start('harbour')
    const earlyId = readId(await debit(sandbox, token))
    const lateId = readId(await debit(sandbox, token, {}, 'debit-2'))
    const cancel = async (id: string) => (await sandbox.call('POST', `/api/bank/debits/${id}/cancel`)).json
    const canceled = await cancel(earlyId)
    expect(canceled).toMatchObject({ status: 'canceled', reason: 'canceled' })
    expect(await cancel(earlyId)).toEqual(canceled)
    await waitForEvents(1)
    await setClock(sandbox, '2026-03-02T10:30:00Z')
    expect(await cancel(lateId)).toMatchObject({ status: 'open' })
    await setClock(sandbox, '2026-03-04T12:00:00Z')
    expect(await cancel(lateId)).toMatchObject({ status: 'paid' })
    expect(await debitNow(sandbox, earlyId)).toEqual(canceled)
    await waitForEvents(2)
    expect(events().map(({ type }) => type)).toEqual(['debit.canceled', 'debit.paid'])
    expect(await allLines(sandbox)).toHaveLength(1)
  })

  test('ends one way when canceled and settled at once', async () => {
    const { sandbox, token } = await start('harbour')
    for (let round = 0; round < 10; round += 1) {
      const id = readId(await debit(sandbox, token, { reference: `payment-${round}` }, `debit-${round}`))
      const calls = [
        `/api/bank/debits/${id}/cancel`,
        `/api/control/debits/${id}/settle`,
        `/api/control/debits/${id}/fail`,
      ]
      const order = calls.map((_, index) => calls[(index + round) % calls.length]!)
      await Promise.all(order.map((path) => sandbox.call('POST', path)))
      const { status } = await debitNow(sandbox, id)
      const lines = (await allLines(sandbox)).filter(({ reference }) => reference === `payment-${round}`)
      expect(lines).toHaveLength(status === 'paid' ? 1 : 0)
    }
  })
})

describe('a payout', () => {
  test.each([
    ['harbour', '2026-03-03T12:00:00Z'],
    ['shoal', '2026-03-04T12:00:00Z'],
    ['undertow', '2026-03-05T12:00:00Z'],
  ])('at the bank %s arrives at %s', async (bank, at) => {
    const { sandbox, token, events, waitForEvents } = await start(bank)
    const answer = await createPayout(sandbox, token)
    expect(answer.status).toBe(201)
    const id = readId(answer)
    await setClock(sandbox, new Date(new Date(at).getTime() - 60 * 60 * 1000).toISOString())
    expect((await payoutNow(sandbox, id))['status']).toBe('open')
    await setClock(sandbox, at)
    const paidReply = await payoutNow(sandbox, id)
    expect(paidReply).toEqual({
      payout_id: id,
      status: 'paid',
      reference: 'payment-1',
      amount_minor: '2500',
      currency: 'USD',
      paid_id: expect.stringMatching(/^paid_/),
    })
    await waitForEvents(1)
    expect(events()).toMatchObject([{ type: 'payout.paid', data: paidReply }])
    expect(await allLines(sandbox)).toMatchObject([{ id: paidReply['paid_id'], kind: 'payout', amount_minor: '2500' }])
  })

  test('fails at Reef Bank after a day and never leaves', async () => {
    const { sandbox, token, events, waitForEvents } = await start('reef')
    const id = readId(await createPayout(sandbox, token))
    await setClock(sandbox, '2026-03-03T12:00:00Z')
    expect(await payoutNow(sandbox, id)).toMatchObject({ status: 'failed', reason: 'account_closed' })
    await waitForEvents(1)
    expect(events()).toMatchObject([{ type: 'payout.failed' }])
    expect(await allLines(sandbox)).toEqual([])
  })

  test('at Drift Bank arrives, and is returned two business days later', async () => {
    const { sandbox, token, events, waitForEvents } = await start('drift')
    const id = readId(await createPayout(sandbox, token))
    await setClock(sandbox, '2026-03-06T11:00:00Z')
    await waitForEvents(1)
    const paidReply = await payoutNow(sandbox, id)
    expect(paidReply['status']).toBe('paid')
    await setClock(sandbox, '2026-03-06T12:00:00Z')
    await waitForEvents(2)
    const payoutReply = await payoutNow(sandbox, id)
    expect(payoutReply).toMatchObject({
      status: 'returned',
      paid_id: paidReply['paid_id'],
      return_id: expect.any(String),
    })
    expect(payoutReply['reason']).toEqual(expect.any(String))
    expect(events()).toMatchObject([
      { type: 'payout.paid', created_at: '2026-03-04T12:00:00.000Z', data: paidReply },
      { type: 'payout.returned', created_at: '2026-03-06T12:00:00.000Z', data: payoutReply },
    ])
    expect((await allLines(sandbox)).map(({ id, kind }) => [id, kind])).toEqual([
      [paidReply['paid_id'], 'payout'],
      [payoutReply['return_id'], 'payout_return'],
    ])
  })

  test("follows the business days of its account's country", async () => {
    const { sandbox, token } = await start('harbour', { country: 'JP', currency: 'JPY' })
    await setClock(sandbox, '2026-05-01T02:00:00Z')
    const id = readId(await createPayout(sandbox, token, { currency: 'JPY' }))
    await setClock(sandbox, '2026-05-06T23:00:00Z')
    expect((await payoutNow(sandbox, id))['status']).toBe('open')
    await setClock(sandbox, '2026-05-07T12:00:00Z')
    expect((await payoutNow(sandbox, id))['status']).toBe('paid')
  })
})

describe.each([
  ['debit', debit],
  ['payout', createPayout],
])('ordering a %s', (_kind, order) => {
  test('is idempotent by key, also concurrently, and refuses another request under it', async () => {
    const { sandbox, token } = await start('harbour')
    const answers = await Promise.all(Array.from({ length: 5 }, () => order(sandbox, token, {}, 'key')))
    expect(new Set(answers.map(readId)).size).toBe(1)
    expect(readId(await order(sandbox, token, {}, 'key-2'))).not.toBe(readId(answers[0]!))
    for (const other of [{ amount_minor: '2501' }, { reference: 'payment-2' }, { description: 'Another' }]) {
      const answer = await order(sandbox, token, other, 'key')
      expect(answer.status).toBe(422)
      expect(answer.json['error']).toMatchObject({ code: 'idempotency_key_reused' })
    }
  })

  test.each([
    ['amount_minor', '0'],
    ['amount_minor', '-5'],
    ['amount_minor', '1.5'],
    ['amount_minor', 2500],
    ['currency', 'BTC'],
    ['currency', 'EUR'],
    ['reference', ''],
    ['account_token', ''],
  ])('refuses %s %j by name', async (field, value) => {
    const { sandbox, token } = await start('harbour')
    const answer = await order(sandbox, token, { [field]: value })
    expect(answer.status).toBe(422)
    expect(listInvalidFields(answer)).toEqual([field])
  })

  test('needs an existing account', async () => {
    const { sandbox } = await start('harbour')
    expect((await order(sandbox, 'ba_nobody')).status).toBe(404)
  })
})

describe('manual control', () => {
  test('settles and returns a debit once, whatever its bank would do', async () => {
    const { sandbox, token, waitForEvents } = await start('shoal')
    const id = readId(await debit(sandbox, token))
    expect((await execute(sandbox, `debits/${id}/return`)).status).toBe(409)
    const settleReply = await execute(sandbox, `debits/${id}/settle`)
    expect(settleReply.json).toMatchObject({ status: 'paid' })
    expect((await execute(sandbox, `debits/${id}/settle`)).json).toEqual(settleReply.json)
    expect((await execute(sandbox, `debits/${id}/fail`)).status).toBe(409)
    await execute(sandbox, `debits/${id}/return`)
    expect((await execute(sandbox, `debits/${id}/return`)).json).toEqual(settleReply.json)
    expect((await execute(sandbox, `debits/${id}/settle`)).status).toBe(409)
    await setClock(sandbox, '2026-06-01T00:00:00Z')
    await waitForEvents(2)
    expect((await allLines(sandbox)).map(({ kind }) => kind)).toEqual(['debit', 'debit_return'])
  })

  test('pays, fails and returns payouts', async () => {
    const { sandbox, token } = await start('harbour')
    const firstId = readId(await createPayout(sandbox, token))
    const secondId = readId(await createPayout(sandbox, token, {}, 'payout-2'))
    expect((await execute(sandbox, `payouts/${firstId}/pay`)).json).toMatchObject({ status: 'paid' })
    expect((await execute(sandbox, `payouts/${firstId}/return`)).json).toMatchObject({ status: 'returned' })
    expect((await execute(sandbox, `payouts/${firstId}/pay`)).status).toBe(409)
    expect((await execute(sandbox, `payouts/${secondId}/fail`)).json).toMatchObject({ status: 'failed' })
    expect((await execute(sandbox, `payouts/${secondId}/return`)).status).toBe(409)
    expect((await execute(sandbox, 'payouts/po_nobody/pay')).status).toBe(404)
    await setClock(sandbox, '2026-06-01T00:00:00Z')
    expect((await allLines(sandbox)).map(({ kind }) => kind)).toEqual(['payout', 'payout_return'])
  })

  test('needs the secret', async () => {
    const { sandbox, token } = await start('harbour')
    const id = readId(await createPayout(sandbox, token))
    const answer = await sandbox.call('POST', `/api/control/payouts/${id}/pay`, { secret: null })
    expect(answer.status).toBe(401)
    expect((await payoutNow(sandbox, id))['status']).toBe('open')
  })
})

test('due events are processed after a restart', async () => {
  const { sandbox, token } = await start('undertow')
  const id = readId(await debit(sandbox, token))
  await sandbox.stop()
  const restartedSandbox = await startTestSandbox({ dataDir: sandbox.dataDir })
  expect((await debitNow(restartedSandbox, id))['status']).toBe('open')
  await setClock(restartedSandbox, '2026-03-20T00:00:00Z')
  expect((await allLines(restartedSandbox)).map(({ kind }) => kind)).toEqual(['debit', 'debit_return'])
})
