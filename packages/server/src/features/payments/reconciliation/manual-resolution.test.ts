import { randomUUID } from 'node:crypto'
import { payoutStatus, withdraw } from '@tern/contract/banking'
import { depositByCard, directPayment, paymentStatus } from '@tern/contract/payments'
import { money } from '@tern/money/money'
import type { CollectionState } from '@tern/providers/collect/port'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { openTestApp } from '@tern/testkit/open-test-app'
import { createTestBooks, type TestBooks } from '@tern/testkit/books/books'
import { deliver, eventAbout, linkAccount, findSandbox, loadStoredPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { openCase, openCases } from '../records/reconciliation-exceptions.ts'

let alice: TestPerson
let bruno: TestPerson
let books: TestBooks

// Only events that a test delivers arrive here.
const world = await openTestApp({ events: 'lost' })
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  books = createTestBooks(world)
  const { payment_id: id, redirectUrl } = await alice.call(depositByCard, {
    body: { amount: 1000, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(redirectUrl!)
  await world.app.product.payments.check(id)
})

const because = 'Looked at with the provider.'

async function loadDollars() {
  const usd = (await alice.wallet()).assets.find(({ currency }) => currency === 'USD')
  return [(await alice.wallet()).fiat_balance, usd?.held]
}

/** Statuses of alice's transactions for a payment or payout. */
async function loadStatuses(id: string): Promise<string[]> {
  const transactions = await alice.transactions()
  return transactions.filter(({ payment_id: paymentId }) => paymentId === id).map(({ status }) => status)
}

async function loadCases(id: string) {
  const { rows } = await world.database.pool.query<{ resolution: string | null; resolved_manually: boolean }>(
    'select resolution_note as resolution, resolved_manually from reconciliation_exception where reference = $1 order by opened_at, id',
    [id],
  )
  return rows
}

describe('a send by wallet and card with a wrong captured amount', () => {
  let id: string
  let captureId: string

  beforeEach(async () => {
    const payment = await alice.call(directPayment, {
      body: { amount: 2500, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'wallet_partial' },
      idempotencyKey: randomUUID(),
    })
    id = payment.payment_id
    captureId = `cap_${(await loadStoredPayment(world, id)).session_id}`
    await deliver(world, await eventAbout(world, id, 'checkout.paid', { amount_minor: '1400' }))
    expect((await loadStoredPayment(world, id)).status).toBe('needs_review')
    expect(await loadDollars()).toEqual(['0.00', '10.00'])
  })

  /** Makes the provider report this state of the session from now on. */
  function reportState(state: CollectionState): void {
    const { collect } = findSandbox(world)
    const card = { ...collect.card, lookup: () => Promise.resolve(state) }
    books = createTestBooks(world, { provider: { collect: { ...collect, card } } })
  }

  test('releases the reservation once the money has gone back at the provider, and not before', async () => {
    const { payments } = world.app.product
    await expect(payments.release({ id, because })).rejects.toThrow('may still carry this out')
    reportState({ status: 'unknown', reason: 'busy' })
    await expect(books.payments.release({ id, because })).rejects.toThrow('does not say how it stands: busy')
    const amount = money('USD', 1400n)
    reportState({ status: 'settled', paymentId: id, amount, captureId })
    await expect(books.payments.release({ id, because })).rejects.toThrow('has not gone back')
    await books.write({ id: captureId, kind: 'capture', amount, reference: id }, false)
    await expect(books.payments.release({ id, because })).rejects.toThrow('has not gone back')
    expect(await loadDollars()).toEqual(['0.00', '10.00'])
    const refund = await books.write({ kind: 'refund', amount, reference: id }, false)
    books.isSilent = true
    await expect(books.payments.release({ id, because })).rejects.toThrow('did not return its records')
    books.isSilent = false
    await books.payments.release({ id, because })
    expect(await loadDollars()).toEqual(['10.00', '0.00'])
    expect(await loadStatuses(id)).toEqual(['FAILED'])
    expect(await alice.call(paymentStatus, { params: { id } })).toMatchObject({ status: 'failed', captured: false })
    expect(await loadCases(id)).toEqual([1, 2].map(() => ({ resolution: because, resolved_manually: true })))
    await expect(books.payments.release({ id, because })).rejects.toThrow('has ended')
    // A later report moves nothing.
    await deliver(world, await eventAbout(world, id, 'checkout.paid', { amount_minor: '1400' }))
    await books.reportByEvent(refund)
    expect(await books.payments.reconcile({ until: new Date(Date.now() + 60_000) })).toMatchObject([{ open: [] }])
    expect(await loadDollars()).toEqual(['10.00', '0.00'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is made once the provider’s books have the right amount', async () => {
    const amount = money('USD', (await loadStoredPayment(world, id)).amount_minor)
    const line = { id: captureId, kind: 'capture', reference: id } as const
    await expect(books.payments.settle({ id, because })).rejects.toThrow('have 0 such movements')
    await books.write({ ...line, amount: money('USD', 1400n) }, false)
    await expect(books.payments.settle({ id, because })).rejects.toThrow('is a capture of 14.00 USD')
    books.lines.splice(0, 1)
    await books.write({ ...line, amount }, false)
    await books.payments.settle({ id, because })
    expect(await loadDollars()).toEqual(['0.00', '0.00'])
    expect((await bruno.wallet()).fiat_balance).toBe('23.25')
    expect(await loadStatuses(id)).toEqual(['COMPLETED'])
    expect(await loadCases(id)).toEqual([{ resolution: because, resolved_manually: false }])
    await expect(books.payments.settle({ id, because })).rejects.toThrow('has ended')
    const [report] = await books.payments.reconcile({ until: new Date(Date.now() + 60_000) })
    const sums = report?.sums ?? []
    const captureSum = sums.find(({ currency, kind }) => currency === 'USD' && kind === 'capture')
    expect(captureSum?.here).toBe(captureSum?.there)
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

describe('a send by wallet and card reported with the capture of another payment', () => {
  let id: string
  let captureId: string

  beforeEach(async () => {
    const { rows } = await world.database.pool.query('select capture_id from payment where user_id = $1', [alice.id])
    captureId = rows[0].capture_id
    const payment = await alice.call(directPayment, {
      body: { amount: 2500, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'wallet_partial' },
      idempotencyKey: randomUUID(),
    })
    id = payment.payment_id
    for (let repetition = 0; repetition < 2; repetition += 1) await reportOtherCapture()
    expect(await loadStoredPayment(world, id)).toMatchObject({ status: 'needs_review', capture_id: null })
  })

  const reportOtherCapture = async () =>
    expect((await deliver(world, await eventAbout(world, id, 'checkout.paid', { capture_id: captureId }))).status).toBe(
      204,
    )

  const loadOpenCases = async () =>
    (await openCases(world.database.pool)).filter(({ reference }) => reference === id).map(({ subject }) => subject)

  function simulateOtherCapture(amount: bigint): void {
    const { collect } = findSandbox(world)
    const state = { status: 'settled', paymentId: id, amount: money('USD', amount), captureId } as const
    const card = { ...collect.card, lookup: () => Promise.resolve(state) }
    books = createTestBooks(world, { provider: { collect: { ...collect, card } } })
  }

  test('moves nothing, and opens a case', async () => {
    expect(await loadDollars()).toEqual(['0.00', '10.00'])
    expect((await bruno.wallet()).fiat_balance).toBe('0.00')
    expect((await alice.call(paymentStatus, { params: { id } })).status).toBe('pending')
    expect(await loadOpenCases()).toEqual([`${captureId} for ${id}`])
    await books.payments.reconcile({ until: new Date(Date.now() + 60_000) })
    expect(await loadOpenCases()).toEqual([`${captureId} for ${id}`])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('fails if the provider says so, and a later capture is the payer’s', async () => {
    await deliver(world, await eventAbout(world, id, 'checkout.failed'))
    expect(await loadDollars()).toEqual(['10.00', '0.00'])
    expect(await loadStatuses(id)).toEqual(['FAILED'])
    expect(await loadOpenCases()).toEqual([])
    await deliver(world, await eventAbout(world, id, 'checkout.paid'))
    expect(await loadDollars()).toEqual(['25.25', '0.00'])
    expect((await bruno.wallet()).fiat_balance).toBe('0.00')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is made when the provider names its own capture', async () => {
    await deliver(world, await eventAbout(world, id, 'checkout.paid'))
    expect(await loadDollars()).toEqual(['0.00', '0.00'])
    expect((await bruno.wallet()).fiat_balance).toBe('23.25')
    expect(await loadOpenCases()).toEqual([])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('a corrected amount supersedes earlier provider reports', async () => {
    const otherFields = { amount_minor: '1400', capture_id: `other_${id}` }
    await deliver(world, await eventAbout(world, id, 'checkout.paid', otherFields))
    for (const type of ['checkout.failed', 'checkout.paid']) await deliver(world, await eventAbout(world, id, type))
    expect(await loadDollars()).toEqual(['0.00', '10.00'])
    expect(await loadStoredPayment(world, id)).toMatchObject({ status: 'needs_review' })
    expect((await loadOpenCases()).toSorted()).toEqual([`${captureId} for ${id}`, `other_${id}`].toSorted())
  })

  test('releases the reservation on an operator’s word if the books have no capture of its own', async () => {
    const amount = money('USD', (await loadStoredPayment(world, id)).amount_minor)
    simulateOtherCapture(amount.minor)
    await books.write({ kind: 'capture', amount, reference: id }, false)
    await expect(books.payments.release({ id, because })).rejects.toThrow('has not gone back')
    books.lines.splice(0, 1)
    await books.payments.release({ id, because })
    expect(await loadDollars()).toEqual(['10.00', '0.00'])
    await reportOtherCapture()
    expect(await loadOpenCases(), 'decided').toEqual([])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is made by its own capture, which an operator names', async () => {
    const amount = money('USD', (await loadStoredPayment(world, id)).amount_minor)
    await expect(books.payments.settle({ id, because, lineId: captureId })).rejects.toThrow(captureId)
    const ownLine = await books.write({ kind: 'capture', amount, reference: null }, false)
    await books.payments.settle({ id, because, lineId: ownLine.id })
    expect((await bruno.wallet()).fiat_balance).toBe('23.25')
    expect(await loadOpenCases()).toEqual([])
    await reportOtherCapture()
    expect(await loadOpenCases(), 'told again of a payment that is made').toEqual([`${captureId} for ${id}`])
    await books.write({ kind: 'refund', amount, reference: id })
    expect(await loadStoredPayment(world, id), 'its own money is taken back').toMatchObject({ status: 'reversed' })
    expect(await loadFailedChecks(world)).toEqual([])
  })
})

describe('a withdrawal without an answer to its order', () => {
  let id: string

  beforeEach(async () => {
    const bankAccountId = await linkAccount(world, alice)
    const withdrawal = await alice.call(withdraw, {
      body: { amount: '4.00', currency: 'USD', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    id = withdrawal.payout_id
    expect(await loadDollars()).toEqual(['6.00', '4.00'])
  })

  const openUnansweredCase = () =>
    openCase(
      world.database.pool,
      { kind: 'unmatched', provider: 'sandbox', subject: id, reference: id, detail: { code: 'payout_unanswered' } },
      world.app.product.now(),
    )
  const loadState = async () => (await alice.call(payoutStatus, { params: { id } })).status

  test('is released on an operator’s word, unless there is no case or the books have it', async () => {
    await expect(books.payments.release({ id, because })).rejects.toThrow('No exception is open')
    await expect(books.payments.release({ id: randomUUID(), because })).rejects.toThrow('There is no payment or payout')
    await openUnansweredCase()
    const line = await books.write({ kind: 'payout', amount: money('USD', 400n), reference: id }, false)
    await expect(books.payments.release({ id, because })).rejects.toThrow('has not gone back')
    expect([await loadDollars(), await loadState()]).toEqual([['6.00', '4.00'], 'pending'])
    books.lines.splice(0, 1)
    const outcomes = await Promise.allSettled([
      books.payments.release({ id, because }),
      books.payments.release({ id, because }),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect([await loadDollars(), await loadState(), await loadStatuses(id)]).toEqual([
      ['10.00', '0.00'],
      'failed',
      ['FAILED'],
    ])
    await books.write(line, false)
    await expect(books.payments.settle({ id, because })).rejects.toThrow('has ended')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is not released for being late while it is resubmitted, since the provider may have it', async () => {
    const latePayout = { code: 'payout_late', params: { expected: '2026-01-05' } } as const
    const subject = { kind: 'unmatched', provider: 'sandbox', subject: id, reference: id, detail: latePayout } as const
    await openCase(world.database.pool, subject, world.app.product.now())
    await expect(books.payments.release({ id, because })).rejects.toThrow('may still carry this out')
    expect([await loadDollars(), await loadState()]).toEqual([['6.00', '4.00'], 'pending'])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is settled by the movement that an operator names, if it fits', async () => {
    await openUnansweredCase()
    const amount = money('USD', 400n)
    const namedLine = await books.write({ kind: 'payout', amount, reference: null }, false)
    const wrongLines = [
      { kind: 'payout', amount: money('USD', 401n), reference: null },
      { kind: 'payout', amount: money('EUR', 400n), reference: null },
      { kind: 'capture', amount, reference: null },
      { kind: 'payout', amount, reference: randomUUID() },
    ] as const
    for (const facts of wrongLines) {
      const { id: lineId } = await books.write(facts, false)
      await expect(books.payments.settle({ id, because, lineId })).rejects.toThrow(lineId)
    }
    await expect(books.payments.settle({ id, because })).rejects.toThrow('name one')
    expect([await loadDollars(), await loadState()]).toEqual([['6.00', '4.00'], 'pending'])
    const otherCase = { kind: 'unmatched', provider: 'other', subject: namedLine.id } as const
    await openCase(world.database.pool, { ...otherCase, detail: { code: 'earlier_finding' } }, world.app.product.now())
    await books.payments.settle({ id, because, lineId: namedLine.id })
    expect(await openCases(world.database.pool), 'of another provider').toContainEqual(
      expect.objectContaining(otherCase),
    )
    expect([await loadDollars(), await loadState(), await loadStatuses(id)]).toEqual([
      ['6.00', '0.00'],
      'completed',
      ['COMPLETED'],
    ])
    expect(await loadCases(id)).toEqual([{ resolution: because, resolved_manually: false }])
    expect(await loadFailedChecks(world)).toEqual([])
  })
})
