import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { openLosses } from '@tern/contract/payments/losses'
import { deposit, depositByCard, directPayment, paymentStatus } from '@tern/contract/payments'
import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { LineKind } from '@tern/providers/report/port'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { createTestBooks } from '@tern/testkit/books/books'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { readCode, send } from '@tern/testkit/attacks/attack'
import { decideByTwoOperators } from '@tern/testkit/compliance/cases'
import { openCase, openCases } from '../records/reconciliation-exceptions.ts'

let alice: TestPerson

const world = await openTestApp()
const books = createTestBooks(world)
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
})

/** Deposits money by card and returns the payment's id. */
async function fundUser(minor: number, person = alice): Promise<string> {
  await world.fund(person, minor)
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from payment where user_id = $1 order by created_at desc limit 1',
    [person.id],
  )
  return rows[0]!.id
}

const recordLine = (kind: LineKind, paymentId: string, minor: bigint, currency: CurrencyCode = 'USD') =>
  books.write({ kind, amount: money(currency, minor), reference: paymentId })

const loadStatus = async (paymentId: string, person = alice) =>
  (await person.call(paymentStatus, { params: { id: paymentId } })).status

/** Spends from the wallet's base balance; 1 % fee on top. */
async function spendFunds(amount: string, person = alice): Promise<void> {
  const { base_currency: source } = await person.wallet()
  const { quote_id: quoteId } = await person.call(createQuote, {
    body: { source_currency: source, target_currency: 'USDT', amount, side: 'source' },
  })
  await person.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() })
}

async function loadAccountBalance(name: string): Promise<bigint> {
  const { rows } = await world.database.pool.query<{ balance: bigint }>(
    `select sum(balance) as balance from ledger.account where split_part(name, '#', 1) = $1`,
    [name],
  )
  return rows[0]?.balance ?? 0n
}

async function loadCases(paymentId: string) {
  const { rows } = await world.database.pool.query<{
    kind: string
    amount_minor: bigint
    closed: boolean
    detail: string
    params: object
  }>(
    `select kind, amount_minor, closed_at is not null as closed, detail, params from reconciliation_exception where reference = $1
      order by opened_at, id`,
    [paymentId],
  )
  return rows
}

