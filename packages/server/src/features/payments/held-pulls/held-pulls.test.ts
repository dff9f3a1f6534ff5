import { randomUUID } from 'node:crypto'
import { removeBankAccount } from '@tern/contract/banking'
import { checks } from '@tern/contract/compliance/checks'
import type { DeskSection } from '@tern/contract/desk/queues'
import { createQuote } from '@tern/contract/exchange'
import { deposit, directPayment, paymentStatus } from '@tern/contract/payments'
import { transferStatus } from '@tern/contract/transfers'
import { money } from '@tern/money/money'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, loadMails, nextMail, settleCall, steerPayout, loadStoredPayout } from '@tern/testkit/banking'
import { createTestBooks } from '@tern/testkit/books/books'
import { startTestDesk } from '@tern/testkit/desk'
import { deliver, eventAbout, steer, waitForPayment } from '@tern/testkit/payments'
import { decideAt, findQueueEntry, importNames, buildList } from '@tern/testkit/compliance/cases'
import { loadHolderCases, linkBankAccountWithHolder } from '@tern/testkit/compliance/holders'
import { derivedId } from '../../../platform/ids.ts'

const jointHolder = 'Ottoline Fernsby'

let rosa: TestPerson
let emil: TestPerson
let account: string

const desk = await startTestDesk({ unconfirmedPayments: 'any' })
const world = desk.world
const [ana, ben] = await Promise.all([desk.createOperator('reviewer'), desk.createOperator('reviewer')])
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await world.close()
})
beforeEach(async () => {
  await importNames(world, ['Zebulon Quartermain'])
  rosa = await world.enroll('rosa', 'United States')
  emil = await world.enroll('emil', 'United States')
  account = await linkBankAccountWithHolder(world, rosa, `rosa Tester & ${jointHolder}`)
})

const depositByBank = (key: string = randomUUID()) =>
  rosa.call(deposit, {
    body: { amount: '40.00', currency: 'USD', method: 'bank', bankAccountId: account },
    idempotencyKey: key,
  })
const send = () =>
  rosa.call(directPayment, {
    body: {
      amount: 4000,
      currency: 'usd',
      recipientId: String(emil.id),
      paymentSource: 'bank',
      bankAccountId: account,
    },
    idempotencyKey: randomUUID(),
  })
/** Imports a list that names the joint holder. */
const listJoint = () =>
  world.app.product.compliance.importLists([buildList(['Zebulon Quartermain', jointHolder])], true)
const loadCases = () => loadHolderCases(world, account)
const loadBalance = async () => (await rosa.wallet()).fiat_balance
const loadStatus = (id: string) => rosa.call(transferStatus, { params: { id } })
const findRow = async (id: string) => (await rosa.transactions()).find((row) => row.id === id)
const loadHeldAmount = async () =>
  (
    await world.database.pool.query<{ amount: bigint }>(
      `select coalesce(sum(balance), 0) as amount from ledger.account
        where kind = 'hold' and name like '%' || (select id from wallet where user_id = $1) || '%'`,
      [rosa.id],
    )
  ).rows[0]?.amount
const deriveReturnId = (paymentId: string) => derivedId('return of payment', paymentId)

async function decide(verdict: 'clear' | 'confirm'): Promise<void> {
  const entry = await findQueueEntry(world, (await loadCases()).at(-1)!.id)
  await decideAt(ana, 'cases', entry, verdict)
  expect((await decideAt(ben, 'cases', entry, verdict)).body).toMatchObject({ outcome: 'carried_out' })
}

/** Returns the desk's section of the payment that a case holds. */
async function loadHeldSection(caseId: string): Promise<DeskSection> {
  const { status, body } = await ana.call('GET', `/queues/cases/${await findQueueEntry(world, caseId)}`)
  expect(status).toBe(200)
  return body.sections.find(({ code }: DeskSection) => code === 'held_transfer')
}

/** Orders a deposit that arrives after its account's joint holder was listed. */
async function depositFromListedHolder(): Promise<{ payment_id: string; transaction_id: string }> {
  const deposit = await depositByBank()
  await listJoint()
  await steer(world, deposit.payment_id, 'settle')
  await waitForPayment(rosa, deposit.payment_id, 'completed')
  return { payment_id: deposit.payment_id, transaction_id: deposit.transaction_id! }
}

