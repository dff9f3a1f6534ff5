import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBrokenRules } from '@tern/testkit/books/find-broken-rules'
import { recordCaseDecisions, openTestCase } from '@tern/testkit/compliance/cases'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { tables } from '../../../features/list.ts'
import { clearOldRows } from '../../../platform/housekeeping.ts'
import { rules } from '../rules.ts'

// Audit rules that compare times of the product with the database's clock, while the sandbox clock is ahead.

let world: TestApp
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  world = await startTestApp({ unconfirmedPayments: 'any' })
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'United States')
  await world.fund(alice, 50_000)
})
afterAll(() => world.close())

const dayMs = 86_400_000
const usageRule = 'limit usage is what was counted'

async function moveClock(days: number): Promise<void> {
  const { now, providers, exchange } = world.app.product
  await providers.sandboxClock?.set(new Date(now().getTime() + days * dayMs))
  await exchange.refreshRates()
}

const send = () =>
  alice.call(sendMoney, {
    body: { recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })

const findBroken = (damageSql = '') => findBrokenRules(world.database.url, rules, damageSql)
const asSuperuserSql = (damageSql: string) => `set local session_replication_role = replica; ${damageSql}`

/** Restores the state of earlier versions, which did not record usage with a movement. */
const removeQuotaSql = 'update ledger.posting set quota_amount = null; update limit_usage set movements = 0'

test('usage that an earlier version did not record is no fault, though its clock was ahead', async () => {
  await moveClock(60)
  await send()
  expect(await findBroken()).toEqual({})
  expect(await findBroken(asSuperuserSql(removeQuotaSql))).toEqual({})
})

test('an uncounted movement after counted ones is found, regardless of its clock', async () => {
  await send()
  await send()
  const lastPostingSql = `(select id from ledger.posting where quota_amount is not null order by created_at desc limit 1)`
  const damageSql = `update ledger.posting set created_at = created_at - interval '10 years', quota_amount = null where id = ${lastPostingSql}`
  expect((await findBroken(asSuperuserSql(damageSql)))[usageRule]).toContain('a movement counted nothing')
})

test('risk counts that housekeeping deleted under a clock ahead are no fault', async () => {
  await send()
  await moveClock(50)
  const { pool, now } = world.app.product
  const { risk_payee_day: clearedPayeeDays } = await clearOldRows(pool, tables, { now })
  expect(clearedPayeeDays).toBeGreaterThan(0)
  expect(await findBroken()).toEqual({})
  await send()
  const decisionRule = 'what passed without a proof is what was decided'
  expect((await findBroken(asSuperuserSql('delete from risk_payee_day')))[decisionRule]).toContain(
    ': 0 US cents counted, 100 decided',
  )
})

test('a hold for a case that was cleared long ago is found under a clock ahead', async () => {
  const caseId = await openTestCase(world, { userId: BigInt(alice.id), kind: 'pattern', evidence: {} })
  await send()
  await recordCaseDecisions(world, caseId, 'clear')
  const holdReasonRule = 'what is held knows for what, and until when'
  expect(await findBroken()).toEqual({})
  const outdateListsSql = `update screening_policy set is_required = false;
    update row_seal set sealed_at = sealed_at - interval '2 hours' where relation = 'compliance_case'`
  expect((await findBroken(asSuperuserSql(outdateListsSql)))[holdReasonRule]).toContain('without a case')
})