/** Sets the percentage of events that the sandbox does not send. */
async function setEventLoss(percent: number): Promise<void> {
  const answer = await fetch(`${world.sandboxUrl}/api/control/webhooks`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${world.sandboxSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ drop_percent: percent }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

describe('a chargeback', () => {
  test('takes the money out of the wallet, listed and mailed to the payer', async () => {
    const [card, loss] = [await loadAccountBalance('card:USD'), await loadAccountBalance('loss:USD')]
    const paymentId = await fundUser(10_000)
    await recordLine('chargeback', paymentId, 10_000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await alice.call(paymentStatus, { params: { id: paymentId } })).toMatchObject({
      status: 'reversed',
      captured: true,
    })
    expect(await alice.transactions()).toMatchObject([
      {
        transaction_type: 'WITHDRAW',
        status: 'COMPLETED',
        amount: '100.00',
        description: 'Card payment reversed',
        payment_id: paymentId,
        payment_source: 'card',
      },
      { transaction_type: 'DEPOSIT', amount: '100.00', payment_id: paymentId },
    ])
    expect([await loadAccountBalance('card:USD'), await loadAccountBalance('loss:USD')]).toEqual([card, loss])
    expect(await loadCases(paymentId)).toEqual([])
    const mails = await world.database.pool.query('select template from mail where user_id = $1', [alice.id])
    expect(mails.rows.map(({ template }) => template)).toContain('payment_taken_back')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of partly spent money takes the rest; the shortfall is our loss, with a case', async () => {
    const loss = await loadAccountBalance('loss:USD')
    const paymentId = await fundUser(10_000)
    await spendFunds('30.00')
    await recordLine('chargeback', paymentId, 10_000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect((await alice.transactions())[0]).toMatchObject({ transaction_type: 'WITHDRAW', amount: '69.70' })
    expect((await loadAccountBalance('loss:USD')) - loss).toBe(-3030n)
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 3030n, closed: false }])
    expect((await loadCases(paymentId))[0]).toMatchObject({ detail: 'loss', params: { lost: '30.30 USD' } })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of wholly spent money leaves the payer’s list unchanged', async () => {
    const paymentId = await fundUser(10_100)
    await spendFunds('100.00')
    const transactionsBefore = await alice.transactions()
    await recordLine('chargeback', paymentId, 10_100n)
    expect(await alice.transactions()).toEqual(transactionsBefore)
    expect(await loadStatus(paymentId)).toBe('reversed')
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 10_100n }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('that is won repays our loss first and the wallet with the rest, and closes the case', async () => {
    const loss = await loadAccountBalance('loss:USD')
    const paymentId = await fundUser(10_000)
    await spendFunds('30.00')
    await recordLine('chargeback', paymentId, 10_000n)
    await recordLine('chargeback_reversal', paymentId, 2000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect((await loadAccountBalance('loss:USD')) - loss).toBe(-1030n)
    expect(await loadCases(paymentId)).toMatchObject([{ closed: false }])
    await recordLine('chargeback_reversal', paymentId, 8000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '69.70' })
    expect(await loadAccountBalance('loss:USD')).toBe(loss)
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', closed: true }])
    expect(await loadStatus(paymentId)).toBe('completed')
    expect((await alice.transactions())[0]).toMatchObject({
      transaction_type: 'DEPOSIT',
      amount: '69.70',
      description: 'Card payment won back',
      payment_id: paymentId,
    })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('reported 50 times concurrently, and under 20 other event ids, takes the money once', async () => {
    const paymentId = await fundUser(10_000)
    await world.fund(alice, 5000)
    const line = { id: `dp_${randomUUID()}`, kind: 'chargeback' as const, amount: money('USD', 10_000n) }
    const fullLine = { ...line, reference: paymentId, occurredAt: new Date() }
    const event = randomUUID()
    await Promise.all(Array.from({ length: 50 }, () => books.reportByEvent(fullLine, event)))
    await Promise.all(Array.from({ length: 20 }, () => books.reportByEvent(fullLine)))
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '50.00' })
    expect((await alice.transactions()).filter((row) => row.transaction_type === 'WITHDRAW')).toHaveLength(1)
    expect(await loadCases(paymentId)).toEqual([])
    expect(await loadStatus(paymentId)).toBe('reversed')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('during spending from the wallet takes the balance that is left', async () => {
    const loss = await loadAccountBalance('loss:USD')
    const paymentId = await fundUser(10_000)
    const { mover } = world.app.product
    let spendCount = 0
    // The balance changes between reading and posting.
    const racingBooks = createTestBooks(world, {
      mover: {
        ...mover,
        async moveWithin(tx, request) {
          if (request.movement.kind === 'chargeback' && spendCount === 0) {
            spendCount += 1
            await spendFunds('10.00')
          }
          return mover.moveWithin(tx, request)
        },
      },
    })
    await racingBooks.write({ kind: 'chargeback', amount: money('USD', 10_000n), reference: paymentId })
    expect(spendCount).toBe(1)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect((await loadAccountBalance('loss:USD')) - loss).toBe(-1010n)
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 1010n }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('beside twelve concurrent spends leaves no negative balance and nothing over', async () => {
    const loss = await loadAccountBalance('loss:USD')
    const paymentId = await fundUser(10_000)
    const spendCalls = Array.from({ length: 12 }, () =>
      spendFunds('10.00').then(
        () => 1010n,
        () => 0n,
      ),
    )
    await recordLine('chargeback', paymentId, 10_000n)
    const spentMinor = (await Promise.all(spendCalls)).reduce((sum, spentMinor) => sum + spentMinor, 0n)
    const withdrawal = (await alice.transactions()).find((row) => row.transaction_type === 'WITHDRAW')
    expect((await alice.wallet()).fiat_balance).toBe('0.00')
    expect(BigInt((withdrawal?.amount ?? '0.00').replace('.', '')) + spentMinor).toBe(10_000n)
    expect((await loadAccountBalance('loss:USD')) - loss).toBe(-spentMinor)
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

describe('a converted deposit', () => {
  const loadSystemAccounts = async () => {
    const { rows } = await world.database.pool.query(
      `select split_part(name, '#', 1) as name, sum(balance) as balance from ledger.account
        where kind not in ('wallet', 'hold') group by 1 order by 1`,
    )
    return rows.filter(({ balance }) => balance !== 0n)
  }

  /** Deposits 100.00 EUR and the fee by card into a US dollar wallet; returns the payment and the credited cents. */
  async function convertFunds(): Promise<{ paymentId: string; receivedMinor: bigint }> {
    const { quote_id: quoteId, total } = await alice.call(createQuote, {
      body: { source_currency: 'EUR', target_currency: 'USD', amount: '100.00', side: 'source' },
    })
    expect(total).toBe('101.00')
    const { payment_id: paymentId, redirectUrl } = await alice.call(depositByCard, {
      body: { amount: 10_000, currency: 'eur', quote_id: quoteId },
      idempotencyKey: randomUUID(),
    })
    await payCheckout(redirectUrl!)
    await expect.poll(() => loadStatus(paymentId), { timeout: 120_000 }).toBe('completed')
    return { paymentId, receivedMinor: BigInt((await alice.wallet()).fiat_balance.replace('.', '')) }
  }

  test('is reversed along its own route, fee included, with nothing left over', async () => {
    const accountsBefore = await loadSystemAccounts()
    const { paymentId, receivedMinor } = await convertFunds()
    expect(receivedMinor).toBeGreaterThan(10_000n)
    await recordLine('chargeback', paymentId, 10_100n, 'EUR')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await loadSystemAccounts()).toEqual(accountsBefore)
    expect((await alice.transactions())[0]).toMatchObject({ transaction_type: 'WITHDRAW', source_currency: 'USD' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is reversed in pieces of any size with the same result, never cheaper for the payer', async () => {
    const accountsBefore = await loadSystemAccounts()
    const { paymentId, receivedMinor } = await convertFunds()
    for (const minor of [1n, 3333n, 1n, 777n, 5988n]) {
      await recordLine('refund', paymentId, minor, 'EUR')
      expect(await loadFailedChecks(world)).toEqual([])
    }
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await loadStatus(paymentId)).toBe('reversed')
    expect(await loadSystemAccounts()).toEqual(accountsBefore)
    const withdrawnAmounts = (await alice.transactions())
      .filter((row) => row.transaction_type === 'WITHDRAW')
      .map((row) => row.amount)
    // A cent of euros is worth more than a cent of dollars.
    expect(withdrawnAmounts.at(-1)).toBe('0.02')
    expect(withdrawnAmounts.reduce((sum, amount) => sum + BigInt(amount.replace('.', '')), 0n)).toBe(receivedMinor)
  })

  test('is our loss in the wallet’s currency as far as it was spent, and returns to the same result', async () => {
    const { paymentId, receivedMinor } = await convertFunds()
    const accountsBefore = await loadSystemAccounts()
    await spendFunds('50.00')
    await recordLine('chargeback', paymentId, 10_100n, 'EUR')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 5050n, closed: false }])
    expect(await loadFailedChecks(world)).toEqual([])
    await recordLine('chargeback_reversal', paymentId, 10_100n, 'EUR')
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', closed: true }])
    expect(BigInt((await alice.wallet()).fiat_balance.replace('.', ''))).toBe(receivedMinor - 5050n)
    expect(await loadFailedChecks(world)).toEqual([])
    // Left out of the comparison: the spending changes these accounts.
    const names = new Set([
      'bridge:USD',
      'bridge:USD/USDT',
      'bridge:USDT',
      'bridge:USDT/USDT',
      'fee:USD',
      'rounding:USDT',
    ])
    const filterUntouched = (rows: { name: string }[]) => rows.filter(({ name }) => !names.has(name))
    expect(filterUntouched(await loadSystemAccounts())).toEqual(filterUntouched(accountsBefore))
  })
})

describe('refunds', () => {
  test('in parts are all taken back, even beyond the payment', async () => {
    const paymentId = await fundUser(10_000)
    await world.fund(alice, 5000)
    await recordLine('refund', paymentId, 4000n)
    expect(await loadStatus(paymentId)).toBe('completed')
    await recordLine('refund', paymentId, 5999n)
    expect(await loadStatus(paymentId)).toBe('completed')
    const excessRefund = await recordLine('refund', paymentId, 2n)
    expect(await loadStatus(paymentId)).toBe('reversed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '49.99' })
    await books.reportByEvent(excessRefund)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '49.99' })
    expect(await loadCases(paymentId)).toEqual([])
    expect((await alice.transactions())[1]).toMatchObject({ description: 'Card payment refunded', amount: '59.99' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of another currency, or of no payment of ours, post nothing', async () => {
    const paymentId = await fundUser(10_000)
    await recordLine('refund', paymentId, 100n, 'EUR')
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'unmatched' }])
    for (const reference of [null, 'somebody else’s', randomUUID()]) {
      await books.write({ kind: 'refund', amount: money('USD', 100n), reference })
    }
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of a payment under review stay with the same case', async () => {
    const paymentId = await fundUser(10_000)
    await world.database.pool.query(
      `insert into reconciliation_exception (id, kind, provider, subject, reference, detail, opened_at)
       values ($1, 'unmatched', 'sandbox', $2, $3, 'captured_again', now())`,
      [randomUUID(), `cap_${paymentId}`, paymentId],
    )
    await recordLine('refund', paymentId, 10_000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'unmatched' }, { kind: 'unmatched' }])
  })

  test('of a payment that its provider had not answered for a while are taken back', async () => {
    const paymentId = await fundUser(10_000)
    await world.database.pool.query(
      `insert into reconciliation_exception (id, kind, provider, subject, reference, detail, opened_at)
       values ($1, 'unmatched', 'sandbox', $2, $3, 'payment_unanswered', now())`,
      [randomUUID(), paymentId, paymentId],
    )
    await recordLine('refund', paymentId, 10_000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
  })

  test('of a resolved payment still go to an operator', async () => {
    const paymentId = await fundUser(10_000)
    await world.database.pool.query(
      `insert into reconciliation_exception (id, kind, provider, subject, reference, detail, opened_at, closed_at, resolution, resolved_manually)
       values ($1, 'unmatched', 'sandbox', $2, $3, 'captured_again', now(), now(), 'manual', true)`,
      [randomUUID(), `cap_${paymentId}`, paymentId],
    )
    await recordLine('refund', paymentId, 10_000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ closed: true }, { kind: 'unmatched', closed: false }])
  })

  test.each([['refund', 'Card payment given back'] as const, ['debit_return', 'Card payment given back'] as const])(
    'that failed (%s) return the money, and no more than was taken',
    async (kind, description) => {
      const paymentId = await fundUser(10_000)
      await recordLine(kind, paymentId, 4000n)
      await recordLine('chargeback_reversal', paymentId, 4000n)
      expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
      expect(await loadStatus(paymentId)).toBe('completed')
      expect((await alice.transactions())[0]).toMatchObject({
        transaction_type: 'DEPOSIT',
        amount: '40.00',
        description,
      })
      await expect(recordLine('chargeback_reversal', paymentId, 1n)).rejects.toMatchObject({
        code: 'provider_unavailable',
      })
      expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
      expect(await loadFailedChecks(world)).toEqual([])
    },
  )
})

