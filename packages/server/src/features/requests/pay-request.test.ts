import { randomUUID } from 'node:crypto'
import { createQuote } from '@tern/contract/exchange'
import { linkAsPayer, payLink, quoteForLink } from '@tern/contract/requests/payment-links'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import { cancelTransfer } from '@tern/contract/transfers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import type { TransferRule } from '../transfers/transfers.ts'
import {
  acceptPaymentLink,
  requestMoney,
  cancel,
  decline,
  loadDetails,
  openLink,
  pay,
  payWithQuote,
  quote,
} from '@tern/testkit/payments'

let rosa: TestPerson
let sam: TestPerson
let tess: TestPerson
let decision: ReturnType<TransferRule>

const world = await openTestApp({ transferRules: [() => decision] })
beforeEach(async () => {
  decision = undefined
  ;[rosa, sam, tess] = await Promise.all([
    world.enroll('rosa', 'Germany'),
    world.enroll('sam', 'United States'),
    world.enroll('tess', 'United States'),
  ])
  await Promise.all([world.fund(sam, 10_000), world.fund(tess, 10_000)])
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const loadBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
const loadReceivedTransactions = async () => await rosa.transactions()
const matchClosedRequest = (reason: string) =>
  expect.objectContaining({ code: 'request_closed', reason: `request_${reason}` })
const catchProblem = async (call: Promise<unknown>) => {
  try {
    return await call
  } catch (error) {
    return (error as { problem: unknown }).problem
  }
}
const setTime = async (at: Date) => {
  await world.app.product.providers.sandboxClock?.set(at)
  await world.app.product.exchange.refreshRates()
}
const addMinutes = (text: string, minutes: number) => new Date(new Date(text).getTime() + minutes * 60_000)

describe('paying a request', () => {
  test('gives the requester exactly the requested amount, in any payer’s currency', async () => {
    const { data, id } = await requestMoney(rosa, { description: 'Poster print' })
    const price = await sam.call(quoteForLink, { params: { data }, body: { source_currency: 'USD' } })
    expect(price).toMatchObject({ target_amount: '20.00', target_currency: 'EUR', source_currency: 'USD' })
    const order = { params: { data }, body: { quote_id: price.quote_id }, idempotencyKey: randomUUID() }
    const paidOutcome = await sam.call(payLink, order)
    expect(paidOutcome).toMatchObject({ status: 'COMPLETED', link: { state: 'paid', remaining_amount: '0.00' } })
    expect(await loadBalance(rosa)).toBe('20.00')
    expect(await loadReceivedTransactions()).toMatchObject([
      { id: paidOutcome.transaction_id, description: 'Poster print', amount: '20.00' },
    ])
    expect(await loadDetails(rosa, id)).toMatchObject({
      state: 'paid',
      paid_amount: '20.00',
      payments: [{ amount: '20.00', paid_amount: price.total, paid_currency: 'USD', state: 'settled' }],
    })
    const ownView = await sam.call(linkAsPayer, { params: { data } })
    expect(ownView).toMatchObject({ role: 'payer', payments: [{ id: paidOutcome.transaction_id }] })
  })

  test('repeated under its key returns the same and moves nothing, also once the request is paid', async () => {
    const { data } = await requestMoney(rosa)
    const [{ quote_id: quoteId }, key] = [await quote(sam, data), randomUUID()]
    const first = await payWithQuote(sam, data, quoteId, key)
    expect(await payWithQuote(sam, data, quoteId, key)).toEqual(first)
    expect(await loadBalance(rosa)).toBe('20.00')
    expect(await settleCall(payWithQuote(sam, data, (await createOtherQuote()).quote_id, key))).toMatchObject({
      code: 'idempotency_key_reused',
    })
  })
  const createOtherQuote = () =>
    sam.call(createQuote, {
      body: { source_currency: 'USD', target_currency: 'EUR', amount: '20.00', side: 'target', recipient_id: rosa.id },
    })

  test('is refused with a quote for another recipient or amount, or of another user', async () => {
    const { data } = await requestMoney(rosa)
    const createQuoteFor = (person: TestPerson, recipient: TestPerson, amount: string) =>
      person.call(createQuote, {
        body: {
          ...{ source_currency: 'USD', amount, side: 'target', recipient_id: recipient.id },
          target_currency: recipient === rosa ? 'EUR' : 'USD',
        },
      })
    const loadOutcome = async (quoteId: string) => catchProblem(payWithQuote(sam, data, quoteId))
    expect(await loadOutcome((await createQuoteFor(sam, tess, '20.00')).quote_id)).toMatchObject({
      code: 'quote_mismatch',
    })
    expect(await loadOutcome((await createQuoteFor(sam, rosa, '19.99')).quote_id)).toMatchObject({
      code: 'parts_not_allowed',
    })
    expect(await loadOutcome((await createQuoteFor(sam, rosa, '20.01')).quote_id)).toMatchObject({
      reason: 'more_than_is_left',
    })
    expect(await loadOutcome((await createQuoteFor(tess, rosa, '20.00')).quote_id)).toMatchObject({ code: 'not_found' })
    expect(await loadBalance(rosa)).toBe('0.00')
    expect(await openLink(sam, data)).toMatchObject({ state: 'open' })
  })

  test('needs a step-up confirmation like any send, and nothing moves before', async () => {
    await world.fund(sam, 50_000)
    const { data } = await requestMoney(rosa, { amount: '200.00' })
    expect(await catchProblem(pay(sam, data))).toMatchObject({ code: 'step_up_required' })
    expect(await openLink(sam, data)).toMatchObject({ state: 'open' })
  })

  test('beyond the balance leaves the request unchanged', async () => {
    const poorPerson = await world.enroll('poor', 'United States')
    await world.fund(poorPerson, 1000)
    const { data } = await requestMoney(rosa)
    expect(await catchProblem(pay(poorPerson, data))).toMatchObject({ code: 'insufficient_funds' })
    expect(await openLink(sam, data)).toMatchObject({ state: 'open', remaining_amount: '20.00' })
  })

  test('is refused to its requester, and to others if it is addressed', async () => {
    const { data } = await requestMoney(rosa, { payer_id: sam.id })
    expect(await catchProblem(quote(rosa, data, { currency: 'EUR' }))).toMatchObject({ code: 'recipient_is_sender' })
    expect(await catchProblem(quote(tess, data))).toMatchObject({ code: 'request_not_for_you' })
    expect(await tess.call(linkAsPayer, { params: { data } })).toMatchObject({ role: 'other', recipient_id: null })
    const { quote_id: quoteId } = await tess.call(createQuote, {
      body: { source_currency: 'USD', target_currency: 'EUR', amount: '20.00', side: 'target', recipient_id: rosa.id },
    })
    expect(await catchProblem(payWithQuote(tess, data, quoteId))).toMatchObject({ code: 'request_not_for_you' })
    expect((await pay(sam, data)).link.state).toBe('paid')
  })
})

/** Transitions that bring a request of Rosa, addressed to Sam, into each state. */
const states: Readonly<Record<string, (request: PaymentRequest) => Promise<unknown>>> = {
  open: async () => undefined,
  accepted: ({ data }) => acceptPaymentLink(sam, data, tomorrow()),
  part_paid: ({ data }) => pay(sam, data, { amount: '5.00' }),
  processing: async ({ data }) => {
    decision = { outcome: 'hold', reason: 'review', until: addMinutes(world.app.product.now().toISOString(), 60) }
    await pay(sam, data)
    decision = undefined
  },
  paid: ({ data }) => pay(sam, data),
  expired: ({ expires_at: at }) => setTime(new Date(at)),
  cancelled: ({ id }) => cancel(rosa, id),
  declined: ({ data }) => decline(sam, data),
}
const tomorrow = () =>
  addMinutes(world.app.product.now().toISOString(), 36 * 60)
    .toISOString()
    .slice(0, 10)

describe('a request in each state', () => {
  const part = { amount: '1.00' }
  test.each([
    // Outcomes: paying the rest, a part (once, or twice concurrently), too late, cancelling.
    ['open', 'paid', 'part_paid', 'request_expired', 'cancelled'],
    ['accepted', 'paid', 'part_paid', 'request_expired', 'cancelled'],
    ['part_paid', 'paid', 'part_paid', 'request_expired', 'cancelled'],
    ['processing', 'request_processing', 'request_processing', 'request_processing', 'request_processing'],
    ['paid', 'request_paid', 'request_paid', 'request_paid', 'request_paid'],
    ['expired', 'request_expired', 'request_expired', 'request_expired', 'request_expired'],
    ['cancelled', 'request_cancelled', 'request_cancelled', 'request_cancelled', 'cancelled'],
    ['declined', 'request_declined', 'request_declined', 'request_declined', 'request_declined'],
  ])(
    '%s: paid, in part, twice concurrently, too late, cancelled',
    async (state, paidOutcome, partialOutcome, lateOutcome, cancelOutcome) => {
      const readOutcome = async (call: Promise<{ state: string } | { link: { state: string } }>) => {
        const answer = await catchProblem(call)
        const { reason, link, state: now } = answer as { reason?: string; link?: { state: string }; state?: string }
        return reason ?? link?.state ?? now
      }
      const createQuotedRequest = async () => {
        const request = await requestMoney(rosa, { payer_id: sam.id, allows_parts: true })
        // Quotes made while the request could be paid.
        const quotes = [await quote(sam, request.data, part), await quote(sam, request.data, part)]
        await states[state]?.(request)
        return { request, quotes }
      }
      const firstRequest = await createQuotedRequest()
      expect(await readOutcome(cancel(rosa, firstRequest.request.id))).toBe(cancelOutcome)
      const secondRequest = await createQuotedRequest()
      expect(await readOutcome(payWithQuote(sam, secondRequest.request.data, secondRequest.quotes[0]!.quote_id))).toBe(
        partialOutcome,
      )
      const thirdRequest = await createQuotedRequest()
      const doublePayments = await Promise.all(
        thirdRequest.quotes.map(({ quote_id: id }) => readOutcome(payWithQuote(sam, thirdRequest.request.data, id))),
      )
      expect(doublePayments).toEqual([partialOutcome, partialOutcome])
      const fourthRequest = await createQuotedRequest()
      expect(await readOutcome(pay(sam, thirdRequest.request.data))).toBe(paidOutcome)
      await setTime(new Date(fourthRequest.request.expires_at))
      expect(await readOutcome(payWithQuote(sam, fourthRequest.request.data, fourthRequest.quotes[0]!.quote_id))).toBe(
        lateOutcome,
      )
      const { paid_amount: total, payments } = await loadDetails(rosa, thirdRequest.request.id)
      const settledAmounts = payments.filter((payment) => payment.state === 'settled').map(({ amount }) => amount)
      const parseCents = (text: string) => BigInt(text.replace('.', ''))
      expect(parseCents(total)).toBe(settledAmounts.map(parseCents).reduce((sum, amount) => sum + amount, 0n))
    },
  )
})

describe('many payers of one request', () => {
  test('fifty concurrent ones: one pays, forty-nine are refused', async () => {
    const payers: TestPerson[] = []
    // One network allows only a few concurrent registrations.
    while (payers.length < 50) {
      payers.push(...(await Promise.all(Array.from({ length: 5 }, () => world.enroll('crowd', 'United States')))))
    }
    await Promise.all(payers.map((person) => world.fund(person, 5000)))
    const { data, id } = await requestMoney(rosa)
    const quotes = await Promise.all(payers.map((person) => quote(person, data)))
    const outcomes = await Promise.all(
      payers.map((person, index) => catchProblem(payWithQuote(person, data, quotes[index]!.quote_id))),
    )
    const winners = outcomes.filter((outcome) => (outcome as { status?: string }).status === 'COMPLETED')
    expect(winners).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome !== winners[0])).toEqual(Array(49).fill(matchClosedRequest('paid')))
    expect(await loadBalance(rosa)).toBe('20.00')
    expect((await loadDetails(rosa, id)).payments).toHaveLength(1)
    const balances = await Promise.all(payers.map(loadBalance))
    expect(balances.filter((balance) => balance === '50.00')).toHaveLength(49)
  })

  test('concurrent parts never exceed the requested amount', async () => {
    const { data, id } = await requestMoney(rosa, { allows_parts: true })
    const payers = [sam, tess, sam, tess, sam, tess]
    const quotes = await Promise.all(payers.map((person) => quote(person, data, { amount: '6.00' })))
    const outcomes = await Promise.all(
      payers.map((person, index) => catchProblem(payWithQuote(person, data, quotes[index]!.quote_id))),
    )
    expect(outcomes.filter((outcome) => (outcome as { status?: string }).status === 'COMPLETED')).toHaveLength(3)
    expect(await loadDetails(rosa, id)).toMatchObject({
      state: 'part_paid',
      paid_amount: '18.00',
      remaining_amount: '2.00',
    })
    await pay(tess, data)
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'paid', paid_amount: '20.00' })
    expect(await loadBalance(rosa)).toBe('20.00')
  })

  test('with a concurrent cancellation: it is paid or cancelled, never both', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { data, id } = await requestMoney(rosa, { amount: '1.00' })
      const { quote_id: quoteId } = await quote(sam, data)
      const [paidOutcome, cancelOutcome] = await Promise.all([
        catchProblem(payWithQuote(sam, data, quoteId)),
        catchProblem(cancel(rosa, id)),
      ])
      const { state, payments } = await loadDetails(rosa, id)
      const isPaid = state === 'paid'
      expect(payments).toHaveLength(isPaid ? 1 : 0)
      expect(isPaid ? cancelOutcome : paidOutcome).toEqual(matchClosedRequest(isPaid ? 'paid' : 'cancelled'))
    }
  })
})

