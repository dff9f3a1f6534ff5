import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { order as orderOf, placeOrder } from '@tern/contract/orders/orders'
import { depositByCard, directPayment } from '@tern/contract/payments'
import { priceProof } from '@tern/contract/prices/proof'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { transactionReceipt } from '@tern/contract/transactions'
import { sendMoney, settleTransfer } from '@tern/contract/transfers'
import { expect, test, vi } from 'vitest'
import { readConfig } from '../platform/runtime/config.ts'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { linkAccount, steer } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { resealAll } from './reseal/reseal.ts'

let environment: Record<string, string>

const world = await openTestApp()
await knowEcb()
const ines = await world.enroll('ines', 'United States')
const lucas = await world.enroll('lucas', 'Germany')
const mallory = await world.enroll('mallory', 'Germany')
await world.fund(ines, 200_000)
environment = ternEnvironment(world)

/** Stores an ECB fix beside the sandbox's rates, and reads it. */
async function knowEcb(): Promise<void> {
  await world.database.pool.query(
    `with fix as (
       insert into rate_fix (id, source, base, quote, as_of, numerator, denominator, received_at, state)
       values (gen_random_uuid(), 'ecb', 'EUR', 'USD', '2024-11-20T15:00:00Z', 5281, 5000, '2024-11-20T15:05:00Z', 'accepted')
       returning *)
     insert into rate_latest (source, base, quote, fix_id, confirmed_at) select source, base, quote, id, as_of from fix`,
  )
  await world.app.product.exchange.refreshRates()
}

interface Sent {
  useStablecoin?: boolean
  side?: 'source' | 'target'
  undoSeconds?: number
}

async function send({ useStablecoin = true, side = 'source', undoSeconds = 0 }: Sent = {}) {
  const quoteBody = {
    source_currency: 'USD',
    target_currency: 'EUR',
    amount: '3.33',
    side,
    recipient_id: lucas.id,
  } as const
  const quote = await ines.call(createQuote, { body: { ...quoteBody, use_stablecoin: useStablecoin } })
  const body = {
    ...({ recipient_id: lucas.id, source_currency: 'USD', target_currency: 'EUR' } as const),
    amount: quote.source_amount,
    ...{ quote_id: quote.quote_id, ...(undoSeconds > 0 ? { undo_seconds: undoSeconds } : {}) },
  } as const
  const { transaction_id: id } = await ines.call(sendMoney, { body, idempotencyKey: randomUUID() })
  return { id, quote }
}

const run = (...parameters: readonly string[]) => callTern(environment, 'reprice', ...parameters)