describe('a refund and a chargeback of the same payment', () => {
  const recordWin = (paymentId: string, minor: bigint, undoes: string) =>
    books.write({ kind: 'chargeback_reversal', amount: money('USD', minor), reference: paymentId, undoes })

  test('are both owed by the payer; winning the chargeback returns only what it took', async () => {
    const paymentId = await fundUser(10_000)
    await recordLine('refund', paymentId, 10_000n)
    const { id } = await recordLine('chargeback', paymentId, 10_000n)
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 10_000n, closed: false }])
    await recordWin(paymentId, 10_000n, id)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', closed: true }])
    expect(await loadStatus(paymentId)).toBe('reversed')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('leave nothing to spend after a partial refund; a win reported once is booked once', async () => {
    const paymentId = await fundUser(10_000)
    await recordLine('refund', paymentId, 4000n)
    const { id } = await recordLine('chargeback', paymentId, 10_000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 4000n, closed: false }])
    const wonReversal = await recordWin(paymentId, 10_000n, id)
    await books.reportByEvent(wonReversal)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '60.00' })
    expect(await loadStatus(paymentId)).toBe('completed')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('are matched separately: a win waits for its own chargeback', async () => {
    const paymentId = await fundUser(10_000)
    await recordLine('refund', paymentId, 10_000n)
    const chargeback = { id: `dp_${randomUUID()}`, kind: 'chargeback', amount: money('USD', 10_000n) } as const
    await expect(recordWin(paymentId, 10_000n, chargeback.id)).rejects.toMatchObject({ code: 'provider_unavailable' })
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    await books.write({ ...chargeback, reference: paymentId })
    await books.reportByEvent(books.lines.at(-2)!)
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', closed: true }])
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a failed refund beside a chargeback is returned as a refund, not as a win', async () => {
    const paymentId = await fundUser(10_000)
    await recordLine('chargeback', paymentId, 6000n)
    const { id } = await recordLine('refund', paymentId, 4000n)
    await recordWin(paymentId, 4000n, id)
    expect((await alice.transactions())[0]).toMatchObject({ description: 'Card payment given back', amount: '40.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a win of more than its chargeback took goes to an operator', async () => {
    const paymentId = await fundUser(10_000)
    await recordLine('refund', paymentId, 5000n)
    const { id } = await recordLine('chargeback', paymentId, 1000n)
    await recordWin(paymentId, 1001n, id)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '40.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'unmatched', amount_minor: 1001n, closed: false }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('of the whole after a partial refund take the rest, and stop the account for what the bank took twice', async () => {
    const bruno = await world.enroll('bruno', 'United States')
    const paymentId = await fundUser(10_000)
    await recordLine('refund', paymentId, 4000n)
    await recordLine('chargeback', paymentId, 10_000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 4000n, closed: false }])
    await world.fund(alice, 5900)
    expect(readCode(await send(alice, bruno, '5.00'))).toBe('loss_open')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test.each([
    ['not named', 0n, undefined],
    ['named', 0n, 'chargeback'],
    ['not named, after the money was spent', 8080n, undefined],
    ['named, after the money was spent', 8080n, 'chargeback'],
  ] as const)(
    'a full refund, a full chargeback and its win (%s) leave nothing to spend',
    async (_, spentMinor, undoneKind) => {
      const paymentId = await fundUser(10_000)
      if (spentMinor > 0n) await spendFunds('80.00')
      await recordLine('refund', paymentId, 10_000n)
      const { id } = await recordLine('chargeback', paymentId, 10_000n)
      await (undoneKind ? recordWin(paymentId, 10_000n, id) : recordLine('chargeback_reversal', paymentId, 10_000n))
      expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
      expect((await alice.call(openLosses, {})).losses).toMatchObject(spentMinor > 0n ? [{ amount: '80.80' }] : [])
      expect(await loadFailedChecks(world)).toEqual([])
    },
  )

  test('a dispute returns what it took once, regardless of other reports', async () => {
    const paymentId = await fundUser(10_000)
    const { id } = await recordLine('chargeback', paymentId, 3000n)
    await recordLine('chargeback', paymentId, 3000n)
    await recordLine('refund', paymentId, 4000n)
    await recordWin(paymentId, 1000n, id)
    await recordWin(paymentId, 2000n, id)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '30.00' })
    await recordWin(paymentId, 3000n, id)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '30.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'unmatched', amount_minor: 3000n, closed: false }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a failed refund does not use up the win of a chargeback', async () => {
    const paymentId = await fundUser(10_000)
    const { id } = await recordLine('refund', paymentId, 4000n)
    await recordLine('chargeback', paymentId, 6000n)
    await recordWin(paymentId, 4000n, id)
    await recordLine('chargeback_reversal', paymentId, 6000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect((await alice.transactions())[0]).toMatchObject({ description: 'Card payment won back', amount: '60.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a win without a name is not taken from a refund while a chargeback waits for an operator', async () => {
    const paymentId = await fundUser(10_000)
    await recordLine('refund', paymentId, 6000n)
    await recordLine('chargeback', paymentId, 5000n, 'EUR')
    await recordLine('chargeback_reversal', paymentId, 5000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '40.00' })
    expect(await loadCases(paymentId)).toMatchObject([
      { kind: 'unmatched' },
      { kind: 'unmatched', amount_minor: 5000n },
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a report that cannot be matched within a day goes to an operator; matched later, it is booked', async () => {
    const paymentId = await fundUser(10_000)
    await recordLine('refund', paymentId, 4000n)
    const chargeback = { id: `dp_${randomUUID()}`, kind: 'chargeback', amount: money('USD', 10_000n) } as const
    const earlyResult = { kind: 'chargeback_reversal', amount: money('USD', 10_000n), undoes: chargeback.id } as const
    const yesterday = new Date(world.app.product.now().getTime() - 86_400_000)
    await expect(books.write({ ...earlyResult, reference: paymentId })).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    const wonReversal = await books.write({ ...earlyResult, reference: paymentId, occurredAt: yesterday })
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '60.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'unmatched', amount_minor: 10_000n, closed: false }])
    const otherCase = { kind: 'unmatched', provider: 'other', subject: wonReversal.id } as const
    await openCase(world.database.pool, { ...otherCase, detail: { code: 'earlier_finding' } }, yesterday)
    await books.write({ ...chargeback, reference: paymentId })
    await books.reportByEvent(wonReversal)
    expect(await openCases(world.database.pool), 'of another provider').toContainEqual(
      expect.objectContaining(otherCase),
    )
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '60.00' })
    expect(await loadCases(paymentId)).toMatchObject([
      { kind: 'unmatched', closed: true },
      { kind: 'loss', closed: true },
    ])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a chargeback that fits no money stops the account until two people have decided', async () => {
    const bruno = await world.enroll('bruno', 'United States')
    const paymentId = await fundUser(10_000)
    const line = await recordLine('chargeback', paymentId, 9200n, 'EUR')
    await books.reportByEvent(line)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    await send(alice, bruno, '59.00')
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '0.00' })
    const { rows } = await world.database.pool.query<{ id: string }>(
      `select id from compliance_case where user_id = $1 and evidence ->> 'rule' = 'reversal_does_not_fit'`,
      [alice.id],
    )
    expect(rows).toHaveLength(1)
    await decideByTwoOperators(world, rows[0]!.id, 'clear')
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '59.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a payment captured twice stops the account once more was charged back than its second capture', async () => {
    const paymentId = await fundUser(10_000)
    await world.database.pool.query(
      `insert into reconciliation_exception (id, kind, provider, subject, reference, detail, amount_minor, currency, opened_at)
       values ($1, 'unmatched', 'sandbox', $2, $3, 'captured_again', 10000, 'USD', now())`,
      [randomUUID(), `cap_${paymentId}`, paymentId],
    )
    const countCases = async () =>
      (await world.database.pool.query('select from compliance_case where user_id = $1', [alice.id])).rowCount
    await recordLine('chargeback', paymentId, 10_000n)
    expect(await countCases()).toBe(0)
    await recordLine('chargeback', paymentId, 10_000n)
    expect(await countCases()).toBe(1)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a win of a chargeback that went to an operator goes to an operator too', async () => {
    const paymentId = await fundUser(10_000)
    const { id } = await books.write({ kind: 'chargeback', amount: money('EUR', 100n), reference: paymentId })
    await recordWin(paymentId, 100n, id)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'unmatched' }, { kind: 'unmatched' }])
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

describe('reports that the sandbox sends by itself', () => {
  test('a refund, a chargeback and its win, a fee and a failed refund leave the whole payment', async () => {
    const paymentId = await fundUser(10_000)
    const waitForBalance = (balance: string) =>
      expect.poll(async () => (await alice.wallet()).fiat_balance).toBe(balance)
    await steer(world, paymentId, 'refund_half')
    await waitForBalance('50.00')
    await steer(world, paymentId, 'charge_fee')
    await steer(world, paymentId, 'dispute')
    await waitForPayment(alice, paymentId, 'reversed')
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 5000n, closed: false }])
    await steer(world, paymentId, 'win_dispute')
    await waitForBalance('50.00')
    await steer(world, paymentId, 'refund')
    await waitForBalance('0.00')
    await steer(world, paymentId, 'fail_refund')
    await waitForBalance('50.00')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a lost dispute moves no further money', async () => {
    const paymentId = await fundUser(10_000)
    await steer(world, paymentId, 'dispute')
    await waitForPayment(alice, paymentId, 'reversed')
    await steer(world, paymentId, 'lose_dispute')
    await world.fund(alice, 100)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '1.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a card payment is disputed, and the dispute is won', async () => {
    const paymentId = await fundUser(10_000)
    await steer(world, paymentId, 'dispute')
    await waitForPayment(alice, paymentId, 'reversed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    await steer(world, paymentId, 'win_dispute')
    await waitForPayment(alice, paymentId, 'completed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a returned bank debit takes the wallet’s remaining balance', async () => {
    const { payment_id: paymentId } = await alice.call(deposit, {
      body: { amount: '80.00', currency: 'USD', method: 'bank', bankAccountId: await linkAccount(world, alice) },
      idempotencyKey: randomUUID(),
    })
    await steer(world, paymentId, 'settle')
    await waitForPayment(alice, paymentId, 'completed')
    await spendFunds('50.00')
    const bank = await loadAccountBalance('bank:USD')
    await steer(world, paymentId, 'return')
    await waitForPayment(alice, paymentId, 'reversed')
    expect((await loadAccountBalance('bank:USD')) - bank).toBe(8000n)
    expect((await alice.transactions())[0]).toMatchObject({
      transaction_type: 'WITHDRAW',
      amount: '29.50',
      description: 'Bank payment returned',
      payment_source: 'bank',
      outside: { kind: 'payment', id: paymentId },
    })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 5050n }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a card-funded transfer stays with its recipient when the card takes it back', async () => {
    const bruno = await world.enroll('bruno', 'Germany')
    const { payment_id: paymentId, redirectUrl } = await alice.call(directPayment, {
      body: { amount: 2500, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'card' },
      idempotencyKey: randomUUID(),
    })
    await payCheckout(redirectUrl!)
    await waitForPayment(alice, paymentId, 'completed')
    await world.fund(alice, 1000)
    await steer(world, paymentId, 'dispute')
    await waitForPayment(alice, paymentId, 'reversed')
    expect(await bruno.wallet()).toMatchObject({ fiat_balance: '23.25' })
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect((await alice.transactions())[0]).toMatchObject({
      transaction_type: 'WITHDRAW',
      amount: '10.00',
      payment_id: paymentId,
    })
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'loss', amount_minor: 1525n }])
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

describe('reports in the wrong order', () => {
  test('a refund before its capture polls the capture, then takes it back', async () => {
    const { payment_id: paymentId, redirectUrl } = await alice.call(depositByCard, {
      body: { amount: 10_000, currency: 'usd' },
      idempotencyKey: randomUUID(),
    })
    const earlyResult = { kind: 'refund', amount: money('USD', 10_000n), reference: paymentId } as const
    const line = await books.write(earlyResult, false)
    await expect(books.reportByEvent(line)).rejects.toMatchObject({ code: 'provider_unavailable' })
    await setEventLoss(100)
    await payCheckout(redirectUrl!)
    await setEventLoss(0)
    expect(await loadStatus(paymentId)).toBe('pending')
    await books.reportByEvent(line)
    expect(await loadStatus(paymentId)).toBe('reversed')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a refund of another currency before the capture stays with a person when the capture comes', async () => {
    const { payment_id: paymentId, redirectUrl } = await alice.call(depositByCard, {
      body: { amount: 10_000, currency: 'usd' },
      idempotencyKey: randomUUID(),
    })
    await recordLine('refund', paymentId, 100n, 'EUR')
    await payCheckout(redirectUrl!)
    await waitForPayment(alice, paymentId, 'completed')
    expect(await loadCases(paymentId)).toMatchObject([{ kind: 'unmatched', closed: false }])
  })

  test('a win reported before its dispute must be sent again, and then counts', async () => {
    const paymentId = await fundUser(10_000)
    const wonLine = await books.write(
      { kind: 'chargeback_reversal', amount: money('USD', 10_000n), reference: paymentId },
      false,
    )
    await expect(books.reportByEvent(wonLine, 'won')).rejects.toMatchObject({ code: 'provider_unavailable' })
    await recordLine('chargeback', paymentId, 10_000n)
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '0.00' })
    await books.reportByEvent(wonLine, 'won')
    expect(await alice.wallet()).toMatchObject({ fiat_balance: '100.00' })
    expect(await loadFailedChecks(world)).toEqual([])
  })
})