describe('a held payment', () => {
  const hold = () => {
    decision = { outcome: 'hold', reason: 'review', until: addMinutes(world.app.product.now().toISOString(), 60) }
  }
  const operator = { name: 'nora', note: 'checked' }

  test('blocks other payers, and pays the request once it settles', async () => {
    const { data, id } = await requestMoney(rosa)
    const { quote_id: otherQuoteId } = await quote(tess, data)
    hold()
    const { transaction_id: transactionId, status } = await pay(sam, data)
    expect(status).toBe('PENDING')
    decision = undefined
    expect(await catchProblem(payWithQuote(tess, data, otherQuoteId))).toEqual(matchClosedRequest('processing'))
    expect(await loadReceivedTransactions()).toEqual([])
    await world.app.product.heldTransfers.decideForOperator({ operator, id: transactionId, decision: 'settle' })
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'paid', payments: [{ state: 'settled' }] })
    expect(await loadBalance(rosa)).toBe('20.00')
  })

  test('frees the request once it is released', async () => {
    const { data, id } = await requestMoney(rosa)
    hold()
    const { transaction_id: transactionId } = await pay(sam, data)
    decision = undefined
    await sam.call(cancelTransfer, { params: { id: transactionId } })
    expect(await loadDetails(rosa, id)).toMatchObject({ state: 'open', remaining_amount: '20.00', payments: [] })
    expect((await pay(tess, data)).link.state).toBe('paid')
    expect(await loadBalance(sam)).toBe('100.00')
  })
})

test('a request can be paid until the moment it expires, and not from then on', async () => {
  const { data, expires_at: end } = await requestMoney(rosa, { expires_in_days: 1 })
  await setTime(new Date(new Date(end).getTime() - 2000))
  const { quote_id: quoteId } = await quote(sam, data)
  await setTime(new Date(end))
  expect(await catchProblem(payWithQuote(sam, data, quoteId))).toEqual(matchClosedRequest('expired'))
  expect(await openLink(sam, data)).toMatchObject({ state: 'expired' })
  const { data: otherData } = await requestMoney(rosa, { expires_in_days: 1 })
  expect((await pay(sam, otherData)).link.state).toBe('paid')
})