describe('a debit from an account whose holder may be listed', () => {
  test('is held even if the holder was unknown when it was ordered: the bank is asked on arrival', async () => {
    const { payment_id: paymentId } = await depositByBank()
    const { pool } = world.database
    await pool.query('delete from screening_counterparty where id = $1', [account])
    await pool.query('update bank_account set holder_told = null, holder_asked_at = null where id = $1', [account])
    await listJoint()
    expect(await loadCases(), 'the holder is unknown').toEqual([])
    await steer(world, paymentId, 'settle')
    await waitForPayment(rosa, paymentId, 'completed')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 4000n])
    expect(await loadCases()).toMatchObject([{ state: 'open', stops: 'transfers' }])
  })

  test('is held from its arrival, opens a case in the same transaction, and notifies like any hold', async () => {
    const { payment_id: paymentId, transaction_id: id } = await depositFromListedHolder()
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 4000n])
    const [openedCase, ...otherCases] = await loadCases()
    expect([openedCase, otherCases]).toMatchObject([{ state: 'open', stops: 'transfers', need: 'nothing' }, []])
    expect(await findRow(id)).toMatchObject({
      status: 'PENDING',
      transaction_type: 'DEPOSIT',
      hold_reason: 'compliance',
    })
    // The owner sees that a payment is checked, but not that the joint holder matches a list.
    const check = { id: openedCase!.id, kind: 'payment', telling: 'limited', transfers: [id] }
    const status = await loadStatus(id)
    expect(status).toMatchObject({ kind: 'deposit', state: 'held', payment_id: paymentId })
    expect(status.hold).toMatchObject({ reason: 'compliance', until: openedCase!.decide_by.toISOString(), check })
    expect(await rosa.call(checks, {})).toMatchObject([check])
    const { rows } = await world.database.pool.query(
      `select l.xmin = c.xmin and p.xmin = c.xmin as is_one from compliance_case c
         join compliance_case_transfer l on l.case_id = c.id
         join ledger.posting p on p.reference = l.transfer_id and p.kind = 'deposit_hold' where c.id = $1`,
      [openedCase!.id],
    )
    expect(rows, 'one transaction').toEqual([{ is_one: true }])
    await world.app.product.cases.notifyHeld()
    expect(await nextMail(world, rosa, 'One of your payments is being checked')).toContain('40.00')
    await decide('clear')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['40.00', 0n])
    expect(await findRow(id)).toMatchObject({ status: 'COMPLETED', amount: '40.00' })
    expect((await loadStatus(id)).state).toBe('settled')
  })

  test('is shown at the desk with what a release posts, and with a return that the bank carries out', async () => {
    const { transaction_id: id } = await depositFromListedHolder()
    const { facts, postings } = await loadHeldSection((await loadCases())[0]!.id)
    expect(facts).toContainEqual({ label: 'transfer_id', kind: 'text', text: id })
    expect(facts).toContainEqual({ label: 'on_return', kind: 'code', code: 'release_asks_bank' })
    const amount = { amount: '40.00', currency: 'USD' }
    const [wallet, hold] = ['wallet', 'hold'].map((kind) => ({ account: kind, whose: 'sender' }))
    expect(postings).toMatchObject([
      { when: 'posted', from: wallet, to: hold, ...amount },
      { when: 'on_release', from: hold, to: wallet, ...amount },
    ])
    expect(postings).toHaveLength(2)
  })

  test('returns to the account once two people have confirmed the match, and ends when the bank has it', async () => {
    const { payment_id: paymentId, transaction_id: id } = await depositFromListedHolder()
    await decide('confirm')
    expect((await loadStatus(id)).state).toBe('processing')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 4000n])
    const returnId = deriveReturnId(paymentId)
    await world.app.product.payments.submitPayout(returnId)
    expect(await loadStoredPayout(world, returnId)).toMatchObject({ status: 'pending', bank_account_id: account })
    await steerPayout(world, returnId, 'pay')
    await expect
      .poll(async () => (await loadStoredPayout(world, returnId)).status, { timeout: 120_000 })
      .toBe('completed')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 0n])
    expect(await loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'returned' })
    expect(await findRow(id)).toMatchObject({ status: 'FAILED' })
    expect(await loadMails(world, rosa, /withdrawal/i)).toEqual([])
  })

  test('stays on hold if the bank does not take it back, until settled by a movement that an operator names', async () => {
    const { payment_id: paymentId, transaction_id: id } = await depositFromListedHolder()
    await decide('confirm')
    const returnId = deriveReturnId(paymentId)
    await world.app.product.payments.submitPayout(returnId)
    await steerPayout(world, returnId, 'fail')
    await expect
      .poll(async () => (await loadStoredPayout(world, returnId)).status, { timeout: 120_000 })
      .toBe('needs_review')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 4000n])
    expect((await loadStatus(id)).state).toBe('processing')
    expect((await world.app.product.payments.exceptions.open()).map(({ detail }) => detail.code)).toContain(
      'deposit_not_given_back',
    )
    const { payments } = world.app.product
    const because = 'Paid to the account by hand.'
    await expect(payments.release({ id: returnId, because })).rejects.toThrow('cannot go back to the wallet')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 4000n])
    const books = createTestBooks(world)
    const { id: lineId } = await books.write({ kind: 'payout', amount: money('USD', 4000n), reference: null }, false)
    await books.payments.settle({ id: returnId, because, lineId })
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 0n])
    expect(await loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'returned' })
  })

  test('is reversed without a loss if its bank takes it back meanwhile', async () => {
    const { payment_id: paymentId, transaction_id: id } = await depositFromListedHolder()
    await steer(world, paymentId, 'return')
    await waitForPayment(rosa, paymentId, 'reversed')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 0n])
    expect((await loadStatus(id)).state).toBe('failed')
    expect(await world.app.product.payments.openLosses(BigInt(rosa.id))).toEqual({ losses: [] })
    await decide('confirm')
    await world.app.product.heldTransfers.followCases()
    expect(await loadHeldAmount(), 'nothing is sent back twice').toBe(0n)
  })

  test('for a send holds the money, and the send is not made', async () => {
    const transfer = await send()
    await listJoint()
    await steer(world, transfer.payment_id, 'settle')
    await waitForPayment(rosa, transfer.payment_id, 'failed')
    expect([await loadBalance(), await loadHeldAmount(), (await emil.wallet()).fiat_balance]).toEqual([
      '0.00',
      4020n,
      '0.00',
    ])
    expect((await rosa.call(paymentStatus, { params: { id: transfer.payment_id } })).reason).toContain('being checked')
    await decide('clear')
    expect([await loadBalance(), await loadHeldAmount(), (await emil.wallet()).fiat_balance]).toEqual([
      '40.20',
      0n,
      '0.00',
    ])
  })

  test('for a converted deposit is held unconverted, and converted at its promised price', async () => {
    const euroAccount = await linkBankAccountWithHolder(world, rosa, `rosa Tester & ${jointHolder}`, {
      bank: 'shoal',
      currency: 'EUR',
    })
    const quote = await rosa.call(createQuote, {
      body: { source_currency: 'EUR', target_currency: 'USD', amount: '40.00', side: 'source' },
    })
    const euros = { amount: '40.00', currency: 'EUR', method: 'bank' } as const
    const body = { ...euros, bankAccountId: euroAccount, quote_id: quote.quote_id }
    const startedDeposit = await rosa.call(deposit, { body, idempotencyKey: randomUUID() })
    await listJoint()
    await steer(world, startedDeposit.payment_id, 'settle')
    await waitForPayment(rosa, startedDeposit.payment_id, 'completed')
    expect(await loadBalance()).toBe('0.00')
    const [openedCase] = await loadHolderCases(world, euroAccount)
    const { postings } = await loadHeldSection(openedCase!.id)
    expect(postings?.map(({ when }) => when)).not.toContain('on_return')
    const releasePostings = postings?.filter(({ when }) => when === 'on_release')
    expect(releasePostings?.[0]).toMatchObject({
      from: { account: 'hold' },
      to: { account: 'wallet' },
      currency: 'EUR',
    })
    expect(releasePostings).toContainEqual(
      expect.objectContaining({
        to: { account: 'wallet', whose: 'sender' },
        amount: quote.target_amount,
        currency: 'USD',
      }),
    )
    const entry = await findQueueEntry(world, openedCase!.id)
    for (const operator of [ana, ben]) await decideAt(operator, 'cases', entry, 'clear')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual([quote.target_amount, 0n])
  })

  test('that arrives after the deposit was cancelled is held too', async () => {
    const deposit = await depositByBank()
    const event = await eventAbout(world, deposit.payment_id, 'debit.failed', { reason: 'failed' })
    await deliver(world, event)
    await waitForPayment(rosa, deposit.payment_id, 'failed')
    await listJoint()
    await steer(world, deposit.payment_id, 'settle')
    await waitForPayment(rosa, deposit.payment_id, 'completed')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 4000n])
    await decide('confirm')
    expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 4000n])
  })

  test('waits again if a list names another person before it is credited', async () => {
    const { transaction_id: id } = await depositFromListedHolder()
    const { product } = world.app
    const entry = await findQueueEntry(world, (await loadCases())[0]!.id)
    await decideAt(ana, 'cases', entry, 'clear')
    await product.compliance.importLists([buildList(['Zebulon Quartermain', jointHolder, `Dr ${jointHolder}`])], true)
    await decideAt(ben, 'cases', entry, 'clear')
    expect((await loadStatus(id)).state).toBe('held')
    expect(await loadBalance()).toBe('0.00')
    expect(await loadCases()).toMatchObject([{ state: 'cleared' }, { state: 'open' }])
    await decide('clear')
    expect(await loadBalance()).toBe('40.00')
  })
})

