// Books with every kind of money movement of the product, and copies of them to corrupt.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { deposit, depositByCard, directPayment } from '@tern/contract/payments'
import { openDispute } from '@tern/contract/disputes/disputes'
import { cancelOrder, placeOrder } from '@tern/contract/orders/orders'
import { createProtectionRule, protectionRules } from '@tern/contract/orders/protection-rules'
import { cancelGuestPayment } from '@tern/contract/requests/guest-payments'
import { payLinkFromOutside } from '@tern/contract/requests/link-funding'
import { cancelTransfer, sendMoney, settleTransfer } from '@tern/contract/transfers'
import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { OwnLine } from '@tern/providers/report/port'
import { expect, vi } from 'vitest'
import { rules } from '@tern/server/commands/audit/rules'
import { postOperatorLine } from '@tern/server/features/payments/reconciliation/operator-lines'
import { transferRules } from '@tern/server/features/transfers/decision/rules'
import type { TransferRule } from '@tern/server/features/transfers/transfers'
import { dueTime, dateAfterDays, createConfirmedSchedule, runDueSends, createWorkerAt } from '../schedules.ts'
import { startTestApp, type TestApp, type TestPerson } from '../app.ts'
import { steerPayout, loadStoredPayout } from '../banking.ts'
import { disconnectFrom, findBrokenRules } from './find-broken-rules.ts'
import { createTestBooks, type TestBooks } from './books.ts'
import { fileObjectionsAndLimits, createWaitingTransfers } from './waiting-transfers.ts'
import { copyDatabase, runOnce, withDatabase } from '../database.ts'
import {
  buildContext,
  requestMoney,
  startGuestPayment,
  linkAccount,
  pay,
  quote,
  splitBill,
  steer,
  waitForPayment,
  waitForReceipt,
} from '../payments.ts'
import { payCheckout } from '../people.ts'

export interface SoundBooks {
  readonly url: string
  /** `TERN_SECRET` of the product. */
  readonly secret: string
  /** Runs `work` with the address of a copy of the books, which it may change. */
  runOnCopy<T>(work: (url: string) => Promise<T>): Promise<T>
  /**
   * Runs `corruptionSql` as the owner of all tables, with all triggers disabled, and rolls it back; returns the message
   * of each broken rule by rule name.
   */
  findBroken(corruptionSql: string): Promise<Record<string, string>>
  drop(): Promise<void>
}

/**
 * Makes every kind of money movement and keeps the database. `withChecks` adds transfers that wait for cases and
 * confirmations.
 */
export async function createSoundBooks({ withChecks = false } = {}): Promise<SoundBooks> {
  const decisions: ReturnType<TransferRule>[] = []
  const checkRules = withChecks ? transferRules : []
  const world = await startTestApp({
    transferRules: [...checkRules, () => decisions.at(-1)],
    unconfirmedPayments: 'any',
  })
  await playEvents(world)
  if (withChecks) await createWaitingTransfers(world)
  const payHeldRequests = await payRequests(world)
  const until = new Date(world.app.product.now().getTime() + 86_400_000)
  decisions.push({ outcome: 'hold', reason: 'undo', until })
  await createHolds(world)
  await payHeldRequests()
  await recordDeskDecision(world)
  await world.close({ keepsDatabase: true })
  const { url } = world.database
  const source = new URL(url).pathname.slice(1)
  const server = withDatabase(url, 'postgres')
  return {
    url,
    secret: world.secret,
    async runOnCopy(work) {
      const name = `${source}_${randomUUID().slice(0, 8)}`
      await disconnectFrom(url)
      await copyDatabase(server, name, source)
      try {
        return await work(withDatabase(server, name))
      } finally {
        await runOnce(server, `drop database ${name} with (force)`)
      }
    },
    findBroken: (corruptionSql) =>
      findBrokenRules(url, rules, `set local session_replication_role = replica; ${corruptionSql}`),
    async drop() {
      await runOnce(server, `drop database ${source} with (force)`)
    },
  }
}

