import { money } from '@tern/money/money'
import type { LinkedAccount, LinkProvider } from '@tern/providers/link/port'
import type { DebitProvider } from '@tern/providers/collect/port'
import { createSandboxDebitProvider } from '@tern/providers/collect/sandbox-debit'
import { createSandboxLinkProvider } from '@tern/providers/link/sandbox'
import { createSandboxClock } from '@tern/providers/clock/sandbox'
import { createSandboxPayoutProvider } from '@tern/providers/payout/sandbox'
import { createSandboxReportProvider } from '@tern/providers/report/sandbox'
import type { SandboxConnection } from '@tern/providers/sandbox-http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveReply, providerSecret, startServer, startProvider } from '@tern/testkit/providers/provider'

const secret = providerSecret
const paymentId = '019aa3c2-7b1e-7c44-9d0e-2f1c5a7e9b10'
const monday = '2026-03-02T09:00:00Z'

const createBank = (connection: SandboxConnection): LinkProvider & DebitProvider => ({
  ...createSandboxLinkProvider(connection),
  ...createSandboxDebitProvider(connection),
})

/** Starts a sandbox on a Monday morning; collects its events, parsed by the adapter. */
async function start() {
  const { connection, events } = await startProvider({ timeoutMs: 30_000 })
  const clock = createSandboxClock(connection)
  onTestFinished(() => clock.stop())
  const setClock = (now: string) => clock.set(new Date(now))
  await setClock(monday)
  return { connection, events, setClock, bank: createBank(connection), payout: createSandboxPayoutProvider(connection) }
}

const linkRequest = {
  linkId: '019aa3c2-7b1e-7c44-9d0e-000000000001',
  userReference: '10001',
  holderName: 'Ines Okafor',
  email: 'ines@example.com',
  country: 'DE',
  returnUrl: 'http://localhost:3000/settings',
  returnSecret: 'only for who consents',
  idempotencyKey: 'link-1',
}

async function startLink(bank: LinkProvider, idempotencyKey = 'link-1') {
  const result = await bank.beginLink({ ...linkRequest, idempotencyKey })
  if (result.status !== 'created') throw new Error(result.reason)
  return result
}

/** Submits the last hosted page as a browser would. */
async function submitForm(url: string, form: Record<string, string>): Promise<URL> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '')
}

async function link(bank: LinkProvider, name: string): Promise<LinkedAccount> {
  const { sessionId, url } = await startLink(bank, name)
  await submitForm(url, { action: 'allow', bank: name, account: 'EUR' })
  const state = await bank.lookupLink(sessionId)
  if (state.status !== 'linked') throw new Error(state.status)
  return state.account
}

const order = { amount: money('EUR', 2500n), description: 'Tern', idempotencyKey: 'order-1' }

describe('linking a bank account', () => {
  test('starts once, is accepted, reported by an event, and can be looked up', async () => {
    const { bank, events } = await start()
    const { sessionId, url } = await startLink(bank)
    expect(await startLink(bank)).toEqual({ status: 'created', sessionId, url })
    expect(await bank.lookupLink(sessionId)).toEqual({ status: 'open', linkId: linkRequest.linkId })
    const returnUrl = await submitForm(url, { action: 'allow', bank: 'harbour', account: 'EUR' })
    expect(returnUrl.searchParams.get('linkStatus')).toBe('success')
    expect(returnUrl.searchParams.get('link_id')).toBe(linkRequest.linkId)
    expect(returnUrl.searchParams.get('link_secret')).toBe(linkRequest.returnSecret)
    expect(
      (await submitForm(url, { action: 'allow', bank: 'harbour', account: 'EUR' })).searchParams.has('link_secret'),
      'only the first time',
    ).toBe(false)
    const state = await bank.lookupLink(sessionId)
    expect(state).toMatchObject({
      status: 'linked',
      linkId: linkRequest.linkId,
      account: {
        bankName: 'Harbour Bank',
        holderName: 'Ines Okafor',
        currency: 'EUR',
        country: 'DE',
        last4: expect.stringMatching(/^\d{4}$/),
      },
    })
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(1)
    expect(events[0]).toEqual({ id: events[0]?.id, about: 'link', sessionId, state })
  })

  test('reports cancellation and failure by event and lookup', async () => {
    const { bank, events } = await start()
    const canceledLink = await startLink(bank, 'one')
    const failedLink = await startLink(bank, 'two')
    expect((await submitForm(canceledLink.url, { action: 'cancel' })).searchParams.get('linkStatus')).toBe('canceled')
    await submitForm(failedLink.url, { action: 'allow', bank: 'fog', account: 'EUR' })
    const { linkId } = linkRequest
    expect(await bank.lookupLink(canceledLink.sessionId)).toEqual({ status: 'canceled', linkId })
    expect(await bank.lookupLink(failedLink.sessionId)).toEqual({ status: 'failed', linkId })
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(2)
    for (const [{ sessionId }, status] of [[canceledLink, 'canceled'] as const, [failedLink, 'failed'] as const]) {
      expect(events.find((event) => event.about === 'link' && event.sessionId === sessionId)).toMatchObject({
        state: { status, linkId },
      })
    }
  })

  test('is unlinked idempotently, and then refuses orders', async () => {
    const { bank, payout } = await start()
    const { token } = await link(bank, 'harbour')
    expect(await bank.unlink(token)).toBe(true)
    expect(await bank.unlink(token)).toBe(true)
    expect(await bank.unlink('ba_nobody')).toBe(true)
    expect((await bank.debit({ ...order, paymentId, accountToken: token })).status).toBe('refused')
    expect((await payout.pay({ ...order, payoutId: paymentId, accountToken: token })).status).toBe('refused')
  })
})

