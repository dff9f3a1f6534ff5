import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { kycStatus } from '@tern/contract/kyc'
import { submitKyc, type VerificationForm } from '@tern/contract/kyc/verification-form'
import { depositByCard, directPayment } from '@tern/contract/payments'
import { afterAll, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, loadStoredPayout } from '@tern/testkit/banking'
import { startTestDesk, type TestOperator } from '@tern/testkit/desk'
import { generateNationalId } from '@tern/testkit/national-ids'
import { deliver, eventAbout, linkAccount, loadStoredPayment } from '@tern/testkit/payments'
import { confirmEmail, payCheckout } from '@tern/testkit/people'

const desk = await startTestDesk({ events: 'lost' })
const reviewer = await desk.createOperator('reviewer')
const payments = await desk.createOperator('payments')
const lead = await desk.createOperator('lead')
const alice = await desk.world.enroll('alice', 'United States')
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await desk.world.close()
})

const reason = 'Compared with the papers we have.'
const decide = (operator: TestOperator, path: string, verdict: string) =>
  operator.call('POST', `/queues/${path}/decision`, { verdict, reason })

const buildForm = ({ email }: TestPerson, lastName: string): Omit<VerificationForm, 'idNumber'> => {
  return {
    ...{ email, firstName: 'Nils', lastName, dateOfBirth: '1988-06-14', country: 'Germany' },
    ...{ nationality: 'Germany', documentType: 'passport', documentNumber: 'P7654321', currencyPreference: 'EUR' },
    ...{ streetAddress: '1 Weg', city: 'Leipzig', state: 'Sachsen', postalCode: '04109' },
  }
}

/** Creates a person whose form the provider refers to manual review. */
async function submitForReview(name: string, change: object = {}): Promise<{ person: TestPerson; id: string }> {
  const person = await desk.world.enroll(name, null)
  await confirmEmail(person.id, desk.world.database.pool)
  await person.call(submitKyc, {
    params: { id: String(person.id) },
    body: { ...buildForm(person, 'Review'), firstName: name.replaceAll('_', ' '), idNumber: '65929970489', ...change },
  })
  const loadStatus = () => person.call(kycStatus, { params: { id: String(person.id) } })
  await expect.poll(async () => (await loadStatus()).status).toBe('in_review')
  const sql = 'select id from kyc_submission where user_id = $1'
  return { person, id: (await desk.world.database.pool.query<{ id: string }>(sql, [person.id])).rows[0]!.id }
}

test.each([
  ['verify', 'verified', []],
  ['reject', 'rejected', []],
  ['ask_document', 'needs_information', ['documentNumber']],
  ['ask_id_number', 'needs_information', ['idNumber']],
])('a reviewer may %s a form, and its person is notified', async (verdict, status, fields) => {
  const { person, id } = await submitForReview(`${verdict.replace('_', '.')}.person`)
  const { body: list } = await reviewer.call('GET', '/queues/verifications')
  expect(list.items.map((item: { id: string }) => item.id)).toContain(id)
  const { body: queueEntry } = await reviewer.call('GET', `/queues/verifications/${id}`)
  const entryText = JSON.stringify(queueEntry)
  expect(entryText).toContain('1988-06-14')
  expect(entryText, 'numbers stay sealed').not.toMatch(/65929970489|P7654321/)
  expect((await decide(reviewer, `verifications/${id}`, verdict)).body).toEqual({ outcome: 'carried_out', verdict })
  const state = await person.call(kycStatus, { params: { id: String(person.id) } })
  expect([state.status, state.reasons.map(({ field }) => field)]).toEqual([status, fields])
  // A later poll of the provider changes nothing.
  await desk.world.app.product.kyc.resumePending(new Date(Date.now() + 1000))
  expect((await person.call(kycStatus, { params: { id: String(person.id) } })).status).toBe(status)
  expect((await decide(reviewer, `verifications/${id}`, verdict)).status).toBe(404)
  if (verdict === 'verify') expect((await person.wallet()).base_currency).toBe('EUR')
})