/** Records the rejection of a held transfer by two operators, in the tables of the desk only. */
async function recordDeskDecision({ database }: TestApp): Promise<void> {
  await database.pool.query(`
    insert into desk_operator (id, name, roles, created_at)
      select gen_random_uuid(), name, '{reviewer}', now() from unnest('{Marta,Daniel}'::text[]) as name;
    insert into desk_item (queue, subject, verdict, carrying_out_since, carried_out_at)
      select 'holds', gen_random_uuid(), 'reject', now(), now();
    insert into desk_decision
      select gen_random_uuid(), i.queue, i.subject, 1, case name when 'Marta' then 'first' else 'second' end, o.id, 'reject',
          'Both came to the same.', now()
        from desk_item i, desk_operator o where i.queue = 'holds' and o.name in ('Marta', 'Daniel');
    insert into desk_log (at, operator_id, actor, act, queue, subject, reason, after, decision_id)
      select decided_at, operator_id, name, 'decided', queue, subject::text, reason, verdict, d.id
        from desk_decision d join desk_operator o on o.id = operator_id where queue = 'holds';`)
}

async function playEvents(world: TestApp): Promise<void> {
  const books = createTestBooks(world)
  const [anna, ben, carla, dora, emil] = await Promise.all([
    world.enroll('anna', 'United States'),
    world.enroll('ben', 'Germany'),
    world.enroll('carla', 'United States'),
    world.enroll('dora', 'United States'),
    world.enroll('emil', 'United States'),
  ])
  await world.fund(anna, 50_000)
  await sendAndExchange(anna, ben, carla)
  await payFromOutside(world, { anna, ben, dora })
  await createSpecialDeposits(world, books, anna)
  await createWithdrawals(world, anna)
  await reversePayments(world, books, emil)
  await createScheduledSends(world, anna, carla)
  await createOrders(world, anna)
  await createVenueTrades(world)
  await chargeProviderFee(world)
  await createDisputes(world, anna)
  await fileObjectionsAndLimits(world, anna)
}

/** Posts a fee of 30 cents that the provider charges us. */
async function chargeProviderFee(world: TestApp): Promise<void> {
  const { pool, ...ctx } = buildContext(world)
  const occurredAt = world.app.product.now()
  const amount = money('USD', -30n)
  const line: OwnLine = { id: `fee_${randomUUID()}`, kind: 'fee', balance: 'payments', amount, occurredAt }
  await postOperatorLine(ctx, pool, { provider: 'sandbox', line })
}

/** Upholds a dispute about a send, and dismisses one about a withdrawal after a provisional credit. */
async function createDisputes({ app, database }: TestApp, anna: TestPerson): Promise<void> {
  const { operators, runDue } = app.product.disputes
  for (const [kind, minor, verdict] of [
    ['SEND', 1000, 'uphold'],
    ['WITHDRAW', 1100, 'dismiss'],
  ] as const) {
    const { rows } = await database.pool.query<{ id: string }>(
      `select id from transaction where user_id = $1 and kind = $2 and source_amount = $3 and status = 'COMPLETED'`,
      [anna.id, kind, minor],
    )
    const body = { transaction_id: rows[0]?.id ?? '', kind: 'unauthorized', statement: 'I was asleep.' } as const
    const { id } = await anna.call(openDispute, { body })
    if (verdict === 'dismiss') {
      await database.pool.query('update dispute set credit_by = opened_at where id = $1', [id])
      await runDue()
    }
    await operators.decide(id, verdict)
  }
}

/** Buys the euros that the product owes, at a liquidity venue. */
async function createVenueTrades(world: TestApp): Promise<void> {
  const { treasury } = world.app.product
  const answer = await fetch(`${world.sandboxUrl}/api/control/liquidity`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${world.sandboxSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ delay_ms: 0 }),
  })
  expect(answer.ok).toBe(true)
  const order = await treasury.flatten({ currency: 'EUR', operator: 'ada' })
  expect(order).toMatchObject({ currency: 'EUR', state: 'filled' })
}

