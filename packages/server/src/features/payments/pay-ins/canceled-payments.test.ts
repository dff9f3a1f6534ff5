import { randomUUID } from 'node:crypto'
import { paymentMethods } from '@tern/contract/banking'
import { paymentStatus } from '@tern/contract/payments'
import type { ChargeResult } from '@tern/providers/collect/port'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { agePayments } from '../../../../../../tools/aging.ts'
import { openTestCase } from '@tern/testkit/compliance/cases'
import { loadFailedChecks } from '@tern/testkit/banking'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { toCaller, deliver, eventAbout, linkAccount, createPaymentsWith, saveCard } from '@tern/testkit/payments'
import { Refusal } from '../../../platform/refuse.ts'
import type { Payments } from '../payments.ts'

let alice: TestPerson
let bruno: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 1000)
})

const unknownResult = { status: 'unknown', reason: 'lost on the way' } as const
const loadStatus = (id: string) => alice.call(paymentStatus, { params: { id } })
const loadBalances = async () => {
  const { fiat_balance: balance, assets } = await alice.wallet()
  return [balance, assets.find(({ currency }) => currency === 'USD')?.held, (await bruno.wallet()).fiat_balance]
}

async function loadMails(person: TestPerson): Promise<string> {
  const mails = (await (await fetch(`${world.sandboxUrl}/api/mail?to=${person.email}`)).json()) as { text: string }[]
  return mails.map(({ text }) => text).join('\n')
}

async function loadPaymentId(key: string): Promise<string> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from payment where user_id = $1 and idempotency_key = $2',
    [alice.id, key],
  )
  return rows[0]!.id
}

/** Backdates the payments of alice. */
const backdatePayments = (minutes: number) => agePayments(world.database.pool, alice.id, minutes)

/** Saves a card of alice, or updates it with another token. */
async function storeCard(token: string): Promise<string> {
  const card = { fingerprint: `card of ${alice.id}`, brand: 'Visa', last4: '4242', expMonth: 4, expYear: 2031 }
  await saveCard(world, alice, { token, ...card })
  return (await alice.call(paymentMethods, {})).cards[0]!.id
}

/** Creates payments whose charges and debits record their token and return `answer()`, by default `unknown`. */
function createUnansweredPayments(answer: () => Promise<ChargeResult> = () => Promise.resolve(unknownResult)) {
  const tokens: string[] = []
  const payments = createPaymentsWith(world, {
    card: {
      charge: ({ cardToken }) => {
        tokens.push(cardToken)
        return answer()
      },
    },
    bank: {
      debit: ({ accountToken }) => {
        tokens.push(accountToken)
        return answer()
      },
    },
  })
  return { payments, tokens }
}

const settleCode = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  )

/** Begins a send of 25.00 USD from wallet and saved card, or a deposit of 30.00 USD; returns its id and its retry. */
async function startPayment(payments: Payments, purpose: 'send' | 'deposit') {
  const key = randomUUID()
  const attempt =
    purpose === 'send'
      ? async (paymentMethodId: string) =>
          payments.directPayment({
            caller: toCaller(alice),
            body: {
              amount: 2500,
              currency: 'usd',
              recipientId: bruno.id,
              paymentSource: 'wallet_partial',
              paymentMethodId,
            },
            idempotencyKey: key,
            confirmation: undefined,
          })
      : async (bankAccountId: string) =>
          payments.deposit({
            caller: toCaller(alice),
            body: { amount: '30.00', currency: 'USD', method: 'bank', bankAccountId },
            idempotencyKey: key,
            confirmation: undefined,
          })
  const instrumentId = purpose === 'send' ? await storeCard(`card_${key}`) : await linkAccount(world, alice)
  const retryCharge = () => settleCode(attempt(instrumentId))
  expect(await retryCharge()).toBe('provider_unavailable')
  return { id: await loadPaymentId(key), retryCharge }
}

const stopCauses = {
  'froze the account': () =>
    world.database.pool.query('update app_user set frozen_at = now() where id = $1', [alice.id]),
  'is stopped by a case': () => openTestCase(world, { userId: BigInt(alice.id), kind: 'pattern', evidence: {} }),
}

