// Books that contain every money operation of the product, and copies of them for damaging.

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
import { expect, vi } from 'vitest'
import { rules } from '@tern/server/commands/audit/rules'
import { transferRules } from '@tern/server/features/transfers/decision/rules'
import type { TransferRule } from '@tern/server/features/transfers/transfers'
import { dueOn, inDays, order, run, workerAt } from '../schedules.ts'
import { startTestApp, type TestApp, type TestPerson } from '../app.ts'
import { steerPayout, storedPayout } from '../banking.ts'
import { disconnectFrom, findBrokenRules } from './find-broken-rules.ts'
import { createTestBooks, type TestBooks } from './books.ts'
import { objectAndLimit, waitInEveryWay } from './waiting-books.ts'
import { copyDatabase, runOnce, withDatabase } from '../database.ts'
import {
  ask,
  beginAsGuest,
  linkAccount,
  pay,
  quote,
  splitBill,
  steer,
  untilPayment,
  untilReceipt,
} from '../payments.ts'
import { payCheckout } from '../people.ts'

export interface SoundBooks {
  readonly url: string
  /** TERN_SECRET of the product. */
  readonly secret: string
  /** Runs `run` on a copy of the books, which it may change, at its own address. */
  withCopy<T>(run: (url: string) => Promise<T>): Promise<T>
  /**
   * Returns the messages of broken rules, by rule name, after the owner of all tables has run `damage` with every
   * trigger disabled. The damage is rolled back.
   */
  findBroken(damage: string): Promise<Record<string, string>>
  drop(): Promise<void>
}

/** Plays every kind of event once and keeps the database; `withChecks` adds transfers waiting for cases and proofs. */
export async function createSoundBooks({ withChecks = false } = {}): Promise<SoundBooks> {
  const decisions: ReturnType<TransferRule>[] = []
  const rulesOfChecks = withChecks ? transferRules : []
  const world = await startTestApp({ transferRules: [...rulesOfChecks, () => decisions.at(-1)], unproven: 'any' })
  await live(world)
  if (withChecks) await waitInEveryWay(world)
  const payHeld = await payRequests(world)
  const until = new Date(world.app.product.now().getTime() + 86_400_000)
  decisions.push({ outcome: 'hold', reason: 'undo', until })
  await createEveryHold(world)
  await payHeld()
  await decideAtDesk(world)
  await world.close({ keepsDatabase: true })
  const { url } = world.database
  const source = new URL(url).pathname.slice(1)
  const server = withDatabase(url, 'postgres')
  return {
    url,
    secret: world.secret,
    async withCopy(run) {
      const name = `${source}_${randomUUID().slice(0, 8)}`
      await disconnectFrom(url)
      await copyDatabase(server, name, source)
      try {
        return await run(withDatabase(server, name))
      } finally {
        await runOnce(server, `drop database ${name} with (force)`)
      }
    },
    findBroken: (damage) => findBrokenRules(url, rules, `set local session_replication_role = replica; ${damage}`),
    async drop() {
      await runOnce(server, `drop database ${source} with (force)`)
    },
  }
}

