import { randomBytes } from 'node:crypto'
import { disputeOptions, readDispute } from '@tern/contract/disputes/disputes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBrokenRules } from '@tern/testkit/books/find-broken-rules'
import { decideAsOperator, dispute, expireDeadlines, sendTo } from '@tern/testkit/disputes'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'
import { connect } from '../../../platform/database/db.ts'
import { auditRules as disputeRules } from '../audit-rules.ts'
import { businessDaysLater } from '../../payments/payments.ts'
import { createDisputes } from '../disputes.ts'

let desk: TestDesk
let ana: TestOperator
let ben: TestOperator
let bruno: TestPerson

beforeAll(async () => {
  desk = await startTestDesk({ unconfirmedPayments: 'any' })
  ana = await desk.createOperator('payments')
  ben = await desk.createOperator('payments')
  bruno = await desk.world.enroll('bruno', 'United States')
})
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await desk.world.close()
})

const query = async (sql: string, ...values: unknown[]) => (await desk.world.database.pool.query(sql, values)).rows

/** Creates a person with 2,000 units of their currency and one send. */
async function createSender(country: string, amount = '40.00') {
  const person = await desk.world.enroll('alice', country)
  await desk.world.fund(person, 200_000)
  const { base_currency: currency } = await person.wallet()
  return { person, sendId: await sendTo(person, bruno, amount, currency) }
}

const toDay = (at: Date) => at.toISOString().slice(0, 10)

test.each([
  ['Germany', 'DE', 1, 15],
  ['France', 'FR', 1, 15],
  ['United Kingdom', 'GB', 1, 15],
  // A new account: within 30 days of its first deposit.
  ['United States', 'US', 20, 20],
  ['Singapore', 'SG', 21, 21],
] as const)(
  'in %s an unauthorized payment is credited by the country’s legal date',
  async (name, code, creditDays, decideDays) => {
    const { person, sendId } = await createSender(name)
    const startedAt = desk.world.app.product.now()
    const { options } = await person.call(disputeOptions, { params: { id: sendId } })
    const option = options.find(({ kind }) => kind === 'unauthorized')
    const dates = [option?.credit_by, option?.decide_by].map((text) => toDay(new Date(text ?? 0)))
    expect(dates).toEqual([creditDays, decideDays].map((days) => toDay(businessDaysLater(code, startedAt, days))))
  },
)

test('an account in the United States is new for 30 days after its first deposit', async () => {
  const { person, sendId } = await createSender('United States')
  await query('alter table transaction disable trigger user')
  await query(
    `update transaction set created_at = created_at - interval '31 days' where user_id = $1 and kind = 'DEPOSIT'`,
    person.id,
  )
  const openedDispute = await dispute(person, sendId)
  await query(
    `update transaction set created_at = created_at + interval '31 days' where user_id = $1 and kind = 'DEPOSIT'`,
    person.id,
  )
  await query('alter table transaction enable trigger user')
  expect(await query('select is_new_account from dispute where id = $1', openedDispute.id)).toEqual([
    { is_new_account: false },
  ])
  expect(openedDispute.credit_by).toBe(businessDaysLater('US', new Date(openedDispute.opened_at), 10).toISOString())
})

test('operators who suspect fraud stop the credit, two of them above 1,000 dollars, and the audit verifies it', async () => {
  const { person, sendId } = await createSender('Germany', '1500.00')
  const { id } = await dispute(person, sendId)
  expect((await decideAsOperator(desk, ana, id, 'suspect_fraud')).body).toEqual({ outcome: 'proposed', verdict: null })
  expect((await person.call(readDispute, { params: { id } })).credit_by).not.toBeNull()
  expect((await decideAsOperator(desk, ben, id, 'suspect_fraud')).body).toEqual({
    outcome: 'carried_out',
    verdict: 'suspect_fraud',
  })
  await expireDeadlines(desk, id, ['credit_by'])
  await desk.world.app.product.disputes.runDue()
  const stoppedDispute = await person.call(readDispute, { params: { id } })
  expect(stoppedDispute).toMatchObject({ state: 'open', credit_by: null, credits: [] })
  expect(stoppedDispute.events.map(({ code }) => code)).toEqual(['opened', 'credit_stopped'])
  expect((await decideAsOperator(desk, ana, id, 'suspect_fraud')).body).toEqual({ outcome: 'proposed', verdict: null })
  expect((await decideAsOperator(desk, ben, id, 'suspect_fraud')).body).toMatchObject({
    cause: 'dispute_no_credit_due',
  })
  const findBroken = (damageSql: string) =>
    findBrokenRules(desk.world.database.url, disputeRules, `set local session_replication_role = replica; ${damageSql}`)
  const rule = 'a credit that operators stopped is not given'
  expect((await findBroken(`delete from desk_decision where verdict = 'suspect_fraud'`))[rule]).toContain(
    'nobody decided so',
  )
  const creditSql = `insert into dispute_posting (posting_id, dispute_id, kind, transaction_id, amount_minor, currency, at)
    values (gen_random_uuid(), '${id}', 'provisional', gen_random_uuid(), 1, 'EUR', now() + interval '1 minute')`
  expect((await findBroken(creditSql))[rule]).toContain('after its credit was stopped')
  for (const operator of [ana, ben]) await decideAsOperator(desk, operator, id, 'dismiss')
  expect(await person.call(readDispute, { params: { id } })).toMatchObject({ state: 'dismissed' })
})

test('without suspicion the credit is posted at its date, and reversed when the dispute is dismissed', async () => {
  const { person, sendId } = await createSender('Germany')
  const balanceBefore = (await person.wallet()).fiat_balance
  const { id } = await dispute(person, sendId)
  await expireDeadlines(desk, id, ['credit_by'])
  await desk.world.app.product.disputes.runDue()
  expect((await person.wallet()).fiat_balance).toBe('2000.00')
  await decideAsOperator(desk, ana, id, 'dismiss')
  expect((await person.wallet()).fiat_balance).toBe(balanceBefore)
})

test('credit, answer, details and withdrawal of a dispute need one database connection', async () => {
  const { person, sendId } = await createSender('Germany')
  const balanceBefore = (await person.wallet()).fiat_balance
  const { id } = await dispute(person, sendId)
  await expireDeadlines(desk, id, ['credit_by'])
  // A pool of one connection: a second one requested during a transaction would deadlock.
  const pool = connect(desk.world.database.applicationUrl, 1)
  const { app, url: publicUrl } = desk.world
  const secret = randomBytes(32)
  const disputes = createDisputes({ ...app.product, pool, secret, publicUrl, log: { error: () => {} } })
  const ownDispute = { userId: BigInt(person.id), id }
  await disputes.runDue()
  expect((await person.wallet()).fiat_balance).toBe('2000.00')
  expect(await disputes.answer({ ...ownDispute, text: 'I was asleep.' })).toMatchObject({ state: 'open' })
  expect(await disputes.operators.details(id)).toMatchObject({ amountDue: { due: { amount: 0n, fee: 0n } } })
  expect(await disputes.withdraw(ownDispute)).toMatchObject({ state: 'withdrawn' })
  expect((await person.wallet()).fiat_balance).toBe(balanceBefore)
  await pool.end()
})