test('two operators decide who owns a number, and the other user must verify again', async () => {
  const holder = await desk.world.enroll('holder', 'Germany')
  const loadState = async (person: TestPerson) => person.call(kycStatus, { params: { id: String(person.id) } })
  const { person, id } = await submitForReview('claimant', { lastName: 'Claimant', idNumber: holder.idNumber })
  expect((await loadState(person)).reasons.map(({ code }) => code)).toEqual(['number_in_review'])
  const earlyDecision = await decide(reviewer, `verifications/${id}`, 'verify')
  expect(earlyDecision.body).toEqual({ outcome: 'proposed', verdict: null })
  const refusedDecision = await decide(lead, `verifications/${id}`, 'verify')
  expect(refusedDecision.body).toMatchObject({
    code: 'desk_not_carried_out',
    detail: expect.stringContaining('Another person'),
  })
  expect((await loadState(person)).status).toBe('in_review')
  expect((await decide(reviewer, `verifications/${id}`, 'give_number')).body.outcome).toBe('proposed')
  expect((await loadState(holder)).status).toBe('verified')
  const { timeline } = (await lead.call('GET', `/queues/verifications/${id}`)).body
  const latestDecision = timeline.find(({ act }: { act: string }) => act === 'decided')
  expect(latestDecision, 'blind in the second round too').toMatchObject({
    by: reviewer.name,
    after: null,
    reason: null,
  })
  expect((await decide(lead, `verifications/${id}`, 'give_number')).body.outcome).toBe('carried_out')
  expect((await loadState(person)).status).toBe('verified')
  expect(await loadState(holder)).toMatchObject({
    status: 'needs_information',
    reasons: [{ field: 'idNumber', code: 'number_of_another' }],
    next_step: null,
  })
  const send = { recipient_id: alice.id, amount: '1.00', source_currency: 'EUR' }
  const headers = { 'idempotency-key': randomUUID() }
  const sendAnswer = await desk.world.raw('POST', '/payment/transfer', { token: holder.token, body: send, headers })
  expect(sendAnswer.body.code).toBe('verification_required')
  // The former holder of the number is verified again with a new one.
  const resubmit = (idNumber: string) =>
    holder.call(submitKyc, { params: { id: String(holder.id) }, body: { ...buildForm(holder, 'Holder'), idNumber } })
  await resubmit(generateNationalId('Germany'))
  await expect.poll(async () => (await loadState(holder)).status).toBe('verified')
  await desk.world.app.product.kyc.resumePending(new Date(Date.now() + 1000))
  expect((await loadState(person)).status).toBe('verified')
})

test('an exception shows its facts, and is closed or assigned', async () => {
  const bruno = await desk.world.enroll('bruno', 'Germany')
  const { payment_id: id } = await alice.call(directPayment, {
    body: { amount: 2500, currency: 'usd', recipientId: String(bruno.id), paymentSource: 'card' },
    idempotencyKey: randomUUID(),
  })
  await deliver(desk.world, await eventAbout(desk.world, id, 'checkout.paid', { amount_minor: '1400' }))
  expect((await loadStoredPayment(desk.world, id)).status).toBe('needs_review')
  const { items } = (await payments.call('GET', '/queues/exceptions')).body
  const [{ id: exceptionId }] = items
  const { body } = await payments.call('GET', `/queues/exceptions/${exceptionId}`)
  expect(JSON.stringify(body.sections)).toContain('$14.00 was captured')
  expect(JSON.stringify(body.sections)).toContain(id)
  // The provider's settlement data does not contain the movement yet.
  const earlyDecision = await decide(payments, `exceptions/${exceptionId}`, 'settle')
  expect(earlyDecision.body).toMatchObject({
    code: 'desk_not_carried_out',
    because: expect.stringContaining('have 0 such movements'),
  })
  expect((await payments.call('GET', `/queues/exceptions/${exceptionId}`)).body).toMatchObject({
    state: 'open',
    barred: null,
  })
  expect((await decide(payments, `exceptions/${exceptionId}`, 'close')).body).toMatchObject({ outcome: 'carried_out' })
  expect((await payments.call('GET', '/queues/exceptions')).body.items).toEqual([])
})