describe.each(['send', 'deposit'] as const)('a %s that a crash kept from the provider', (purpose) => {
  test.each(Object.entries(stopCauses))('fails if its payer %s meanwhile', async (_, stopPayment) => {
    const { payments, tokens } = createUnansweredPayments()
    const { id, retryCharge } = await startPayment(payments, purpose)
    await world.database.pool.query('update payment set submitted_token = null where id = $1', [id])
    await stopPayment()
    await backdatePayments(2)
    await payments.checkPending()
    expect(await loadStatus(id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('was not accepted'),
    })
    expect(await retryCharge()).toBe('payment_refused')
    expect(tokens, 'asked only before').toHaveLength(1)
    expect(await loadBalances(), 'nothing is set aside').toEqual(['10.00', '0.00', '0.00'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('fails on a retry with its key, too', async () => {
    const { payments, tokens } = createUnansweredPayments()
    const { id, retryCharge } = await startPayment(payments, purpose)
    await world.database.pool.query('update payment set submitted_token = null where id = $1', [id])
    await stopCauses['froze the account']()
    expect([await retryCharge(), tokens.length]).toEqual(['payment_refused', 1])
    expect(await loadStatus(id)).toMatchObject({ status: 'failed' })
  })
})

describe.each(['send', 'deposit'] as const)('a %s that the provider never answered', (purpose) => {
  test('is not submitted for its cancellation, nor ever after', async () => {
    const { payments, tokens } = createUnansweredPayments()
    const { id, retryCharge } = await startPayment(payments, purpose)
    expect(tokens).toHaveLength(1)
    const cancel = () => settleCode(payments.cancel({ userId: BigInt(alice.id), paymentId: id }))
    expect([await cancel(), await cancel(), await retryCharge()]).toEqual(Array(3).fill('provider_unavailable'))
    await backdatePayments(5)
    await payments.checkPending()
    expect(await loadStatus(id), 'the answer may be on its way').toMatchObject({ status: 'pending' })
    await backdatePayments(20)
    await payments.checkPending()
    expect(await loadStatus(id)).toMatchObject({
      status: 'failed',
      reason: 'The payment was canceled. If it goes through after all, the money is added to your wallet.',
    })
    await payments.checkPending()
    expect([await cancel(), await retryCharge()]).toEqual(['done', 'payment_refused'])
    expect(tokens).toHaveLength(1)
    expect(await loadBalances()).toEqual(['10.00', '0.00', '0.00'])
    expect((await alice.transactions())[0]).toMatchObject({ status: 'FAILED' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test.each([0, 20])(
    'that is charged all the same becomes the payer’s money, %i minutes after its cancellation',
    async (ageMinutes) => {
      const { payments } = createUnansweredPayments()
      const { id } = await startPayment(payments, purpose)
      expect(await settleCode(payments.cancel({ userId: BigInt(alice.id), paymentId: id }))).toBe(
        'provider_unavailable',
      )
      await backdatePayments(ageMinutes)
      await payments.checkPending()
      const event = await eventAbout(world, id, purpose === 'send' ? 'checkout.paid' : 'debit.paid', {
        session_id: `late_${id}`,
        capture_id: `cap_${id}`,
      })
      for (let repetition = 0; repetition < 2; repetition += 1) expect((await deliver(world, event)).status).toBe(204)
      expect(await loadBalances()).toEqual([purpose === 'send' ? '25.25' : '40.00', '0.00', '0.00'])
      expect(await bruno.transactions()).toEqual([])
      const completedPayments = (await alice.transactions()).filter(
        (transaction) => transaction.payment_id === id && transaction.status === 'COMPLETED',
      )
      expect(completedPayments).toMatchObject([
        { transaction_type: 'DEPOSIT', amount: purpose === 'send' ? '15.25' : '30.00' },
      ])
      expect((await loadStatus(id)).status).toBe(purpose === 'send' ? 'failed' : 'completed')
      const cancelText = purpose === 'send' ? 'You canceled a transfer, and' : 'You canceled a payment, and'
      await vi.waitFor(async () => expect(await loadMails(alice)).toContain(cancelText), { timeout: 120_000 })
      expect(await loadMails(alice)).not.toContain('given up waiting')
      expect(await loadFailedChecks(world)).toEqual([])
    },
  )

  test('and that was never submitted is cancelled at once', async () => {
    const { payments, tokens } = createUnansweredPayments()
    const { id } = await startPayment(payments, purpose)
    // State after a crash between storing the payment and submitting it.
    await world.database.pool.query('update payment set submitted_token = null where id = $1', [id])
    expect(await payments.cancel({ userId: BigInt(alice.id), paymentId: id })).toEqual({ status: 'failed' })
    await backdatePayments(20)
    await payments.checkPending()
    expect(tokens).toHaveLength(1)
    expect(await loadStatus(id)).toMatchObject({ status: 'failed', reason: 'The payment was canceled.' })
    expect(await loadBalances()).toEqual(['10.00', '0.00', '0.00'])
  })

  test('is submitted again with the same token, even if there is a newer one', async () => {
    const { payments, tokens } = createUnansweredPayments()
    const { retryCharge } = await startPayment(payments, purpose)
    await world.database.pool.query('update bank_account set token = $2 where user_id = $1', [alice.id, randomUUID()])
    await storeCard(randomUUID())
    expect(await retryCharge()).toBe('provider_unavailable')
    await backdatePayments(2)
    await payments.checkPending()
    expect(tokens).toHaveLength(3)
    expect(new Set(tokens).size).toBe(1)
  })
})

describe('a charge cancelled while the provider handles it', () => {
  /** Creates payments whose charge is cancelled by its payer before the provider answers. */
  function cancelDuringCharge(
    createCancelResult: () => { status: 'unknown'; reason: string } | { status: 'declined' | 'settled' },
  ) {
    const canceledTokens: string[] = []
    const payments: Payments = createPaymentsWith(world, {
      card: {
        async charge({ paymentId }) {
          expect(await settleCode(payments.cancel({ userId: BigInt(alice.id), paymentId }))).toBe(
            'provider_unavailable',
          )
          return { status: 'created', sessionId: `cs_${paymentId}`, url: 'https://bank.example/confirm' }
        },
        async cancel(sessionId) {
          canceledTokens.push(sessionId)
          const state = createCancelResult()
          const paymentId = sessionId.slice(3)
          if (state.status === 'declined') return { ...state, status: 'declined', paymentId, reason: 'canceled' }
          if (state.status === 'unknown') return { status: 'unknown', reason: 'no answer' }
          const { rows } = await world.database.pool.query('select amount_minor from payment where id = $1', [
            paymentId,
          ])
          const amount = { currency: 'USD', minor: rows[0].amount_minor } as const
          return { status: 'settled', paymentId, amount, captureId: `cap_${paymentId}` }
        },
      },
    })
    return { payments, canceledTokens }
  }
  const send = async (payments: Payments, key: string) => {
    const body = {
      amount: 2500,
      currency: 'usd',
      recipientId: bruno.id,
      paymentSource: 'wallet_partial',
    } as const
    const paymentMethodId = await storeCard(`card_${key}`)
    return payments.directPayment({
      caller: toCaller(alice),
      body: { ...body, paymentMethodId },
      idempotencyKey: key,
      confirmation: undefined,
    })
  }

  test('is cancelled there, and its page is withheld', async () => {
    const { payments, canceledTokens } = cancelDuringCharge(() => ({ status: 'declined' }))
    const key = randomUUID()
    expect(await settleCode(send(payments, key))).toBe('payment_refused')
    const id = await loadPaymentId(key)
    expect(canceledTokens).toEqual([`cs_${id}`])
    expect(await loadStatus(id)).toMatchObject({ status: 'failed', redirectUrl: null })
    expect(await loadBalances()).toEqual(['10.00', '0.00', '0.00'])
  })

  test('is cancelled later if that gets no answer, and sends nothing if it was paid', async () => {
    let state: 'unknown' | 'settled' = 'unknown'
    const { payments, canceledTokens } = cancelDuringCharge(() => ({ status: state, reason: '' }))
    const key = randomUUID()
    expect(await send(payments, key)).toMatchObject({ status: 'pending', redirectUrl: null })
    state = 'settled'
    await backdatePayments(2)
    await payments.checkPending()
    expect(canceledTokens).toHaveLength(2)
    expect(await loadBalances()).toEqual(['25.25', '0.00', '0.00'])
    expect(await loadStatus(await loadPaymentId(key))).toMatchObject({ status: 'failed' })
    expect(await loadFailedChecks(world)).toEqual([])
  })
})
