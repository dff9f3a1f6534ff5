import { describe, expect, test } from 'vitest'
import { allLines } from '../banks/test-banks.ts'
import { cards, parseEvents, buildForm, fetchSession, pay } from '../cards/test-payments.ts'
import { openSession, startReceiver, startTestSandbox, type TestSandbox, listInvalidFields } from '../test-sandbox.ts'

const execute = (sandbox: TestSandbox, id: string, action: string) =>
  sandbox.call('POST', `/api/control/payments/${id}/${action}`)

async function paidSession(sandbox: TestSandbox): Promise<string> {
  const id = await openSession(sandbox)
  await pay(sandbox, id, cards.good)
  return id
}

describe('card payments can be controlled', () => {
  test('to refund, once, with matching event and line', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await paidSession(sandbox)
    await receiver.waitForEvents(1)
    const refundedSession = await execute(sandbox, id, 'refund')
    expect(refundedSession.json).toEqual(await fetchSession(sandbox, id))
    expect(refundedSession.json).toMatchObject({ status: 'paid' })
    expect((await execute(sandbox, id, 'refund')).json).toEqual(refundedSession.json)
    expect((await execute(sandbox, id, 'refund_half')).status).toBe(409)
    const [capture, refund, ...otherLines] = await allLines(sandbox)
    expect([capture, refund, otherLines]).toMatchObject([
      { kind: 'capture' },
      { kind: 'refund', amount_minor: '10000' },
      [],
    ])
    await receiver.waitForEvents(2)
    await sandbox.stop()
    expect(parseEvents(receiver.received)).toMatchObject([
      { type: 'checkout.paid', data: { capture_id: capture?.['id'] } },
      { type: 'reversal.created', data: refund },
    ])
  })

  test('to a dispute that is won, and then refunded', async () => {
    const sandbox = await startTestSandbox()
    const id = await paidSession(sandbox)
    expect((await execute(sandbox, id, 'win_dispute')).status).toBe(409)
    for (const action of ['dispute', 'dispute']) expect((await execute(sandbox, id, action)).status).toBe(200)
    expect((await execute(sandbox, id, 'refund')).status).toBe(409)
    for (const action of ['win_dispute', 'win_dispute', 'dispute', 'refund']) {
      expect([action, (await execute(sandbox, id, action)).status]).toEqual([action, 200])
    }
    const lines = await allLines(sandbox)
    expect(lines.map(({ kind }) => kind)).toEqual(['capture', 'chargeback', 'chargeback_reversal', 'refund'])
    expect(new Set(lines.map(({ id: line }) => line)).size).toBe(4)
  })

  test('to a half refund, a lost dispute beside it, and a fee, which is not in the books', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    const id = await paidSession(sandbox)
    for (const action of ['refund_half', 'charge_fee', 'dispute', 'lose_dispute', 'lose_dispute']) {
      expect([action, (await execute(sandbox, id, action)).status]).toEqual([action, 200])
    }
    for (const action of ['refund', 'win_dispute']) expect((await execute(sandbox, id, action)).status).toBe(409)
    expect(await allLines(sandbox)).toMatchObject([
      { kind: 'capture', amount_minor: '10000' },
      { kind: 'refund', amount_minor: '5000' },
      { kind: 'chargeback', amount_minor: '10000' },
    ])
    await receiver.waitForEvents(5)
    await sandbox.stop()
    expect(
      parseEvents(receiver.received)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['checkout.paid', 'dispute.lost', 'fee.charged', 'reversal.created', 'reversal.created'].toSorted())
  })

  test('to a failed refund of the rest: each return names the refund or dispute that it undoes', async () => {
    const sandbox = await startTestSandbox()
    const id = await paidSession(sandbox)
    expect((await execute(sandbox, id, 'fail_refund')).status).toBe(409)
    for (const action of ['refund_half', 'refund', 'fail_refund', 'fail_refund', 'dispute', 'win_dispute']) {
      expect([action, (await execute(sandbox, id, action)).status]).toEqual([action, 200])
    }
    const lines = await allLines(sandbox)
    const [, , refund, failedLine, dispute, wonLine] = lines
    expect(lines.map(({ amount_minor: minor }) => minor)).toEqual(['10000', '5000', '5000', '5000', '10000', '10000'])
    expect([failedLine?.undoes, wonLine?.undoes]).toEqual([refund?.id, dispute?.id])
  })

  test('to any outcome, including late money, but never from money to failure', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox)
    expect((await execute(sandbox, id, 'refund')).status).toBe(409)
    expect((await execute(sandbox, id, 'fail')).json).toMatchObject({ status: 'failed', reason: 'failed' })
    expect((await execute(sandbox, id, 'fail')).json).toMatchObject({ status: 'failed' })
    const settleReply = await execute(sandbox, id, 'settle')
    expect(settleReply.json).toMatchObject({ status: 'paid' })
    expect(settleReply.json).not.toHaveProperty('reason')
    expect((await execute(sandbox, id, 'settle')).json).toEqual(settleReply.json)
    expect((await execute(sandbox, id, 'fail')).status).toBe(409)
    expect(await allLines(sandbox)).toHaveLength(1)
  })

  test('with the secret, a known action and a known payment', async () => {
    const sandbox = await startTestSandbox()
    const id = await paidSession(sandbox)
    const path = `/api/control/payments/${id}/refund`
    expect((await sandbox.call('POST', path, { secret: null })).status).toBe(401)
    expect((await execute(sandbox, 'cs_nobody', 'refund')).status).toBe(404)
    expect((await execute(sandbox, id, 'constructor')).status).toBe(404)
    expect(await allLines(sandbox)).toHaveLength(1)
  })
})