test('an exception stays new until an operator opens it', async () => {
  const { rows } = await desk.world.database.pool.query<{ id: string }>(
    `insert into reconciliation_exception (id, kind, provider, subject, amount_minor, currency, detail, opened_at)
     values (gen_random_uuid(), 'missing_internal', 'sandbox', 'unread', 100, 'USD', 'earlier_finding', now()) returning id`,
  )
  const [{ id } = { id: '' }] = rows
  const loadReportedAt = async () =>
    (await desk.world.app.product.payments.exceptions.open()).find((openCase) => openCase.id === id)?.reportedAt
  expect((await payments.call('GET', '/queues')).body.counts).toMatchObject({ exceptions: 1 })
  expect((await payments.call('GET', '/queues/exceptions')).body.items).toMatchObject([{ id }])
  expect(await loadReportedAt()).toBeNull()
  await payments.call('GET', `/queues/exceptions/${id}`)
  expect(await loadReportedAt()).toBeInstanceOf(Date)
  expect((await decide(payments, `exceptions/${id}`, 'close')).body).toMatchObject({ outcome: 'carried_out' })
})

test('an exception of unknown value is closed by two operators', async () => {
  await desk.world.database.pool.query(
    `insert into reconciliation_exception (id, kind, provider, subject, detail, opened_at)
     values (gen_random_uuid(), 'missing_internal', 'sandbox', 'movement', 'missing_internal', now())`,
  )
  const [{ id, needs_two: isFourEyes }] = (await payments.call('GET', '/queues/exceptions')).body.items
  expect(isFourEyes).toBe(true)
  expect((await decide(payments, `exceptions/${id}`, 'close')).body).toMatchObject({ outcome: 'proposed' })
  expect((await decide(lead, `exceptions/${id}`, 'close')).body).toMatchObject({ outcome: 'carried_out' })
})

test('an unanswered payout is polled, and returned only when it cannot be paid', async () => {
  const payer = await desk.world.enroll('petra', 'United States')
  const { payment_id: deposit, redirectUrl } = await payer.call(depositByCard, {
    body: { amount: 5000, currency: 'usd' },
    idempotencyKey: randomUUID(),
  })
  await payCheckout(redirectUrl!)
  await desk.world.app.product.payments.check(deposit)
  const bankAccountId = await linkAccount(desk.world, payer)
  const { payout_id: id } = await payer.call(withdraw, {
    body: { amount: '20.00', currency: 'USD', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  expect((await payments.call('GET', '/queues/payouts')).body.items).toEqual([])
  await desk.world.database.pool.query(`update payout set expected_on = '2020-01-01' where id = $1`, [id])
  expect((await payments.call('GET', '/queues/payouts')).body.items).toMatchObject([{ id, kind: 'payout_pending' }])
  expect((await payments.call('POST', `/queues/payouts/${id}/question`)).status).toBe(204)
  expect((await loadStoredPayout(desk.world, id)).status).toBe('pending')
  const refusedDecision = await decide(payments, `payouts/${id}`, 'release')
  expect(refusedDecision.body, 'the bank may still pay it').toMatchObject({ code: 'desk_not_carried_out' })
  expect((await loadStoredPayout(desk.world, id)).status).toBe('pending')
  await desk.world.database.pool.query(
    `update desk_policy set two_people_above_usd_minor = 1999 where queue = 'payouts'`,
  )
  expect((await decide(payments, `payouts/${id}`, 'release')).body, 'of 20.00 USD').toMatchObject({
    outcome: 'proposed',
  })
})

test('users are found by exact identifiers only', async () => {
  for (const query of [String(alice.id), alice.username, `@${alice.username}`, alice.email.toUpperCase()]) {
    const { person } = (await lead.call('POST', '/people', { who: query })).body
    expect(person).toMatchObject({ id: alice.id, kyc_status: 'verified', country: 'United States' })
    expect(person.balances.map(({ currency }: { currency: string }) => currency)).toContain('USD')
    expect(person.limits.length).toBeGreaterThan(0)
  }
  for (const query of ['alice', alice.email.slice(1), '1234567890', '%']) {
    expect((await lead.call('POST', '/people', { who: query })).body).toEqual({ person: null })
  }
})

test('the treasury page shows the output of the command', async () => {
  const { body } = await payments.call('GET', '/treasury')
  expect(body.positions.map(({ currency }: { currency: string }) => currency)).toContain('EUR')
  expect(body.locked).toMatchObject({
    usd: expect.stringMatching(/^\d+\.\d\d$/),
    max: expect.stringMatching(/^\d+\.\d\d$/),
  })
  const { lines } = (await lead.call('GET', '/log')).body
  expect(lines[1]).toMatchObject({ act: 'read_treasury', by: payments.name })
})