describe('an account whose holder may be listed', () => {
  test('is not debited until its holder is cleared', async () => {
    await listJoint()
    const unavailableError = { code: 'bank_account_unavailable', status: 409 }
    expect(await settleCall(depositByBank())).toMatchObject(unavailableError)
    expect(await settleCall(send())).toMatchObject(unavailableError)
    await decide('clear')
    expect(await depositByBank()).toMatchObject({ status: 'pending' })
  })

  test('is not debited for a payment begun before the list and not yet submitted', async () => {
    const { payment_id: paymentId } = await depositByBank()
    // State after a crash before the debit was submitted.
    await world.database.pool.query('update payment set session_id = null, submitted_token = null where id = $1', [
      paymentId,
    ])
    await listJoint()
    await world.app.product.payments.check(paymentId)
    const { rows } = await world.database.pool.query(
      'select status, session_id, submitted_token from payment where id = $1',
      [paymentId],
    )
    expect(rows).toEqual([{ status: 'failed', session_id: null, submitted_token: null }])
  })

  test('stays linked at its provider while money may have to return there', async () => {
    const { payment_id: paymentId } = await depositFromListedHolder()
    await rosa.call(removeBankAccount, { params: { userId: String(rosa.id), id: account } })
    await decide('confirm')
    await world.app.product.payments.submitPayout(deriveReturnId(paymentId))
    expect((await loadStoredPayout(world, deriveReturnId(paymentId))).provider_payout_id).not.toBeNull()
  })
})