describe('the control page', () => {
  const get = (sandbox: TestSandbox) => sandbox.call('GET', '/control', { secret: null })

  test('moves the clock by hours and days, to a date, and back', async () => {
    const sandbox = await startTestSandbox()
    const moveClock = async (fields: object): Promise<number> => {
      const moveReply = await sandbox.call('POST', '/control/clock', buildForm(fields))
      expect([moveReply.status, moveReply.headers.get('location')]).toEqual([303, '/control?done=clock#clock'])
      return Number((await sandbox.call('GET', '/api/clock')).json['offsetMs'])
    }
    expect(await moveClock({ to: 'hours', amount: '5' })).toBe(5 * 3_600_000)
    expect(await moveClock({ to: 'days', amount: '2' })).toBe(53 * 3_600_000)
    await moveClock({ to: 'date', date: '2031-02-03T04:05' })
    expect((await sandbox.call('GET', '/api/clock')).json['now']).toMatch(/^2031-02-03T04:05/)
    expect((await sandbox.call('GET', '/control?done=clock')).text).toContain('The clock has been moved.')
    expect(await moveClock({ to: 'real' })).toBe(0)
  })

  test.each([
    ['clock', { to: 'days', amount: 'soon' }, 'clock-amount'],
    ['clock', { to: 'days', amount: '999999' }, 'clock-amount'],
    ['clock', { to: 'weeks', amount: '1' }, 'clock-amount'],
    ['clock', { to: 'date', date: 'today' }, 'clock-date'],
    ['webhooks', { drop_percent: '101' }, 'webhooks-drop_percent'],
    ['webhooks', { delay_ms: '-5' }, 'webhooks-delay_ms'],
    ['faults', { error_percent: '60', timeout_percent: '60' }, 'faults-timeout_percent'],
  ])('the form %s reports %j at its field and changes nothing', async (section, fields, field) => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.call('POST', `/control/${section}`, buildForm(fields))
    expect(answer.status).toBe(422)
    expect(answer.text).toContain(`id="${field}-error"`)
    expect(answer.text.match(/aria-invalid/g)).toHaveLength(1)
    expect((await sandbox.call('GET', '/api/clock')).json['offsetMs']).toBe(0)
    expect((await sandbox.call('GET', '/api/control/webhooks')).json).toMatchObject({ drop_percent: 0, delay_ms: 0 })
    expect((await sandbox.call('GET', '/api/control/faults')).json).toMatchObject({ error_percent: 0 })
  })

  test('sets and clears faults', async () => {
    const sandbox = await startTestSandbox()
    await sandbox.call(
      'POST',
      '/control/webhooks',
      buildForm({ delay_ms: '50', drop_percent: '7', shuffle: 'yes', seed: '9' }),
    )
    await sandbox.call('POST', '/control/faults', buildForm({ error_percent: '5', hang_ms: '' }))
    const webhooks = async () => (await sandbox.call('GET', '/api/control/webhooks')).json
    const faults = async () => (await sandbox.call('GET', '/api/control/faults')).json
    expect(await webhooks()).toMatchObject({ delay_ms: 50, double_percent: 0, drop_percent: 7, shuffle: true, seed: 9 })
    expect(await faults()).toMatchObject({ error_percent: 5, hang_ms: 10_000 })
    expect((await sandbox.call('GET', '/')).text).toContain('wanted for webhooks and answers')
    for (const section of ['webhooks', 'faults']) {
      await sandbox.call(
        'POST',
        `/control/${section}`,
        buildForm({ drop_percent: '9', error_percent: '9', reset: 'yes' }),
      )
    }
    expect(await webhooks()).toMatchObject({ delay_ms: 0, drop_percent: 0, shuffle: false })
    expect(await faults()).toMatchObject({ error_percent: 0 })
  })

  test('lists payments with their actions, applies them, and explains failures', async () => {
    const sandbox = await startTestSandbox()
    const id = await openSession(sandbox, { reference: 'payment-<1>', amount_minor: '123456' })
    await pay(sandbox, id, cards.good)
    const page = await get(sandbox)
    expect(page.text).toContain('$1,234.56')
    expect(page.text).toContain('payment-&lt;1&gt;')
    expect(page.text).toContain(`action="/control/payments/${id}/refund"`)
    expect(page.text).not.toContain(`action="/control/payments/${id}/fail"`)
    const submitAction = (action: string) => sandbox.call('POST', `/control/payments/${id}/${action}`, buildForm({}))
    expect((await submitAction('dispute')).status).toBe(303)
    const refusedReply = await submitAction('refund')
    expect(refusedReply.status).toBe(409)
    expect(refusedReply.text).toContain('A payment that is disputed does not allow this.')
    expect((await submitAction('vanish')).status).toBe(404)
    expect((await allLines(sandbox)).map(({ kind }) => kind)).toEqual(['capture', 'chargeback'])
  })

  test('resends an event', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ webhookUrl: receiver.url })
    await paidSession(sandbox)
    await receiver.waitForEvents(1)
    const [, address = ''] = /action="(\/control\/webhooks\/\d+\/resend)"/.exec((await get(sandbox)).text) ?? []
    expect((await sandbox.call('POST', address, buildForm({}))).status).toBe(303)
    await receiver.waitForEvents(2)
    const [first, second] = parseEvents(receiver.received)
    expect(second).toEqual(first)
    expect((await sandbox.call('POST', '/control/webhooks/99/resend', buildForm({}))).status).toBe(404)
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this computer', { 'sec-fetch-site': 'same-site' }],
    ['an address that was typed', { 'sec-fetch-site': 'none' }],
    ['nobody says where', {}],
    ['another origin', { origin: 'http://evil.example' }],
    ['no origin', { origin: 'null' }],
  ])('accepts nothing from %s', async (_case, headers) => {
    const sandbox = await startTestSandbox()
    const id = await paidSession(sandbox)
    const sections = ['clock', 'market', 'liquidity', 'webhooks', 'faults'].map((section) => `/control/${section}`)
    const paths = [...sections, `/control/payments/${id}/refund`]
    for (const path of [...paths, '/control/webhooks/1/resend']) {
      const answer = await sandbox.call(
        'POST',
        path,
        buildForm({ to: 'days', amount: '1', drop_percent: '5' }, headers),
      )
      expect([path, answer.status]).toEqual([path, 403])
    }
    expect((await sandbox.call('GET', '/api/clock')).json['offsetMs']).toBe(0)
    expect(await allLines(sandbox)).toHaveLength(1)
  })

  test('checks forms by origin where browsers send no more, under its own names', async () => {
    const sandbox = await startTestSandbox()
    const moveClock = async (headers: Record<string, string>) =>
      (await sandbox.call('POST', '/control/clock', buildForm({ to: 'days', amount: '1' }, headers))).status
    expect(await moveClock({ origin: sandbox.url })).toBe(303)
    // For a browser, another host name that resolves to this host is same-origin (DNS rebinding).
    const { host } = new URL(sandbox.url)
    const http = await import('node:http')
    const status = await new Promise((resolve) => {
      const headers = { host: 'rebound.example', 'sec-fetch-site': 'same-origin', origin: 'http://rebound.example' }
      const [hostname, port] = host.split(':')
      http
        .request({ hostname, port, path: '/control/clock', method: 'POST', headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        .end()
    })
    expect(status).toBe(403)
  })
})

test('names invalid fault fields', async () => {
  const sandbox = await startTestSandbox()
  const set = (setting: string, body: object) => sandbox.call('PUT', `/api/control/${setting}`, { body })
  expect(
    listInvalidFields(await set('webhooks', { delay_ms: 1.5, double_percent: '5', shuffle: 1, seed: -1 })),
  ).toEqual(['delay_ms', 'double_percent', 'shuffle', 'seed'])
  expect(listInvalidFields(await set('faults', { error_percent: 101, hang_ms: 1e9 }))).toContain('hang_ms')
  expect((await sandbox.call('PUT', '/api/control/faults', { body: {}, secret: null })).status).toBe(401)
  expect((await sandbox.call('PUT', '/api/control/webhooks', { body: {}, secret: null })).status).toBe(401)
})
