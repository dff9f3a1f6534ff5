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
await insertEcbRate()
const ines = await world.enroll('ines', 'United States')
const lucas = await world.enroll('lucas', 'Germany')
const mallory = await world.enroll('mallory', 'Germany')
await world.fund(ines, 200_000)
environment = ternEnvironment(world)

/** Inserts an ECB fix in addition to the sandbox's rates, and loads it. */
async function insertEcbRate(): Promise<void> {
  await world.database.pool.query(
    `with fix as (
       insert into rate_fix (id, source, base, quote, as_of, numerator, denominator, received_at, state)
       values (gen_random_uuid(), 'ecb', 'EUR', 'USD', '2024-11-20T15:00:00Z', 5281, 5000, '2024-11-20T15:05:00Z', 'accepted')
       returning *)
     insert into rate_latest (source, base, quote, fix_id, confirmed_at) select source, base, quote, id, as_of from fix`,
  )
  await world.app.product.exchange.refreshRates()
}

interface SendOptions {
  useStablecoin?: boolean
  side?: 'source' | 'target'
  undoSeconds?: number
}

async function send({ useStablecoin = true, side = 'source', undoSeconds = 0 }: SendOptions = {}) {
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

const runCommand = (...parameters: readonly string[]) => callTern(environment, 'reprice', ...parameters)

/** Changes stored rows with the rights of the tables' owner. */
async function changeRows(sql: string): Promise<void> {
  await world.database.pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`)
}

const loadProof = async (reference: string, token?: string) =>
  (await world.raw('GET', `/prices/proof/${reference}`, { token })).body

const loadReceipt = (person: TestPerson, id: string) => person.call(transactionReceipt, { params: { id } })
const loadProofCode = async (id: string) =>
  new URL((await loadReceipt(ines, id)).price?.proof_url ?? '').pathname.split('/')[2] ?? ''

test('every route and side is an exact match, by reference and by id', async () => {
  for (const useStablecoin of [true, false]) {
    for (const side of ['source', 'target'] as const) {
      const { id } = await send({ useStablecoin, side })
      const { code, text } = await runCommand(deriveReference(id))
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
  expect((await runCommand(id)).code).toBe(0)
})

test('exchanges and delayed sends are exact matches', async () => {
  const quoteBody = { source_currency: 'USD', target_currency: 'USDT', amount: '50.00', side: 'source' } as const
  const { quote_id } = await ines.call(createQuote, { body: quoteBody })
  const { transaction_id: exchangeId } = await ines.call(exchangeMoney, {
    body: { quote_id },
    idempotencyKey: randomUUID(),
  })
  const { id: heldSendId } = await send({ undoSeconds: 600 })
  const waitingRun = await runCommand(heldSendId)
  expect([waitingRun.code, waitingRun.text]).toEqual([
    2,
    expect.stringContaining('Cannot be checked: it is not completed'),
  ])
  await ines.call(settleTransfer, { params: { id: heldSendId } })
  for (const id of [exchangeId, heldSendId]) expect([id, (await runCommand(id)).code]).toEqual([id, 0])
})

test('card payments are exact matches, whether sent or converted into the own wallet', async () => {
  const quoteBody = { source_currency: 'USD', target_currency: 'EUR', amount: '5.00', side: 'source' } as const
  const sendQuote = await ines.call(createQuote, { body: { ...quoteBody, recipient_id: lucas.id } })
  const body = {
    ...({ amount: 500, currency: 'usd', recipientId: String(lucas.id), paymentSource: 'card' } as const),
    quote_id: sendQuote.quote_id,
  }
  const payment = await ines.call(directPayment, { body, idempotencyKey: randomUUID() })
  const ownQuote = await lucas.call(createQuote, { body: quoteBody })
  const deposit = await lucas.call(depositByCard, {
    body: { amount: 500, currency: 'usd', userId: lucas.id, quote_id: ownQuote.quote_id },
    idempotencyKey: randomUUID(),
  })
  for (const { redirectUrl } of [payment, deposit]) await payCheckout(redirectUrl ?? '')
  for (const id of [payment.transaction_id, deposit.transaction_id ?? '']) {
    await expect.poll(async () => (await runCommand(id)).text).toContain('Exact match')
  }
})

test('bank payments in another currency are exact matches at the price of their settlement', async () => {
  const bankAccountId = await linkAccount(world, ines)
  const body = { ...({ amount: 500, currency: 'usd', recipientId: String(lucas.id) } as const), bankAccountId }
  const quoteBody = { source_currency: 'USD', target_currency: 'EUR', amount: '5.00', side: 'source' } as const
  const quote = await ines.call(createQuote, { body: { ...quoteBody, recipient_id: lucas.id } })
  const payment = await ines.call(directPayment, {
    body: { ...body, paymentSource: 'bank', quote_id: quote.quote_id },
    idempotencyKey: randomUUID(),
  })
  expect(await runCommand(payment.transaction_id)).toMatchObject({ code: 2 })
  await steer(world, payment.payment_id, 'settle')
  await expect.poll(async () => (await runCommand(payment.transaction_id)).text).toContain('Exact match')
  await changeRows(`update transaction set target_amount = target_amount + 1 where id = '${payment.transaction_id}'`)
  expect(await runCommand(payment.transaction_id)).toMatchObject({
    code: 1,
    text: expect.stringContaining('Does not match'),
  })
  await changeRows(`update transaction set target_amount = target_amount - 1 where id = '${payment.transaction_id}'`)
})

test('quote and receipt name the source, its time, and the spread against the ECB fix', async () => {
  const { id, quote } = await send()
  const namedSource = {
    rate_source: 'sandbox',
    spread_percent: '0.00',
    reference_rate: '0.94679038061',
    reference_as_of: '2024-11-20T15:00:00.000Z',
    spread_to_reference_percent: '1.77',
    total_cost_percent: quote.total_cost_percent,
  }
  expect(quote).toMatchObject(namedSource)
  const { price } = await loadReceipt(ines, id)
  expect(price).toMatchObject({ ...namedSource, rate_as_of: quote.rate_as_of })
  expect(price?.proof_url).toMatch(/\/recompute\/[\w-]{43}$/)
  // Only the payer may see the price.
  expect((await loadReceipt(lucas, id)).price).toBeNull()
  const cryptoQuoteBody = { source_currency: 'USD', target_currency: 'BTC', amount: '50.00', side: 'source' } as const
  expect(await ines.call(createQuote, { body: cryptoQuoteBody })).toMatchObject({
    ...{ reference_rate: null, reference_as_of: null, spread_to_reference_percent: null },
  })
})

test('a code proves the price to any reader, without names; a reference only to the payer', async () => {
  const { id } = await send()
  const code = await loadProofCode(id)
  const proof = await loadProof(code)
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
  const unknownProof = await loadProof('TRN-0000-0000-0000')
  expect(unknownProof).toMatchObject({ status: 404, code: 'not_found' })
  for (const token of [undefined, mallory.token, lucas.token]) {
    for (const reference of [deriveReference(id), id]) {
      expect({ ...(await loadProof(reference, token)), requestId: '' }).toEqual({ ...unknownProof, requestId: '' })
    }
  }
  const forgedCode = `${code.slice(0, 42)}${code.endsWith('A') ? 'Q' : 'A'}`
  for (const invalidCode of [forgedCode, code.slice(1), 'x'])
    expect(await loadProof(invalidCode)).toMatchObject({ code: 'not_found' })
  expect(await loadProof('%00')).toMatchObject({ code: 'invalid_request' })
})

test('orders, sends without a quote, and the smallest fees are exact matches', async () => {
  const { id: orderId, transaction_id: fillTransactionId } = await ines.call(placeOrder, {
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
  expect(await runCommand(fillTransactionId)).toMatchObject({ code: 0 })
  const unquotedBody = { recipient_id: lucas.id, amount: '1.00', source_currency: 'USD' } as const
  const { transaction_id: sendId } = await ines.call(sendMoney, { body: unquotedBody, idempotencyKey: randomUUID() })
  expect(await runCommand(sendId)).toMatchObject({ code: 0 })
  const smallQuoteBody = { source_currency: 'USD', target_currency: 'USDT', amount: '0.40', side: 'source' } as const
  const fees: string[] = []
  for (let count = 0; count < 6; count += 1) {
    const { quote_id, fee } = await ines.call(createQuote, { body: smallQuoteBody })
    fees.push(fee)
    const { transaction_id: id } = await ines.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
    expect(await runCommand(id)).toMatchObject({ code: 0 })
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
  for (const [sql, restoreSql, step] of cases) {
    await changeRows(`${sql} where id = '${id}'`)
    const { code, text } = await runCommand(id)
    expect([code, text]).toEqual([1, expect.stringContaining(`Does not match at "${step}": the receipt states`)])
    await changeRows(`${restoreSql} where id = '${id}'`)
  }
  await changeRows(
    `update ledger.entry set amount = amount + 1 where amount > 0 and posting_id = (select posting_id from transaction where id = '${id}' limit 1)
       and account_id in (select id from ledger.account where kind = 'fee')`,
  )
  expect((await runCommand(id)).text).toContain('Does not match at "Fee": the ledger states')
  const { id: otherId, quote: changedQuote } = await send()
  await changeRows(
    `update quote set locked_price = jsonb_set(locked_price, '{fee}', '"0.01"') where id = '${changedQuote.quote_id}'`,
  )
  const { code, text } = await runCommand(otherId)
  expect([code, text]).toEqual([1, expect.stringContaining('signature NOT valid')])
  expect(text).toContain('Does not match at "Quote"')
  expect(quote.quote_id).not.toBe(changedQuote.quote_id)
})

test('a changed fix does not match; a missing one gives no verdict', async () => {
  const { id, quote } = await send()
  const fix = `(select (locked_price -> 'valueFixIds' -> 'EUR' ->> 0)::uuid from quote where id = '${quote.quote_id}')`
  await changeRows(`update rate_fix set numerator = numerator * 2 where id = ${fix}`)
  expect(await runCommand(id)).toMatchObject({
    code: 1,
    text: expect.stringContaining('Does not match at "Cross rate"'),
  })
  await changeRows(`delete from rate_fix where id = ${fix}`)
  expect(await runCommand(id)).toMatchObject({
    code: 2,
    text: expect.stringContaining('a rate it was computed from is not stored'),
  })
  expect(await loadProof(await loadProofCode(id))).toMatchObject({
    ...{ facts: { values: null }, verdict: { verdict: 'unchecked', reason: 'fix_missing' } },
  })
})

test('transactions without a quote and unknown receipts are counted as unverifiable', async () => {
  const body = { recipient_id: lucas.id, amount: '1.00', source_currency: 'USD' } as const
  const { transaction_id: id } = await ines.call(sendMoney, { body, idempotencyKey: randomUUID() })
  // Removes the quote, as earlier versions converted without one.
  await changeRows(`update transaction set quote_id = null where id = '${id}'`)
  expect(await runCommand(id)).toMatchObject({ code: 2, text: expect.stringContaining('it was paid without a quote') })
  expect((await loadReceipt(ines, id)).price).toBeNull()
  expect(await runCommand('TRN-0000-0000-0000')).toEqual({ code: 2, text: 'No such receipt: TRN-0000-0000-0000' })
  for (const invalidParameters of [
    [],
    ['--since', '2026-01-01'],
    [id, id],
    ['--all', '--since', 'yesterday'],
    ['--what'],
  ]) {
    expect(await runCommand(...invalidParameters)).toMatchObject({
      code: 2,
      text: expect.stringContaining('npx tern reprice'),
    })
  }
  const repriceAll = await runCommand('--all')
  expect(repriceAll).toMatchObject({
    code: 1,
    text: expect.stringMatching(/\d+ match, [1-9]\d* do not match, [1-9]\d* cannot/),
  })
  expect(await runCommand('--all', '--since', '2999-01-01')).toEqual({
    code: 0,
    text: '0 match, 0 do not match, 0 cannot be checked.',
  })
})

test('a quote stays proven after its secret was replaced', async () => {
  const { id } = await send()
  const next = Buffer.alloc(32, 7).toString('base64url')
  const rotatedEnvironment = { ...environment, TERN_SECRET: next, TERN_OLD_SECRET: world.secret }
  await resealAll(world.database.pool, readConfig(rotatedEnvironment).secret)
  environment = { ...environment, TERN_SECRET: next }
  expect((await runCommand(id)).text).toContain('Quote: signature valid')
})
