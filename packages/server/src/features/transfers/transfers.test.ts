import type { RatesProvider } from '@tern/providers/rates/port'
import { randomUUID } from 'node:crypto'
import { Refused } from '@tern/contract/protocol/client'
import { createQuote } from '@tern/contract/exchange'
import { transactionsOfUser } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'

let alice: TestPerson
let bruno: TestPerson

const world = await openTestApp({ unconfirmedPayments: 'any' })
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

const usd = { source_currency: 'USD' } as const
const toOutcome = (call: Promise<{ transaction_id: string }>) =>
  call.then(
    (result) => result.transaction_id,
    (error: unknown) => (error instanceof Refused ? error.code : String(error)),
  )

/** Retries with the same key, as clients do, while the product is unavailable or the request is in progress. */
async function waitForAnswer(send: () => Promise<{ transaction_id: string }>): Promise<string> {
  for (;;) {
    try {
      return (await send()).transaction_id
    } catch (error) {
      if (error instanceof Refused && error.status !== 503 && error.code !== 'request_in_progress') return error.code
    }
  }
}

describe('sending money', () => {
  test('25.00 USD reaches a EUR wallet as 23.25 EUR; both lists and the ledger agree', async () => {
    await world.fund(alice, 10_000)
    const quote = await alice.call(createQuote, {
      body: { ...usd, target_currency: 'EUR', amount: '25.00', side: 'source', recipient_id: bruno.id },
    })
    expect(quote).toMatchObject({ target_amount: '23.25', fee: '0.25', total: '25.25', stablecoin_amount: '25.000000' })
    const transfer = await alice.call(sendMoney, {
      body: { ...usd, recipient_id: bruno.id, amount: '25.00', quote_id: quote.quote_id, description: 'Books' },
      idempotencyKey: randomUUID(),
    })
    expect(transfer).toMatchObject({ status: 'COMPLETED', transaction: { amount: '25.25', target_amount: '23.25' } })
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '74.75' })
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '23.25', base_currency: 'EUR' })
    const [senderList, recipientList] = await Promise.all(
      [alice, bruno].map((person) => person.call(transactionsOfUser, { params: { userId: String(person.id) } })),
    )
    expect(senderList!.transactions[0]).toEqual(transfer.transaction)
    expect(recipientList!.transactions).toMatchObject([
      {
        id: transfer.transaction_id,
        transaction_type: 'RECEIVE',
        amount: '23.25',
        currency: 'EUR',
        description: 'Books',
      },
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of 200 concurrent sends that each fit, exactly as many pass as the balance covers', async () => {
    await world.fund(alice, 10_050)
    // Each takes 10.00 and a fee of 0.10; the balance of 100.50 covers nine.
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () => {
        const body = { ...usd, recipient_id: bruno.id, amount: '10.00' }
        const idempotencyKey = randomUUID()
        return waitForAnswer(() => alice.call(sendMoney, { body, idempotencyKey }))
      }),
    )
    const acceptedIds = outcomes.filter((outcome) => outcome.includes('-'))
    expect(acceptedIds).toHaveLength(9)
    expect(outcomes.filter((outcome) => outcome === 'insufficient_funds')).toHaveLength(191)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '9.60' })
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '83.70' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('the same key 50 times concurrently moves money once and never returns two different ids', async () => {
    await world.fund(alice, 10_000)
    const idempotencyKey = randomUUID()
    const body = { ...usd, recipient_id: bruno.id, amount: '10.00' }
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => toOutcome(alice.call(sendMoney, { body, idempotencyKey }))),
    )
    const repeatOutcome = await toOutcome(alice.call(sendMoney, { body, idempotencyKey }))
    expect(new Set([...outcomes.filter((outcome) => outcome !== 'request_in_progress'), repeatOutcome]).size).toBe(1)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '89.90' })
  })

  test('the same key with another body is refused; another user’s same key is independent', async () => {
    await world.fund(alice, 10_000)
    const idempotencyKey = randomUUID()
    const send = (amount: string) =>
      toOutcome(alice.call(sendMoney, { body: { ...usd, recipient_id: bruno.id, amount }, idempotencyKey }))
    const first = await send('10.00')
    expect(await send('11.00')).toBe('idempotency_key_reused')
    const carol = await world.enroll('carol', 'United States')
    await world.fund(carol, 5000)
    const otherOutcome = await toOutcome(
      carol.call(sendMoney, { body: { ...usd, recipient_id: bruno.id, amount: '10.00' }, idempotencyKey }),
    )
    expect(otherOutcome).not.toBe(first)
    expect(await carol.wallet()).toMatchObject({ fiat_balance: '39.90' })
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '89.90' })
  })

  test('a refusal is repeated for its key, even once its reason is gone', async () => {
    await world.fund(alice, 10_000)
    const { pool } = world.database
    const setVerification = async (status: string) => {
      await pool.query('update app_user set kyc_status = $2 where id = $1', [bruno.id, status])
      world.app.product.identity.forgetUser(BigInt(bruno.id))
    }
    const idempotencyKey = randomUUID()
    const send = (key: string = idempotencyKey) =>
      toOutcome(
        alice.call(sendMoney, { body: { ...usd, recipient_id: bruno.id, amount: '10.00' }, idempotencyKey: key }),
      )
    await setVerification('rejected')
    expect(await send()).toBe('recipient_not_found')
    await setVerification('verified')
    expect(await send()).toBe('recipient_not_found')
    expect(await send(randomUUID())).toMatch(/-/)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '89.90' })
  })

  test('a quote is good for one send, to its own recipient and amount', async () => {
    await world.fund(alice, 10_000)
    const quote = await alice.call(createQuote, {
      body: { ...usd, target_currency: 'EUR', amount: '10', side: 'source', recipient_id: bruno.id },
    })
    const send = (change: object) =>
      toOutcome(
        alice.call(sendMoney, {
          body: { ...usd, recipient_id: bruno.id, amount: '10.00', quote_id: quote.quote_id, ...change },
          idempotencyKey: randomUUID(),
        }),
      )
    const carol = await world.enroll('carol', 'Germany')
    expect(await send({ amount: '9.99' })).toBe('quote_mismatch')
    expect(await send({ recipient_id: carol.id })).toBe('quote_mismatch')
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send({})))
    expect(outcomes.filter((outcome) => outcome !== 'quote_used')).toHaveLength(1)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '89.90' })
  })

  test('another user’s quote is not found', async () => {
    const quote = await bruno.call(createQuote, {
      body: { source_currency: 'EUR', target_currency: 'USD', amount: '10', side: 'source', recipient_id: alice.id },
    })
    await world.fund(alice, 10_000)
    const body = { ...usd, recipient_id: bruno.id, amount: '10.00', quote_id: quote.quote_id }
    expect(await toOutcome(alice.call(sendMoney, { body, idempotencyKey: randomUUID() }))).toBe('not_found')
  })

  test('a late quote is refused with a fresh one, and a retry of a finished send still succeeds', async () => {
    await world.fund(alice, 10_000)
    const quote = await alice.call(createQuote, {
      body: { ...usd, target_currency: 'EUR', amount: '10', side: 'source', recipient_id: bruno.id },
    })
    const body = { ...usd, recipient_id: bruno.id, amount: '10.00', quote_id: quote.quote_id }
    const idempotencyKey = randomUUID()
    const first = await alice.call(sendMoney, { body, idempotencyKey })
    await world.app.product.providers.sandboxClock!.set(new Date(Date.now() + 6 * 60_000))
    try {
      const token = (
        await world.raw('POST', '/user/login', {
          body: { email: alice.email, password: alice.password },
        })
      ).body.access_token as string
      const lateSend = await world.raw('POST', '/payment/transfer', {
        token,
        body,
        headers: { 'idempotency-key': randomUUID() },
      })
      expect(lateSend.status).toBe(409)
      expect(lateSend.body).toMatchObject({ code: 'quote_expired', detail: 'This quote has expired' })
      expect(lateSend.body.quote).toMatchObject({ target_amount: '9.30', recipient_id: bruno.id })
      const retriedSend = await world.raw('POST', '/payment/transfer', {
        token,
        body,
        headers: { 'idempotency-key': idempotencyKey },
      })
      expect(retriedSend.body).toMatchObject({ transaction_id: first.transaction_id })
    } finally {
      await world.app.product.providers.sandboxClock!.set(new Date())
    }
  })

  test('a repeated finished send gets its first answer, even without any rates', async () => {
    await world.fund(alice, 10_000)
    const quote = await alice.call(createQuote, {
      body: { ...usd, target_currency: 'EUR', amount: '10', side: 'source', recipient_id: bruno.id },
    })
    const unsentQuote = await alice.call(createQuote, {
      body: { ...usd, target_currency: 'EUR', amount: '20', side: 'source', recipient_id: bruno.id },
    })
    const order = (amount: string, quoteId?: string) => ({
      ...usd,
      recipient_id: bruno.id,
      amount,
      ...(quoteId === undefined ? {} : { quote_id: quoteId }),
    })
    const keys = [randomUUID(), randomUUID()] as const
    const quotedSend = await alice.call(sendMoney, { body: order('10.00', quote.quote_id), idempotencyKey: keys[0] })
    const unquotedSend = await alice.call(sendMoney, { body: order('5.00'), idempotencyKey: keys[1] })
    const { exchange, providers } = world.app.product
    const [rates] = providers.rates.all as [RatesProvider]
    const { latest } = rates
    rates.latest = async () => ({ status: 'unknown', reason: 'no answer' })
    const { rows: deletedRates } = await world.database.pool.query('delete from rate_latest returning *')
    expect(deletedRates).not.toEqual([])
    try {
      await exchange.refreshRates()
      expect(exchange.hasRates()).toBe(false)
      const repeatedSends = [
        await alice.call(sendMoney, { body: order('10.00', quote.quote_id), idempotencyKey: keys[0] }),
        await alice.call(sendMoney, { body: order('5.00'), idempotencyKey: keys[1] }),
      ]
      expect(repeatedSends.map((send) => send.transaction_id)).toEqual([
        quotedSend.transaction_id,
        unquotedSend.transaction_id,
      ])
      const newSend = alice.call(sendMoney, { body: order('5.00'), idempotencyKey: randomUUID() })
      expect(await toOutcome(newSend)).toBe('rates_unavailable')
      // A promised price holds even without rates.
      const promisedSend = alice.call(sendMoney, {
        body: order('20.00', unsentQuote.quote_id),
        idempotencyKey: randomUUID(),
      })
      expect(await toOutcome(promisedSend)).toContain('-')
    } finally {
      rates.latest = latest
      await exchange.refreshRates()
    }
  })

  test('a quote whose stored terms were altered moves nothing', async () => {
    await world.fund(alice, 10_000)
    const quote = await alice.call(createQuote, {
      body: { ...usd, target_currency: 'EUR', amount: '10', side: 'source', recipient_id: bruno.id },
    })
    await world.database.pool.query(
      `update quote set locked_price = jsonb_set(locked_price, '{target}', '"99.30"') where id = $1`,
      [quote.quote_id],
    )
    const answer = await world.raw('POST', '/payment/transfer', {
      token: alice.token,
      body: { ...usd, recipient_id: bruno.id, amount: '10.00', quote_id: quote.quote_id },
      headers: { 'idempotency-key': randomUUID() },
    })
    expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '0.00' })
  })

  test('fields that name another payer are refused, and those that would skip the payment have no effect', async () => {
    await world.fund(alice, 10_000)
    const carol = await world.enroll('carol', 'United States')
    const send = (change: object) =>
      world.raw('POST', '/payment/transfer', {
        token: carol.token,
        body: { ...usd, recipient_id: bruno.id, amount: '10.00', ...change },
        headers: { 'idempotency-key': randomUUID() },
      })
    const forgedSend = await send({ sender_id: alice.id })
    expect([forgedSend.status, forgedSend.body.code, forgedSend.body.errors[0].field]).toEqual([
      403,
      'not_your_account',
      'sender_id',
    ])
    expect((await send({ skip_sender_deduction: true })).body.code).toBe('insufficient_funds')
    expect((await send({ payment_source: 'card', transaction_type: 'CARD_PAYMENT' })).body.code).toBe(
      'payment_not_found',
    )
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
  })

  test('sends to oneself, to unknown users and before verification are refused', async () => {
    await world.fund(alice, 10_000)
    const unverifiedPerson = await world.enroll('dora', null)
    const send = (person: TestPerson, recipientId: number) =>
      toOutcome(
        person.call(sendMoney, {
          body: { ...usd, recipient_id: recipientId, amount: '1.00' },
          idempotencyKey: randomUUID(),
        }),
      )
    expect(await send(alice, alice.id)).toBe('recipient_is_sender')
    expect(await send(alice, 1_234_567_890)).toBe('recipient_not_found')
    expect(await send(alice, unverifiedPerson.id)).toBe('recipient_not_found')
    expect(await send(unverifiedPerson, alice.id)).toBe('verification_required')
  })

  test('the desk’s residue is posted, and every currency still sums to zero', async () => {
    await world.fund(alice, 10_000)
    for (const amount of ['1.01', '3.33', '7.77', '0.97']) {
      await alice.call(sendMoney, {
        body: { ...usd, recipient_id: bruno.id, amount },
        idempotencyKey: randomUUID(),
      })
    }
    const { rows } = await world.database.pool.query(
      `select sum(balance) as balance from ledger.account where kind = 'rounding' and currency = 'USDT'`,
    )
    expect(rows[0].balance).toBeGreaterThan(0n)
    expect(await loadFailedChecks(world)).toEqual([])
  })
})