test('a list published while an arrival waits for a lock holds it, beside the rescreening worker', async () => {
  const deposit = await depositByBank()
  const { pool } = world.database
  const otherConnection = await pool.connect()
  try {
    await otherConnection.query('begin')
    await otherConnection.query('select from payment where id = $1 for update', [deposit.payment_id])
    await steer(world, deposit.payment_id, 'settle')
    const blockedSql = `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%payment%for update%'`
    await expect.poll(async () => (await pool.query(blockedSql)).rows[0].count, { timeout: 120_000 }).toBeGreaterThan(0)
    await listJoint()
    await Promise.all([otherConnection.query('commit'), world.app.product.compliance.screenDue()])
  } finally {
    otherConnection.release()
  }
  await waitForPayment(rosa, deposit.payment_id, 'completed')
  expect([await loadBalance(), await loadHeldAmount()]).toEqual(['0.00', 4000n])
  expect(await loadCases()).toMatchObject([{ state: 'open' }])
})

test('a list published while money arrives holds all of it, or takes effect after it', async () => {
  for (let round = 0; round < 2; round += 1) {
    await importNames(world, ['Zebulon Quartermain'])
    const person = await world.enroll('rosa', 'United States')
    const id = await linkBankAccountWithHolder(world, person, `rosa Tester & ${jointHolder}`)
    const body = { amount: '40.00', currency: 'USD', method: 'bank', bankAccountId: id } as const
    const startedDeposit = await person.call(deposit, { body, idempotencyKey: randomUUID() })
    await Promise.all([
      importNames(world, ['Zebulon Quartermain', jointHolder]),
      steer(world, startedDeposit.payment_id, 'settle'),
      world.app.product.compliance.screenDue(),
    ])
    await waitForPayment(person, startedDeposit.payment_id, 'completed')
    const status = await person
      .call(transferStatus, { params: { id: startedDeposit.transaction_id! } })
      .catch(() => undefined)
    const isHeld = status?.state === 'held'
    expect((await person.wallet()).fiat_balance).toBe(isHeld ? '0.00' : '40.00')
    expect(await loadHolderCases(world, id)).toHaveLength(1)
  }
})