/** Changes stored rows with the rights of the tables' owner. */
async function damage(sql: string): Promise<void> {
  await world.database.pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`)
}

const proofOf = async (reference: string, token?: string) =>
  (await world.raw('GET', `/prices/proof/${reference}`, { token })).body

const receiptOf = (who: TestPerson, id: string) => who.call(transactionReceipt, { params: { id } })
const codeOf = async (id: string) =>
  new URL((await receiptOf(ines, id)).price?.proof_url ?? '').pathname.split('/')[2] ?? ''

test('every route and side is an exact match, by reference and by id', async () => {
  for (const useStablecoin of [true, false]) {
    for (const side of ['source', 'target'] as const) {
      const { id } = await send({ useStablecoin, side })
      const { code, text } = await run(deriveReference(id))
      expect([code, text]).toEqual([
        0,
        expect.stringContaining('Exact match: quote, receipt and ledger state this price.'),
      ])
      expect(text).toContain('Quote: signature valid')
      for (const step of ['Source rates', 'Cross rate', 'Spread', 'Amount', 'Rounding', 'Fee', 'Total cost']) {
        expect(text).toContain(step)
      }
    }
  }
  const { id } = await send()
  expect((await run(id)).code).toBe(0)
})

test('exchanges and delayed sends are exact matches', async () => {
  const quoteBody = { source_currency: 'USD', target_currency: 'USDT', amount: '50.00', side: 'source' } as const
  const { quote_id } = await ines.call(createQuote, { body: quoteBody })
  const { transaction_id: exchanged } = await ines.call(exchangeMoney, {
    body: { quote_id },
    idempotencyKey: randomUUID(),
  })
  const { id: held } = await send({ undoSeconds: 600 })
  const waiting = await run(held)
  expect([waiting.code, waiting.text]).toEqual([2, expect.stringContaining('Cannot be checked: it is not completed')])
  await ines.call(settleTransfer, { params: { id: held } })
  for (const id of [exchanged, held]) expect([id, (await run(id)).code]).toEqual([id, 0])
})

test('card payments are exact matches, whether sent or converted into the own wallet', async () => {
  const quoteBody = { source_currency: 'USD', target_currency: 'EUR', amount: '5.00', side: 'source' } as const
  const sent = await ines.call(createQuote, { body: { ...quoteBody, recipient_id: lucas.id } })
  const body = {
    ...({ amount: 500, currency: 'usd', recipientId: String(lucas.id), paymentSource: 'card' } as const),
    quote_id: sent.quote_id,
  }
  const begun = await ines.call(directPayment, { body, idempotencyKey: randomUUID() })
  const own = await lucas.call(createQuote, { body: quoteBody })
  const deposit = await lucas.call(depositByCard, {
    body: { amount: 500, currency: 'usd', userId: lucas.id, quote_id: own.quote_id },
    idempotencyKey: randomUUID(),
  })
  for (const { redirectUrl } of [begun, deposit]) await payCheckout(redirectUrl ?? '')
  for (const id of [begun.transaction_id, deposit.transaction_id ?? '']) {
    await expect.poll(async () => (await run(id)).text).toContain('Exact match')
  }
})

test('bank payments in another currency are exact matches at the price of their settlement', async () => {
  const bankAccountId = await linkAccount(world, ines)
  const body = { ...({ amount: 500, currency: 'usd', recipientId: String(lucas.id) } as const), bankAccountId }
  const quoteBody = { source_currency: 'USD', target_currency: 'EUR', amount: '5.00', side: 'source' } as const
  const quote = await ines.call(createQuote, { body: { ...quoteBody, recipient_id: lucas.id } })
  const begun = await ines.call(directPayment, {
    body: { ...body, paymentSource: 'bank', quote_id: quote.quote_id },
    idempotencyKey: randomUUID(),
  })
  expect(await run(begun.transaction_id)).toMatchObject({ code: 2 })
  await steer(world, begun.payment_id, 'settle')
  await expect.poll(async () => (await run(begun.transaction_id)).text).toContain('Exact match')
  await damage(`update transaction set target_amount = target_amount + 1 where id = '${begun.transaction_id}'`)
  expect(await run(begun.transaction_id)).toMatchObject({ code: 1, text: expect.stringContaining('Does not match') })
  await damage(`update transaction set target_amount = target_amount - 1 where id = '${begun.transaction_id}'`)
})

test('quote and receipt name the source, its time, and the spread against the ECB fix', async () => {
  const { id, quote } = await send()
  const named = {
    rate_source: 'sandbox',
    spread_percent: '0.00',
    reference_rate: '0.94679038061',
    reference_as_of: '2024-11-20T15:00:00.000Z',
    spread_to_reference_percent: '1.77',
    total_cost_percent: quote.total_cost_percent,
  }
  expect(quote).toMatchObject(named)
  const { price } = await receiptOf(ines, id)
  expect(price).toMatchObject({ ...named, rate_as_of: quote.rate_as_of })
  expect(price?.proof_url).toMatch(/\/recompute\/[\w-]{43}$/)
  // The price the payer paid is private to them.
  expect((await receiptOf(lucas, id)).price).toBeNull()
  const crypto = { source_currency: 'USD', target_currency: 'BTC', amount: '50.00', side: 'source' } as const
  expect(await ines.call(createQuote, { body: crypto })).toMatchObject({
    ...{ reference_rate: null, reference_as_of: null, spread_to_reference_percent: null },
  })
})

test('a code proves the price to any reader, without names; a reference only to the payer', async () => {
  const { id } = await send()
  const code = await codeOf(id)
  const proof = await proofOf(code)
  expect(proof).toMatchObject({
    verdict: { verdict: 'match' },
    facts: { reference: deriveReference(id), kind: 'SEND' },
  })
  const text = JSON.stringify(proof)
  for (const secret of ['ines', 'lucas', 'Tester', ines.email, id, String(ines.id), String(lucas.id)]) {
    expect(text).not.toContain(secret)
  }
  expect(await ines.call(priceProof, { params: { reference: deriveReference(id) } })).toMatchObject({
    verdict: { verdict: 'match' },
  })
  const never = await proofOf('TRN-0000-0000-0000')
  expect(never).toMatchObject({ status: 404, code: 'not_found' })
  for (const token of [undefined, mallory.token, lucas.token]) {
    for (const reference of [deriveReference(id), id]) {
      expect({ ...(await proofOf(reference, token)), requestId: '' }).toEqual({ ...never, requestId: '' })
    }
  }
  const altered = `${code.slice(0, 42)}${code.endsWith('A') ? 'Q' : 'A'}`
  for (const wrong of [altered, code.slice(1), 'x']) expect(await proofOf(wrong)).toMatchObject({ code: 'not_found' })
  expect(await proofOf('%00')).toMatchObject({ code: 'invalid_request' })
})

test('orders, sends without a quote, and the smallest fees are exact matches', async () => {
  const { id: orderId, transaction_id: filled } = await ines.call(placeOrder, {
    body: { kind: 'limit', source_currency: 'USD', target_currency: 'USDC', amount: '7.00', rate: '0.5' },
    idempotencyKey: randomUUID(),
  })
  await vi.waitFor(
    async () => {
      await world.app.product.orders.runDue()
      expect(await ines.call(orderOf, { params: { id: orderId } })).toMatchObject({ state: 'filled' })
    },
    { timeout: 120_000 },
  )
  expect(await run(filled)).toMatchObject({ code: 0 })
  const unquoted = { recipient_id: lucas.id, amount: '1.00', source_currency: 'USD' } as const
  const { transaction_id: sent } = await ines.call(sendMoney, { body: unquoted, idempotencyKey: randomUUID() })
  expect(await run(sent)).toMatchObject({ code: 0 })
  const small = { source_currency: 'USD', target_currency: 'USDT', amount: '0.40', side: 'source' } as const
  const fees: string[] = []
  for (let count = 0; count < 6; count += 1) {
    const { quote_id, fee } = await ines.call(createQuote, { body: small })
    fees.push(fee)
    const { transaction_id: id } = await ines.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
    expect(await run(id)).toMatchObject({ code: 0 })
  }
  expect(fees).toEqual(['0.00', '0.00', '0.00', '0.00', '0.00', '0.01'])
})

test('a damaged row is named with its step', async () => {
  const { id, quote } = await send()
  const cases = [
    [
      'update transaction set target_amount = target_amount + 1',
      'update transaction set target_amount = target_amount - 1',
      'Rounding',
    ],
    ['update transaction set fee_amount = fee_amount - 1', 'update transaction set fee_amount = fee_amount + 1', 'Fee'],
    [
      'update transaction set rate_numerator = rate_numerator * 2',
      'update transaction set rate_numerator = div(rate_numerator, 2)',
      'Spread',
    ],
  ] as const
  for (const [sql, back, step] of cases) {
    await damage(`${sql} where id = '${id}'`)
    const { code, text } = await run(id)
    expect([code, text]).toEqual([1, expect.stringContaining(`Does not match at "${step}": the receipt states`)])
    await damage(`${back} where id = '${id}'`)
  }
  await damage(
    `update ledger.entry set amount = amount + 1 where amount > 0 and posting_id = (select posting_id from transaction where id = '${id}' limit 1)
       and account_id in (select id from ledger.account where kind = 'fee')`,
  )
  expect((await run(id)).text).toContain('Does not match at "Fee": the ledger states')
  const { id: other, quote: altered } = await send()
  await damage(
    `update quote set locked_price = jsonb_set(locked_price, '{fee}', '"0.01"') where id = '${altered.quote_id}'`,
  )
  const { code, text } = await run(other)
  expect([code, text]).toEqual([1, expect.stringContaining('signature NOT valid')])
  expect(text).toContain('Does not match at "Quote"')
  expect(quote.quote_id).not.toBe(altered.quote_id)
})

test('a changed fix does not match; a missing one gives no verdict', async () => {
  const { id, quote } = await send()
  const fix = `(select (locked_price -> 'valueFixIds' -> 'EUR' ->> 0)::uuid from quote where id = '${quote.quote_id}')`
  await damage(`update rate_fix set numerator = numerator * 2 where id = ${fix}`)
  expect(await run(id)).toMatchObject({ code: 1, text: expect.stringContaining('Does not match at "Cross rate"') })
  await damage(`delete from rate_fix where id = ${fix}`)
  expect(await run(id)).toMatchObject({
    code: 2,
    text: expect.stringContaining('a rate it was computed from is not stored'),
  })
  expect(await proofOf(await codeOf(id))).toMatchObject({
    ...{ facts: { values: null }, verdict: { verdict: 'unchecked', reason: 'fix_missing' } },
  })
})

test('transactions without a quote and unknown receipts are counted as unverifiable', async () => {
  const body = { recipient_id: lucas.id, amount: '1.00', source_currency: 'USD' } as const
  const { transaction_id: id } = await ines.call(sendMoney, { body, idempotencyKey: randomUUID() })
  // Conversions without a quote, as they were before reservations existed.
  await damage(`update transaction set quote_id = null where id = '${id}'`)
  expect(await run(id)).toMatchObject({ code: 2, text: expect.stringContaining('it was paid without a quote') })
  expect((await receiptOf(ines, id)).price).toBeNull()
  expect(await run('TRN-0000-0000-0000')).toEqual({ code: 2, text: 'No such receipt: TRN-0000-0000-0000' })
  for (const wrong of [[], ['--since', '2026-01-01'], [id, id], ['--all', '--since', 'yesterday'], ['--what']]) {
    expect(await run(...wrong)).toMatchObject({ code: 2, text: expect.stringContaining('npx tern reprice') })
  }
  const everything = await run('--all')
  expect(everything).toMatchObject({
    code: 1,
    text: expect.stringMatching(/\d+ match, [1-9]\d* do not match, [1-9]\d* cannot/),
  })
  expect(await run('--all', '--since', '2999-01-01')).toEqual({
    code: 0,
    text: '0 match, 0 do not match, 0 cannot be checked.',
  })
})

test('a quote stays proven after its secret was replaced', async () => {
  const { id } = await send()
  const next = Buffer.alloc(32, 7).toString('base64url')
  const withBoth = { ...environment, TERN_SECRET: next, TERN_OLD_SECRET: world.secret }
  await resealAll(world.database.pool, readConfig(withBoth).secret)
  environment = { ...environment, TERN_SECRET: next }
  expect((await run(id)).text).toContain('Quote: signature valid')
})