/** Places exchange orders that are filled, open and canceled, and a rule that has exchanged. */
async function createOrders(world: TestApp, anna: TestPerson): Promise<void> {
  const { orders } = world.app.product
  const place = (amount: string, rate: string) =>
    anna.call(placeOrder, {
      body: { kind: 'limit', source_currency: 'USD', target_currency: 'USDC', amount, rate },
      idempotencyKey: randomUUID(),
    })
  await place('7.00', '0.5')
  await anna.call(createProtectionRule, {
    body: { kind: 'keep_share', currency: 'USDC', share_percent: 20 },
    idempotencyKey: randomUUID(),
  })
  await vi.waitFor(
    async () => {
      await orders.runDue()
      const { rules: createdRules } = await anna.call(protectionRules, {})
      expect(createdRules[0]?.last_action).not.toBeNull()
    },
    { timeout: 120_000 },
  )
  await place('8.00', '9')
  const { id } = await place('9.00', '9')
  await anna.call(cancelOrder, { params: { id } })
}

/** Makes and runs a scheduled send. */
async function createScheduledSends(world: TestApp, anna: TestPerson, carla: TestPerson): Promise<void> {
  const date = dateAfterDays(world, 1)
  await createConfirmedSchedule(anna, carla, { next_on: date, amount: '2.00', target_currency: 'USD' })
  await runDueSends(createWorkerAt(world, dueTime(date)))
}

/** Sends within a currency and across currencies, with and without a quote, and exchanges. */
async function sendAndExchange(anna: TestPerson, ben: TestPerson, carla: TestPerson): Promise<void> {
  const send = (recipient: TestPerson, amount: string, overrides: object = {}) =>
    anna.call(sendMoney, {
      body: { recipient_id: recipient.id, amount, source_currency: 'USD', description: 'Lunch', ...overrides },
      idempotencyKey: randomUUID(),
    })
  await send(carla, '10.00')
  const crossQuote = await anna.call(createQuote, {
    body: { source_currency: 'USD', target_currency: 'EUR', amount: '12.00', side: 'source', recipient_id: ben.id },
  })
  await send(ben, '12.00', { quote_id: crossQuote.quote_id })
  await exchange(anna, 'USDT', '20.00')
  await exchange(anna, 'BTC', '5.00')
}

async function exchange(person: TestPerson, target: CurrencyCode, amount: string): Promise<void> {
  const { quote_id: quoteId } = await person.call(createQuote, {
    body: { source_currency: 'USD', target_currency: target, amount, side: 'source' },
  })
  await person.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() })
}

/**
 * Pays requests in full, in part and not at all. Returns a function that makes three more payments, all of them held by
 * a rule: one is then settled, one canceled, and one stays held.
 */
async function payRequests(world: TestApp): Promise<() => Promise<void>> {
  const [rita, paul] = [await world.enroll('rita', 'Germany'), await world.enroll('paul', 'United States')]
  await world.fund(paul, 9000)
  const { parts } = await splitBill(rita, [paul, await world.enroll('pia', 'Germany')])
  await pay(paul, parts[0]?.request.data ?? '')
  const requestPart = async () => (await requestMoney(rita, { allows_parts: true })).data
  await requestPart()
  await pay(paul, await requestPart())
  await pay(paul, await requestPart(), { amount: '7.00' })
  for (const isPaid of [true, false]) {
    const { receipt, redirect_url: url } = await startGuestPayment(paul, await requestPart(), {
      ...{ currency: 'EUR', amount: '3.00', expected_total: '3.02' },
    })
    if (isPaid) await payCheckout(url ?? '')
    else await paul.call(cancelGuestPayment, { params: { receipt } })
    await waitForReceipt(paul, receipt)
  }
  await payByCard(paul, await requestPart())
  return async () => {
    for (const end of [settleTransfer, cancelTransfer]) {
      const { transaction_id: id } = await pay(paul, await requestPart(), { amount: '5.00' })
      await paul.call(end, { params: { id } })
    }
    await pay(paul, await requestPart(), { amount: '6.00' })
  }
}