describe('a bank debit', () => {
  test('is ordered once, settles by an event days later, and is in the books under the same id', async () => {
    const { connection, bank, events, setClock } = await start()
    const { token } = await link(bank, 'undertow')
    const request = { ...order, paymentId, accountToken: token }
    const orderResult = await bank.debit(request)
    if (orderResult.status !== 'created') throw new Error(orderResult.reason)
    const { sessionId } = orderResult
    expect(await bank.debit(request)).toEqual(orderResult)
    // An earlier request under this key may have been executed.
    expect((await bank.debit({ ...request, amount: money('EUR', 2501n) })).status).toBe('unknown')
    expect(await bank.lookupDebit(sessionId)).toEqual({ status: 'open', paymentId })
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(1)

    await setClock('2026-03-04T12:00:00Z')
    const state = await bank.lookupDebit(sessionId)
    expect(state).toMatchObject({ status: 'settled', paymentId, amount: money('EUR', 2500n) })
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(2)
    expect(events[1]).toEqual({ id: events[1]?.id, about: 'payment', sessionId, state })

    await setClock('2026-03-11T12:00:00Z')
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(3)
    expect(await bank.lookupDebit(sessionId)).toEqual(state)
    const books = await createSandboxReportProvider(connection).lines(
      new Date(monday),
      new Date('2026-04-01T00:00:00Z'),
    )
    if (books.status !== 'known' || state.status !== 'settled') throw new Error('the books are known')
    expect(books.lines).toMatchObject([
      { id: state.captureId, kind: 'debit', amount: state.amount, reference: paymentId },
      { kind: 'debit_return', amount: state.amount, reference: paymentId },
    ])
    expect(books.lines[1]?.occurredAt).toEqual(new Date('2026-03-11T12:00:00Z'))
    expect(events[2]).toEqual({ id: events[2]?.id, about: 'reversal', line: books.lines[1] })
  })

  test('that fails or is canceled is declined with the reason', async () => {
    const { bank, events, setClock } = await start()
    const placeDebit = async (name: string) => {
      const { token } = await link(bank, name)
      const result = await bank.debit({ ...order, paymentId, accountToken: token, idempotencyKey: name })
      return result.status === 'created' ? result.sessionId : ''
    }
    const declinedDebit = await placeDebit('shoal')
    const canceledDebit = await placeDebit('harbour')
    const canceledState = { status: 'declined', reason: 'canceled', paymentId }
    expect(await bank.cancelDebit(canceledDebit)).toEqual(canceledState)
    await setClock('2026-03-04T12:00:00Z')
    const declinedState = { status: 'declined', reason: 'insufficient_funds', paymentId }
    expect(await bank.lookupDebit(declinedDebit)).toEqual(declinedState)
    expect(await bank.cancelDebit(declinedDebit)).toEqual(declinedState)
    expect(await bank.lookupDebit(canceledDebit)).toEqual(canceledState)
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(4)
    for (const [sessionId, state] of [
      [declinedDebit, declinedState] as const,
      [canceledDebit, canceledState] as const,
    ]) {
      expect(events.find((event) => event.about === 'payment' && event.sessionId === sessionId)).toMatchObject({
        state,
      })
    }
  })
})