/** Two operators reject a held transfer. */
async function decideAtDesk({ database }: TestApp): Promise<void> {
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

async function live(world: TestApp): Promise<void> {
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
  await depositLateAndConverted(world, books, anna)
  await withdrawInEveryWay(world, anna)
  await takeBack(world, books, emil)
  await sendLater(world, anna, carla)
  await orderInEveryWay(world, anna)
  await tradeAtVenue(world)
  await disputeInEveryWay(world, anna)
  await objectAndLimit(world, anna)
}

/** Upholds a dispute about a send, and dismisses one about a withdrawal after a provisional credit. */
async function disputeInEveryWay({ app, database }: TestApp, anna: TestPerson): Promise<void> {
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

/** Buys the product's euro liabilities at a venue. */
async function tradeAtVenue(world: TestApp): Promise<void> {
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

/** Places exchange orders that are open, filled, canceled and never filled, and a rule that has exchanged. */
async function orderInEveryWay(world: TestApp, anna: TestPerson): Promise<void> {
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
      const { rules: made } = await anna.call(protectionRules, {})
      expect(made[0]?.last_action).not.toBeNull()
    },
    { timeout: 120_000 },
  )
  await place('8.00', '9')
  const { id } = await place('9.00', '9')
  await anna.call(cancelOrder, { params: { id } })
}

/** Runs a scheduled send. */
async function sendLater(world: TestApp, anna: TestPerson, carla: TestPerson): Promise<void> {
  const date = inDays(world, 1)
  await order(anna, carla, { next_on: date, amount: '2.00', target_currency: 'USD' })
  await run(workerAt(world, dueOn(date)))
}

/** Sends within a currency and across currencies, with and without a quote, and exchanges. */
async function sendAndExchange(anna: TestPerson, ben: TestPerson, carla: TestPerson): Promise<void> {
  const send = (recipient: TestPerson, amount: string, more: object = {}) =>
    anna.call(sendMoney, {
      body: { recipient_id: recipient.id, amount, source_currency: 'USD', description: 'Lunch', ...more },
      idempotencyKey: randomUUID(),
    })
  await send(carla, '10.00')
  const across = await anna.call(createQuote, {
    body: { source_currency: 'USD', target_currency: 'EUR', amount: '12.00', side: 'source', recipient_id: ben.id },
  })
  await send(ben, '12.00', { quote_id: across.quote_id })
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
 * Pays requests in full, in part and not at all. Returns a function that makes three more payments, for a rule that
 * holds them: one is settled, one canceled and one stays held.
 */
async function payRequests(world: TestApp): Promise<() => Promise<void>> {
  const [rita, paul] = [await world.enroll('rita', 'Germany'), await world.enroll('paul', 'United States')]
  await world.fund(paul, 9000)
  const { parts } = await splitBill(rita, [paul, await world.enroll('pia', 'Germany')])
  await pay(paul, parts[0]?.request.data ?? '')
  const asked = async () => (await ask(rita, { allows_parts: true })).data
  await asked()
  await pay(paul, await asked())
  await pay(paul, await asked(), { amount: '7.00' })
  for (const isPaid of [true, false]) {
    const { receipt, redirect_url: url } = await beginAsGuest(paul, await asked(), {
      ...{ currency: 'EUR', amount: '3.00', expected_total: '3.02' },
    })
    if (isPaid) await payCheckout(url ?? '')
    else await paul.call(cancelGuestPayment, { params: { receipt } })
    await untilReceipt(paul, receipt)
  }
  await payByCard(paul, await asked())
  return async () => {
    for (const end of [settleTransfer, cancelTransfer]) {
      const { transaction_id: id } = await pay(paul, await asked(), { amount: '5.00' })
      await paul.call(end, { params: { id } })
    }
    await pay(paul, await asked(), { amount: '6.00' })
  }
}

async function payByCard(payer: TestPerson, data: string): Promise<void> {
  const { quote_id: quoteId } = await quote(payer, data, { amount: '4.00' })
  const begun = await payer.call(payLinkFromOutside, {
    params: { data },
    body: { method: 'card', quote_id: quoteId },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(begun.redirectUrl ?? '')
  await untilPayment(payer, begun.payment_id, 'completed')
}

/** Creates transfers of every kind that are held, await funding, and have settled or been released. */
async function createEveryHold(world: TestApp): Promise<void> {
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
  const byCard = async (paymentSource: Source, amount: number, to = gina) => {
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
    const funded = await byCard('card', 400)
    await steer(world, funded.payment_id, 'settle')
    await untilPayment(fred, funded.payment_id, 'completed')
    await end(funded.transaction_id)
  }
  await send('4.00')
  await exchangeNow()
  await payOut()
  const captured = await byCard('card', 500)
  await steer(world, captured.payment_id, 'settle')
  await untilPayment(fred, captured.payment_id, 'completed')
  await byCard('wallet_partial', 9000, hans)
}

type Source = 'card' | 'bank' | 'wallet_partial'

/** Sends paid by card, by bank account, or by wallet and card: arrived, failed and late. */
async function payFromOutside(
  world: TestApp,
  { anna, ben, dora }: Record<'anna' | 'ben' | 'dora', TestPerson>,
): Promise<void> {
  const begin = async (person: TestPerson, paymentSource: Source, amount: number, more: object = {}) => {
    const body = { amount, currency: 'usd', recipientId: String(ben.id), paymentSource, description: 'Books', ...more }
    return (await person.call(directPayment, { body, idempotencyKey: randomUUID() })).payment_id
  }
  const byCard = await begin(anna, 'card', 800)
  await steer(world, byCard, 'settle')
  const late = await begin(anna, 'card', 600)
  await steer(world, late, 'fail')
  await untilPayment(anna, late, 'failed')
  await steer(world, late, 'settle')
  const bankAccountId = await linkAccount(world, anna)
  const byBank = await begin(anna, 'bank', 700, { bankAccountId })
  await steer(world, byBank, 'settle')
  const failedDebit = await begin(anna, 'bank', 300, { bankAccountId })
  await steer(world, failedDebit, 'fail')
  await begin(anna, 'bank', 200, { bankAccountId })
  for (const end of ['settle', 'fail'] as const) {
    await world.fund(dora, 500)
    const inPart = await begin(dora, 'wallet_partial', 900)
    await steer(world, inPart, end)
    await untilPayment(dora, inPart, end === 'settle' ? 'completed' : 'failed')
  }
  await begin(dora, 'wallet_partial', 950)
  for (const id of [byCard, byBank]) await untilPayment(anna, id, 'completed')
  await untilPayment(anna, failedDebit, 'failed')
}

/** Deposits by bank that arrive late, and into another currency with a partial reversal. */
async function depositLateAndConverted(world: TestApp, books: TestBooks, anna: TestPerson): Promise<void> {
  const bankAccountId = await linkAccount(world, anna)
  const byBank = async (amount: string) => {
    const body = { amount, currency: 'USD', method: 'bank', bankAccountId } as const
    return (await anna.call(deposit, { body, idempotencyKey: randomUUID() })).payment_id
  }
  const [arrived, failed] = [await byBank('30.00'), await byBank('31.00')]
  await byBank('32.00')
  await steer(world, arrived, 'settle')
  await steer(world, failed, 'fail')
  await untilPayment(anna, arrived, 'completed')
  await untilPayment(anna, failed, 'failed')
  const { payment_id: late } = await anna.call(depositByCard, {
    body: { amount: 2500, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await steer(world, late, 'fail')
  await untilPayment(anna, late, 'failed')
  await steer(world, late, 'settle')
  await untilPayment(anna, late, 'completed')
  const quote = await anna.call(createQuote, {
    body: { source_currency: 'EUR', target_currency: 'USD', amount: '40.00', side: 'source' },
  })
  const converted = await anna.call(depositByCard, {
    body: { amount: 4000, currency: 'eur', quote_id: quote.quote_id },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(converted.redirectUrl ?? '')
  await untilPayment(anna, converted.payment_id, 'completed')
  const reference = converted.payment_id
  await books.write({ kind: 'refund', amount: money('EUR', 1_301n), reference })
  await books.write({ kind: 'chargeback', amount: money('EUR', 207n), reference })
  await books.write({ kind: 'chargeback_reversal', amount: money('EUR', 207n), reference })
}

/** Withdrawals that are pending, paid, failed and returned. */
async function withdrawInEveryWay(world: TestApp, anna: TestPerson): Promise<void> {
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
    await vi.waitFor(async () => expect((await storedPayout(world, id)).status).toBe(status), { timeout: 120_000 })
  }
}

/** Charges back a deposit that was already spent: a loss, of which a part is recovered. */
async function takeBack(world: TestApp, books: TestBooks, emil: TestPerson): Promise<void> {
  await world.fund(emil, 6_000)
  await exchange(emil, 'ETH', '40.00')
  const { rows } = await world.database.pool.query<{ id: string }>('select id from payment where user_id = $1', [
    emil.id,
  ])
  const reference = rows[0]?.id ?? ''
  await books.write({ kind: 'chargeback', amount: money('USD', 6_000n), reference })
  await books.write({ kind: 'chargeback_reversal', amount: money('USD', 4_000n), reference })
}