async function payByCard(payer: TestPerson, data: string): Promise<void> {
  const { quote_id: quoteId } = await quote(payer, data, { amount: '4.00' })
  const started = await payer.call(payLinkFromOutside, {
    params: { data },
    body: { method: 'card', quote_id: quoteId },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(started.redirectUrl ?? '')
  await waitForPayment(payer, started.payment_id, 'completed')
}

/** Creates held transfers, transfers awaiting funding, and settled and released ones. */
async function createHolds(world: TestApp): Promise<void> {
  const [fred, gina, hans] = await Promise.all([
    world.enroll('fred', 'United States'),
    world.enroll('gina', 'Germany'),
    world.enroll('hans', 'Germany'),
  ])
  await world.fund(fred, 9000)
  const send = async (amount: string) => {
    const body = { recipient_id: gina.id, amount, source_currency: 'USD' } as const
    return (await fred.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
  }
  const exchangeNow = () => exchange(fred, 'USDT', '5.00')
  const byCard = async (paymentSource: PaymentSource, amount: number, to = gina) => {
    const body = { amount, currency: 'usd', recipientId: String(to.id), paymentSource }
    return fred.call(directPayment, { body, idempotencyKey: randomUUID() })
  }
  const bankAccountId = await linkAccount(world, fred)
  const payOut = () =>
    fred.call(withdraw, { body: { amount: '6.00', currency: 'USD', bankAccountId }, idempotencyKey: randomUUID() })
  const settle = (id: string) => fred.call(settleTransfer, { params: { id } })
  const cancel = (id: string) => fred.call(cancelTransfer, { params: { id } })
  for (const end of [settle, cancel]) {
    await end(await send('3.00'))
    await end((await payOut()).transaction_id)
    const fundedPayment = await byCard('card', 400)
    await steer(world, fundedPayment.payment_id, 'settle')
    await waitForPayment(fred, fundedPayment.payment_id, 'completed')
    await end(fundedPayment.transaction_id)
  }
  await send('4.00')
  await exchangeNow()
  await payOut()
  const captured = await byCard('card', 500)
  await steer(world, captured.payment_id, 'settle')
  await waitForPayment(fred, captured.payment_id, 'completed')
  await byCard('wallet_partial', 9000, hans)
}

type PaymentSource = 'card' | 'bank' | 'wallet_partial'

/** Sends paid by card, by bank account, or by wallet and card: successful, failed, late and pending. */
async function payFromOutside(
  world: TestApp,
  { anna, ben, dora }: Record<'anna' | 'ben' | 'dora', TestPerson>,
): Promise<void> {
  const startPayment = async (
    person: TestPerson,
    paymentSource: PaymentSource,
    amount: number,
    overrides: object = {},
  ) => {
    const body = {
      amount,
      currency: 'usd',
      recipientId: String(ben.id),
      paymentSource,
      description: 'Books',
      ...overrides,
    }
    return (await person.call(directPayment, { body, idempotencyKey: randomUUID() })).payment_id
  }
  const byCard = await startPayment(anna, 'card', 800)
  await steer(world, byCard, 'settle')
  const latePayment = await startPayment(anna, 'card', 600)
  await steer(world, latePayment, 'fail')
  await waitForPayment(anna, latePayment, 'failed')
  await steer(world, latePayment, 'settle')
  const bankAccountId = await linkAccount(world, anna)
  const byBank = await startPayment(anna, 'bank', 700, { bankAccountId })
  await steer(world, byBank, 'settle')
  const failedDebit = await startPayment(anna, 'bank', 300, { bankAccountId })
  await steer(world, failedDebit, 'fail')
  await startPayment(anna, 'bank', 200, { bankAccountId })
  for (const end of ['settle', 'fail'] as const) {
    await world.fund(dora, 500)
    const partialPayment = await startPayment(dora, 'wallet_partial', 900)
    await steer(world, partialPayment, end)
    await waitForPayment(dora, partialPayment, end === 'settle' ? 'completed' : 'failed')
  }
  await startPayment(dora, 'wallet_partial', 950)
  for (const id of [byCard, byBank]) await waitForPayment(anna, id, 'completed')
  await waitForPayment(anna, failedDebit, 'failed')
}

/** Bank deposits that arrive, fail and stay pending; card deposits that arrive late, or in euros with a refund. */
async function createSpecialDeposits(world: TestApp, books: TestBooks, anna: TestPerson): Promise<void> {
  const bankAccountId = await linkAccount(world, anna)
  const byBank = async (amount: string) => {
    const body = { amount, currency: 'USD', method: 'bank', bankAccountId } as const
    return (await anna.call(deposit, { body, idempotencyKey: randomUUID() })).payment_id
  }
  const [arrivedId, failedId] = [await byBank('30.00'), await byBank('31.00')]
  await byBank('32.00')
  await steer(world, arrivedId, 'settle')
  await steer(world, failedId, 'fail')
  await waitForPayment(anna, arrivedId, 'completed')
  await waitForPayment(anna, failedId, 'failed')
  const { payment_id: latePaymentId } = await anna.call(depositByCard, {
    body: { amount: 2500, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await steer(world, latePaymentId, 'fail')
  await waitForPayment(anna, latePaymentId, 'failed')
  await steer(world, latePaymentId, 'settle')
  await waitForPayment(anna, latePaymentId, 'completed')
  const quote = await anna.call(createQuote, {
    body: { source_currency: 'EUR', target_currency: 'USD', amount: '40.00', side: 'source' },
  })
  const convertedDeposit = await anna.call(depositByCard, {
    body: { amount: 4000, currency: 'eur', quote_id: quote.quote_id },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(convertedDeposit.redirectUrl ?? '')
  await waitForPayment(anna, convertedDeposit.payment_id, 'completed')
  const reference = convertedDeposit.payment_id
  await books.write({ kind: 'refund', amount: money('EUR', 1_301n), reference })
  await books.write({ kind: 'chargeback', amount: money('EUR', 207n), reference })
  await books.write({ kind: 'chargeback_reversal', amount: money('EUR', 207n), reference })
}

/** Pending, paid, failed and returned withdrawals. */
async function createWithdrawals(world: TestApp, anna: TestPerson): Promise<void> {
  const { submitPayout } = world.app.product.payments
  const bankAccountId = await linkAccount(world, anna)
  for (const [amount, actions, status] of [
    ['10.00', [], 'pending'],
    ['11.00', ['pay'], 'completed'],
    ['12.00', ['fail'], 'failed'],
    ['13.00', ['pay', 'return'], 'returned'],
  ] as const) {
    const { payout_id: id } = await anna.call(withdraw, {
      body: { amount, currency: 'USD', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    await submitPayout(id)
    for (const action of actions) await steerPayout(world, id, action)
    await vi.waitFor(async () => expect((await loadStoredPayout(world, id)).status).toBe(status), { timeout: 120_000 })
  }
}

/** Charges back a deposit that is spent already, which causes a loss, and recovers part of it. */
async function reversePayments(world: TestApp, books: TestBooks, emil: TestPerson): Promise<void> {
  await world.fund(emil, 6_000)
  await exchange(emil, 'ETH', '40.00')
  const { rows } = await world.database.pool.query<{ id: string }>('select id from payment where user_id = $1', [
    emil.id,
  ])
  const reference = rows[0]?.id ?? ''
  await books.write({ kind: 'chargeback', amount: money('USD', 6_000n), reference })
  await books.write({ kind: 'chargeback_reversal', amount: money('USD', 4_000n), reference })
}