describe('a payout', () => {
  test('is paid once, is returned, and is in the books both times', async () => {
    const { connection, bank, payout, events, setClock } = await start()
    const { token } = await link(bank, 'drift')
    const request = { ...order, payoutId: paymentId, accountToken: token }
    const orderResult = await payout.pay(request)
    if (orderResult.status !== 'accepted') throw new Error(orderResult.reason)
    const { providerPayoutId } = orderResult
    expect(await payout.pay(request)).toEqual(orderResult)
    expect(await payout.lookup(providerPayoutId)).toEqual({ status: 'open', payoutId: paymentId })
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(1)

    await setClock('2026-03-04T12:00:00Z')
    const paidState = await payout.lookup(providerPayoutId)
    expect(paidState).toMatchObject({ status: 'settled', payoutId: paymentId, amount: order.amount })
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(2)
    expect(events[1]).toEqual({ id: events[1]?.id, about: 'payout', providerPayoutId, state: paidState })

    await setClock('2026-03-06T12:00:00Z')
    const returned = await payout.lookup(providerPayoutId)
    if (paidState.status !== 'settled' || returned.status !== 'returned') throw new Error('it came back')
    expect(returned).toMatchObject({ paidId: paidState.paidId, amount: order.amount })
    await expect.poll(() => events.length, { timeout: 120_000 }).toBe(3)
    expect(events[2]).toMatchObject({ about: 'payout', state: returned })
    const books = await createSandboxReportProvider(connection).lines(
      new Date(monday),
      new Date('2026-04-01T00:00:00Z'),
    )
    expect(books).toMatchObject({
      lines: [
        { id: paidState.paidId, kind: 'payout', amount: order.amount, reference: paymentId },
        { id: returned.returnId, kind: 'payout_return', amount: order.amount, reference: paymentId },
      ],
    })
  })

  test('that fails never leaves the books', async () => {
    const { connection, bank, payout, setClock } = await start()
    const { token } = await link(bank, 'reef')
    const orderResult = await payout.pay({ ...order, payoutId: paymentId, accountToken: token })
    await setClock('2026-03-03T12:00:00Z')
    const id = orderResult.status === 'accepted' ? orderResult.providerPayoutId : ''
    expect(await payout.lookup(id)).toEqual({ status: 'failed', payoutId: paymentId, reason: 'account_closed' })
    const books = await createSandboxReportProvider(connection).lines(
      new Date(monday),
      new Date('2026-04-01T00:00:00Z'),
    )
    expect(books).toEqual({ status: 'known', lines: [], own: [], pending: [] })
  })
})

test('the books are read completely, or not at all', async () => {
  const line = { id: 'x', kind: 'debit', amount_minor: '5', currency: 'EUR', occurred_at: monday, reference: 'payment' }
  const page = (lines: object[], nextCursor: string | null) => JSON.stringify({ lines, next: nextCursor })
  const readReport = async (url: string) =>
    createSandboxReportProvider({ url, secret }).lines(new Date(monday), new Date('2026-04-01T00:00:00Z'))
  const fee = { id: 'f', kind: 'fee', balance: 'payments', amount_minor: '-1', currency: 'EUR', occurred_at: monday }
  let calls = 0
  const pagedServer = await startServer((_body, _headers, response) => {
    calls += 1
    const pages = [
      page([line], 'x'),
      page([{ ...line, id: 'y' }], null),
      page([fee], 'f'),
      page([{ ...fee, id: 'g' }], null),
    ]
    response.end(pages[calls - 1])
  })
  expect(await readReport(pagedServer)).toMatchObject({
    status: 'known',
    lines: [{ id: 'x' }, { id: 'y' }],
    own: [{ id: 'f' }, { id: 'g' }],
  })

  calls = 0
  const brokenServer = await startServer((_body, _headers, response) => {
    calls += 1
    response.writeHead(calls === 1 ? 200 : 503).end(calls === 1 ? page([line], 'x') : '')
  })
  expect((await readReport(brokenServer)).status).toBe('unknown')
  for (const invalidLine of [{ kind: 'gift' }, { amount_minor: '-5' }, { currency: 'XXX' }, { occurred_at: 'then' }]) {
    expect((await readReport(await serveReply(200, page([line, { ...line, ...invalidLine }], null)))).status).toBe(
      'unknown',
    )
  }
})

test('no answer, errors and malformed answers are unknown, never a guess', async () => {
  const urls = [
    'http://localhost:9',
    await startServer(() => {}),
    await serveReply(500, JSON.stringify({ error: { code: 'internal_error' } })),
    await serveReply(429, JSON.stringify({ error: { code: 'too_many' } })),
    await serveReply(200, 'hello'),
    await serveReply(200, '{}'),
    await serveReply(200, JSON.stringify({ status: 'linked', reference: 'l', account: { token: 't' } })),
    await serveReply(200, JSON.stringify({ status: 'paid', reference: 'p', amount_minor: '5', currency: 'EUR' })),
    await serveReply(200, JSON.stringify({ status: 'returned', reference: 'p', amount_minor: '5', currency: 'EUR' })),
  ]
  for (const url of urls) {
    const connection = { url, secret, timeoutMs: 200 }
    const bank = createBank(connection)
    const payout = createSandboxPayoutProvider(connection)
    const order = { amount: money('EUR', 1n), accountToken: 'ba_1', description: 'Tern', idempotencyKey: 'k' }
    expect((await bank.beginLink(linkRequest)).status).toBe('unknown')
    expect((await bank.lookupLink('bl_1')).status).toBe('unknown')
    expect((await bank.debit({ ...order, paymentId })).status).toBe('unknown')
    expect((await bank.lookupDebit('bd_1')).status).toBe('unknown')
    expect((await bank.cancelDebit('bd_1')).status).toBe('unknown')
    expect((await payout.pay({ ...order, payoutId: paymentId })).status).toBe('unknown')
    expect((await payout.lookup('po_1')).status).toBe('unknown')
    expect((await createSandboxReportProvider(connection).lines(new Date(0), new Date())).status).toBe('unknown')
  }
})
