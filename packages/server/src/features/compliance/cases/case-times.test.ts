import { randomUUID } from 'node:crypto'
import { answerCheck, type Check, checks, objectToCheck } from '@tern/contract/compliance/checks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { settleCall } from '@tern/testkit/banking'
import { findQueueEntry, openTestCase } from '@tern/testkit/compliance/cases'
import { connect, transact } from '../../../platform/database/db.ts'
import { createCases } from '../compliance.ts'

// Deadlines of the account holder's answer, and of operators' decisions about a case or an objection.

let world: TestApp
let person: TestPerson
let caseId: string

beforeAll(async () => {
  world = await startTestApp({ unconfirmedPayments: 'any' })
})
afterAll(() => world.close())
beforeEach(async () => {
  person = await world.enroll('person', 'United States')
  caseId = await openTestCase(world, { userId: BigInt(person.id), kind: 'name_match', evidence: {} })
})

const hourMs = 3_600_000
const text = 'I am not the person you mean.'
const loadCheck = async (): Promise<Check> => (await person.call(checks, {}))[0]!
const answer = () => settleCall(person.call(answerCheck, { params: { id: caseId }, body: { text } }))
const objectToCase = () => settleCall(person.call(objectToCheck, { params: { id: caseId }, body: { text } }))
const decide = async (verdict: 'ask_explanation' | 'ask_document' | 'clear', entry?: string) =>
  world.app.product.cases.decideReview(entry ?? (await findQueueEntry(world, caseId)), verdict, 'Ana')
/** Moves a deadline of the case or of an objection to now. */
const makeTimeDue = (time: 'decide_by' | 'need_by', table = 'compliance_case', id = caseId) =>
  world.database.pool.query(`update ${table} set ${time} = $2 where id = $1`, [id, world.app.product.now()])
const escalate = (queue: 'cases' | 'objections') =>
  transact(world.app.product.pool, (tx) => world.app.product.cases.passDeadlines[queue](tx))
const hoursUntil = (moment: string) => (new Date(moment).getTime() - world.app.product.now().getTime()) / hourMs

test('an unanswered question returns the case to operators with a new deadline, once its own has expired', async () => {
  const { cases } = world.app.product
  await decide('ask_explanation')
  await cases.endUnanswered()
  expect(await loadCheck()).toMatchObject({ need: 'explanation', need_by: expect.any(String) })
  await makeTimeDue('decide_by')
  expect(await escalate('cases'), 'the time is the person’s').toEqual([])
  await makeTimeDue('need_by')
  await cases.endUnanswered()
  const checkAfter = await loadCheck()
  expect(checkAfter).toMatchObject({ state: 'open', need: 'nothing', need_by: null })
  expect(hoursUntil(checkAfter.decide_by)).toBeGreaterThan(1)
  expect(await answer()).toMatchObject({ code: 'nothing_asked' })
  expect(await findQueueEntry(world, caseId)).toEqual(expect.any(String))
})

test('a requested document must be uploaded after the request and not be deleted', async () => {
  const addDocument = (at: Date, isDeleted: boolean) =>
    world.database.pool.query(
      `insert into kyc_document (id, user_id, document_type, content_type, size_bytes, created_at, deleted_at, content)
       values ($1, $2, 'passport', 'image/jpeg', 4, $3::timestamptz, case when $4 then $3::timestamptz end, case when not $4 then 'file'::bytea end)`,
      [randomUUID(), person.id, at, isDeleted],
    )
  const { now } = world.app.product
  await addDocument(new Date(now().getTime() - hourMs), false)
  await decide('ask_document')
  expect(await answer()).toMatchObject({ code: 'file_missing' })
  await addDocument(now(), true)
  expect(await answer()).toMatchObject({ code: 'file_missing' })
  await addDocument(now(), false)
  expect(await answer()).toMatchObject({ need: 'nothing' })
})

test('while an objection is open, only its deadline expires, and extends that of the case', async () => {
  const review = await findQueueEntry(world, caseId)
  await objectToCase()
  await expect(decide('clear', review), 'nobody decides about the case').rejects.toMatchObject({
    code: 'desk_item_closed',
  })
  const objectionId = await findQueueEntry(world, caseId)
  await makeTimeDue('decide_by')
  expect(await escalate('cases')).toEqual([])
  expect(await escalate('objections')).toEqual([])
  await makeTimeDue('decide_by', 'compliance_objection', objectionId)
  const escalatedBefore = await world.app.product.cases.countEscalated()
  expect(await escalate('objections')).toEqual([objectionId])
  expect(await escalate('objections'), 'it has a further one').toEqual([])
  expect(await world.app.product.cases.countEscalated()).toBe(escalatedBefore + 1n)
  const { objection, decide_by: decideBy } = await loadCheck()
  expect(hoursUntil(objection!.decide_by)).toBeGreaterThan(1)
  expect(decideBy).toBe(objection!.decide_by)
})

test('a dismissed objection extends the deadline of the case by the time it took', async () => {
  await objectToCase()
  await makeTimeDue('decide_by')
  await world.app.product.cases.decideObjection(await findQueueEntry(world, caseId), 'dismiss', 'Cleo')
  expect(hoursUntil((await loadCheck()).decide_by)).toBeGreaterThan(1)
})

test('a closed review cannot be decided, and a cleared case cannot be objected to', async () => {
  const first = await findQueueEntry(world, caseId)
  await decide('ask_explanation')
  await answer()
  const second = await findQueueEntry(world, caseId)
  await expect(decide('clear', first)).rejects.toMatchObject({ code: 'desk_item_closed' })
  expect((await loadCheck()).state).toBe('open')
  await decide('clear', second)
  expect(await objectToCase()).toMatchObject({ code: 'objection_not_possible' })
  expect(await loadCheck()).toMatchObject({ state: 'cleared', may_object: false })
})

test('questions, answers, objections and decisions need one database connection', async () => {
  // A pool of one connection: a second one requested during a transaction would deadlock.
  const pool = connect(world.database.applicationUrl, 1)
  const { notifications, identity, now } = world.app.product
  const cases = createCases({ pool, notifications, identity, publicUrl: world.url, now })
  const userId = BigInt(person.id)
  await cases.decideReview(await findQueueEntry(world, caseId), 'ask_explanation', 'Ana')
  await makeTimeDue('need_by')
  await cases.endUnanswered()
  await cases.decideReview(await findQueueEntry(world, caseId), 'ask_explanation', 'Ana')
  expect(await cases.answer(userId, caseId, text)).toMatchObject({ need: 'nothing' })
  expect(await cases.object(userId, caseId, text)).toMatchObject({ objection: { state: 'open' } })
  await cases.decideObjection(await findQueueEntry(world, caseId), 'dismiss', 'Cleo')
  await cases.decideReview(await findQueueEntry(world, caseId), 'clear', 'Ana')
  expect(await cases.list(userId)).toMatchObject([{ id: caseId, state: 'cleared' }])
  await cases.notifyHeld()
  await pool.end()
})
