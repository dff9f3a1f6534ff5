import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { answerCheck, type Check, checks, objectToCheck } from '@tern/contract/compliance/checks'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { notifications } from '@tern/contract/notifications/notifications'
import { dataAccesses } from '@tern/contract/privacy/privacy'
import { cancelTransfer, settleTransfer, transferStatus } from '@tern/contract/transfers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp, TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'
import { transact } from '../../../platform/database/db.ts'
import { linkAccount } from '@tern/testkit/payments'
import { decideAt, findQueueEntry, importNames, openTestCase, send } from '@tern/testkit/compliance/cases'

let desk: TestDesk
let world: TestApp
let operators: TestOperator[]
let ana: TestOperator
let ben: TestOperator
let cleo: TestOperator
let dov: TestOperator
let bruno: TestPerson

beforeAll(async () => {
  desk = await startTestDesk({ unconfirmedPayments: 'any' })
  world = desk.world
  operators = await Promise.all(Array.from({ length: 4 }, () => desk.createOperator('reviewer')))
  ;[ana, ben, cleo, dov] = operators as [TestOperator, TestOperator, TestOperator, TestOperator]
  bruno = await world.enroll('bruno', 'United States')
})
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await world.close()
})

const listedIds: string[] = []
/** Creates a funded user whose name is on a list, and returns them with the case about them. */
async function createListedPerson(name: string): Promise<{ person: TestPerson; caseId: string }> {
  const person = await world.enroll(name, 'United States')
  await world.fund(person, 50_000)
  return { person, caseId: await listName(person, `${name} Tester`) }
}

/** Lists a name that matches a person, and returns the case about them. */
async function listName({ id }: TestPerson, name: string): Promise<string> {
  listedIds.push(name)
  await importNames(world, listedIds)
  const sql = `select id from compliance_case where user_id = $1 and kind = 'name_match'`
  return (await world.database.pool.query<{ id: string }>(sql, [id])).rows[0]!.id
}

const loadStatus = (person: TestPerson, id: string) => person.call(transferStatus, { params: { id } })
const loadCheck = async (person: TestPerson, id: string): Promise<Check> => (await loadStatus(person, id)).hold!.check!
const loadDollars = async (person: TestPerson) => {
  const usd = (await person.wallet()).assets.find(({ currency }) => currency === 'USD')
  return [usd?.available, usd?.held]
}
const listTransactions = async (person: TestPerson) => await person.transactions()
const listNotifications = async (person: TestPerson) => {
  const { needs_action: neededActions, notifications: otherNotices } = await person.call(notifications, { query: {} })
  return [...neededActions, ...otherNotices].map(({ code, params }) => [code, params] as const)
}
const text = 'I am not the person you mean.'
/** SQL: database sessions that are blocked while they record a decision. */
const lockWaitSql = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%desk_item%'`

describe('a listed person', () => {
  test('cannot send, exchange, withdraw or cancel held payments', async () => {
    const { person, caseId } = await createListedPerson('wolfgang')
    const sentTransfer = await send(person, bruno, '20.00')
    expect(sentTransfer.status).toBe('PENDING')
    const { hold } = await loadStatus(person, sentTransfer.transaction_id)
    expect(hold).toMatchObject({ reason: 'compliance', decided_by: 'operator', at_deadline: 'escalate' })
    expect(hold!.check).toMatchObject({
      ...{ id: caseId, kind: 'name', state: 'open', need: 'nothing', telling: 'full', may_object: true },
      ...{ objection: null, transfers: [sentTransfer.transaction_id] },
    })
    expect(hold!.until).toBe(hold!.check!.decide_by)

    const [from, to] = ['USD', 'BTC'] as const
    const { quote_id: quote } = await person.call(createQuote, {
      body: { source_currency: from, target_currency: to, amount: '10.00', side: 'source' },
    })
    const exchange = await person.call(exchangeMoney, { body: { quote_id: quote }, idempotencyKey: randomUUID() })
    expect(exchange.transaction.status).toBe('PENDING')
    const bankAccountId = await linkAccount(world, person)
    const body = { amount: '30.00', currency: 'USD', userId: person.id, bankAccountId } as const
    const withdrawal = await person.call(withdraw, { body, idempotencyKey: randomUUID() })
    const payoutRow = await world.database.pool.query('select status from payout where id = $1', [withdrawal.payout_id])
    expect(payoutRow.rows, 'not ordered at the bank').toEqual([{ status: 'held' }])

    for (const id of [sentTransfer.transaction_id, exchange.transaction_id, withdrawal.transaction_id]) {
      expect(await settleCall(person.call(cancelTransfer, { params: { id } }))).toMatchObject({
        code: 'not_cancelable',
      })
      expect(await settleCall(person.call(settleTransfer, { params: { id } }))).toMatchObject({
        code: 'transfer_not_held',
      })
      expect((await loadCheck(person, id)).id).toBe(caseId)
    }
    const holdReasons = (await listTransactions(person)).flatMap(({ status, hold_reason: reason }) =>
      status === 'PENDING' ? [reason] : [],
    )
    expect(holdReasons, 'as its list says').toEqual(['compliance', 'compliance', 'compliance'])
    await world.app.product.heldTransfers.endDue()
    expect(await listTransactions(bruno), 'nothing is told to whom it is for').toEqual([])
  })

  test('is notified once of each held transfer', async () => {
    const { person } = await createListedPerson('xaveria')
    const { transaction_id: id } = await send(person, bruno, '21.00')
    await Promise.all([1, 2, 3].map(() => world.app.product.cases.notifyHeld()))
    const notificationList = await listNotifications(person)
    expect(notificationList.filter(([code]) => code === 'check_holds')).toEqual([
      ['check_holds', { amount: '21.11', currency: 'USD', until: (await loadCheck(person, id)).decide_by }],
    ])
    const mails = await world.database.pool.query(`select from mail where user_id = $1 and template = 'check_holds'`, [
      person.id,
    ])
    expect(mails.rowCount).toBe(1)
  })

  test('receives nothing, and senders only learn that the payment is checked', async () => {
    const { person, caseId } = await createListedPerson('yolanda')
    const payer = await world.enroll('payer', 'United States')
    await world.fund(payer, 10_000)
    const { pool } = world.database
    const twentyDaysSql = `interval '20 days' where id = $1`
    await pool.query(`update compliance_case set opened_at = opened_at - ${twentyDaysSql}`, [caseId])
    const { transaction_id: id, transaction } = await send(payer, person)
    const check = await loadCheck(payer, id)
    expect(check).toMatchObject({ id: caseId, kind: 'payment', telling: 'limited', need: 'nothing', transfers: [id] })
    expect(check.opened_at, 'not when people began to look at somebody else').toBe(transaction.timestamp)
    expect(await payer.call(checks, {})).toEqual([check])
    expect(await settleCall(payer.call(answerCheck, { params: { id: caseId }, body: { text } }))).toMatchObject({
      code: 'nothing_asked',
    })
    const first = await ana.call('GET', `/queues/cases/${await findQueueEntry(world, caseId)}`)
    expect(first.status).toBe(200)
    expect(await decideAt(ana, 'cases', await findQueueEntry(world, caseId), 'confirm')).toMatchObject({
      body: { outcome: 'proposed' },
    })
    expect(await decideAt(ben, 'cases', await findQueueEntry(world, caseId), 'confirm')).toMatchObject({
      body: { outcome: 'carried_out' },
    })
    expect(await loadStatus(payer, id), 'back with its sender').toMatchObject({ state: 'released' })
    expect(await loadDollars(payer)).toEqual(['100.00', '0.00'])
    await pool.query(`update compliance_case set decided_at = decided_at - ${twentyDaysSql}`, [caseId])
    const [endedCheck] = await payer.call(checks, {})
    expect([endedCheck!.opened_at, endedCheck!.decided_at], 'nor when they ended').toEqual([
      check.opened_at,
      check.opened_at,
    ])
  })
})

describe('clearing a name', () => {
  test('by two operators releases held payments, and the same entry opens no other case', async () => {
    const { person, caseId } = await createListedPerson('zacharias')
    const { transaction_id: id } = await send(person, bruno, '25.00')
    const entry = await findQueueEntry(world, caseId)
    const { body: caseEntry } = await ana.call('GET', `/queues/cases/${entry}`)
    expect(caseEntry.needs_two, 'whatever it is worth').toBe(true)
    const match = caseEntry.sections.find(({ code }: { code: string }) => code === 'match')
    expect(match.comparison).toMatchObject({
      ...{
        own: { label: 'side_user', name: 'zacharias Tester' },
        other: { label: 'list_pep', name: 'zacharias Tester' },
      },
      ...{ score: { basis_points: 10_000 }, status: 'match_open' },
    })
    const comparisonRows = match.comparison.rows.map(({ label, compared: comparedAs }: Record<string, string>) => [
      label,
      comparedAs,
    ])
    expect(comparisonRows).toEqual([
      ...[
        ['name', 'same'],
        ['listed_as', 'same'],
        ['aliases', 'not_given'],
        ['listed_kind', 'same'],
      ],
      ...[
        ['date_of_birth', 'same'],
        ['nationality', 'same'],
        ['residence', 'same'],
      ],
      ...[
        ['document_type', 'not_comparable'],
        ['programme', 'not_comparable'],
      ],
    ])

    await decideAt(ana, 'cases', entry, 'clear')
    expect(await decideAt(ana, 'cases', entry, 'clear')).toMatchObject({ body: { code: 'desk_decided_already' } })
    expect(await loadStatus(person, id)).toMatchObject({ state: 'held' })
    expect(await decideAt(ben, 'cases', entry, 'clear')).toMatchObject({ body: { outcome: 'carried_out' } })
    expect(await loadStatus(person, id)).toMatchObject({ state: 'settled' })
    expect((await listTransactions(person))[0]).toMatchObject({ status: 'COMPLETED', hold_reason: null })
    expect((await listTransactions(bruno)).map(({ id: receivedId }) => receivedId)).toContain(id)
    expect(await listNotifications(person)).toContainEqual(['check_decided', { state: 'cleared' }])
    expect((await person.call(checks, {})).map(({ state }) => state)).toEqual(['cleared'])

    await importNames(world, listedIds)
    expect(await send(person, bruno, '1.00')).toMatchObject({ status: 'COMPLETED' })
  })

  test('shows the name in its own script, if it is the one that matches', async () => {
    const localName = 'Аркадий Жеребцовский'
    const person = await world.enroll('anton', 'United States', { localName })
    const entry = await findQueueEntry(world, await listName(person, 'Arkadiy Zherebtsovskiy'))
    const { body } = await ana.call('GET', `/queues/cases/${entry}`)
    const { comparison } = body.sections.find(({ code }: { code: string }) => code === 'match')
    expect(comparison.own.name).toBe('anton Tester')
    const rows = new Map(comparison.rows.map((row: { label: string }) => [row.label, row]))
    const listedParts = [{ text: localName, differs: false }]
    expect(rows.get('listed_as')).toMatchObject({ own: [{ parts: listedParts }], compared: 'same' })
    expect(rows.get('aliases')).toMatchObject({ own: [{ parts: [{ text: 'anton Tester' }] }] })
  })

  test('may begin with a question by one operator; the answer returns the case with a new deadline', async () => {
    const { person, caseId } = await createListedPerson('quirinius')
    const { transaction_id: id } = await send(person, bruno, '25.00')
    const entry = await findQueueEntry(world, caseId)
    const answerQuestion = (explanation: string) =>
      settleCall(person.call(answerCheck, { params: { id: caseId }, body: { text: explanation } }))
    expect(await answerQuestion(text)).toMatchObject({ code: 'nothing_asked' })
    expect(await decideAt(ana, 'cases', entry, 'ask_document')).toMatchObject({ body: { outcome: 'carried_out' } })
    const { hold } = await loadStatus(person, id)
    expect(hold!.check).toMatchObject({ need: 'document', state: 'open' })
    expect(hold!.until, 'the clock is the person’s').toBe(hold!.check!.need_by)
    expect(await listNotifications(person)).toContainEqual([
      'check_asks',
      { need: 'document', until: hold!.check!.need_by },
    ])
    expect((await ana.call('GET', '/queues/cases')).body.items.map((item: { id: string }) => item.id)).not.toContain(
      entry,
    )
    expect(await answerQuestion(text)).toMatchObject({ code: 'file_missing' })
    await world.database.pool.query(
      `insert into kyc_document (id, user_id, document_type, content_type, size_bytes, created_at, content)
       values ($1, $2, 'passport', 'image/jpeg', 4, $3, 'file')`,
      [randomUUID(), person.id, world.app.product.now()],
    )
    expect(await answerQuestion(text)).toMatchObject({ need: 'nothing', need_by: null, state: 'open' })
    const reopenedEntry = await findQueueEntry(world, caseId)
    expect(reopenedEntry).not.toBe(entry)
    const { body } = await ben.call('GET', `/queues/cases/${reopenedEntry}`)
    expect(JSON.stringify(body.sections)).toContain(text)
    await decideAt(ben, 'cases', reopenedEntry, 'clear')
    await decideAt(cleo, 'cases', reopenedEntry, 'clear')
    expect(await loadStatus(person, id)).toMatchObject({ state: 'settled' })
  })
})

describe('an objection', () => {
  test('cannot be decided by operators who decided or took the case, at the desk or in the database', async () => {
    const { person, caseId } = await createListedPerson('ferdinanda')
    const { transaction_id: id } = await send(person, bruno, '30.00')
    const review = await findQueueEntry(world, caseId)
    expect((await cleo.call('POST', `/queues/cases/${review}/claim`)).status).toBe(204)
    await cleo.call('POST', `/queues/cases/${review}/hand-over`, { to: null, reason: 'Somebody else has time.' })
    await decideAt(ana, 'cases', review, 'confirm')
    await decideAt(ben, 'cases', review, 'confirm')
    expect(await loadStatus(person, id), 'frozen by law').toMatchObject({ state: 'held' })
    expect(await listNotifications(person)).toContainEqual(['check_decided', { state: 'confirmed' }])

    const objectToCase = () => settleCall(person.call(objectToCheck, { params: { id: caseId }, body: { text } }))
    const confirmedCheck = await objectToCase()
    expect(confirmedCheck).toMatchObject({ state: 'confirmed', may_object: false, objection: { state: 'open' } })
    expect(await objectToCase()).toMatchObject({ code: 'objection_not_possible' })
    const entry = await findQueueEntry(world, caseId)
    for (const involvedOperator of [ana, ben, cleo]) {
      expect((await involvedOperator.call('GET', `/queues/objections/${entry}`)).body.barred).toBe('involved')
      expect(await decideAt(involvedOperator, 'objections', entry, 'dismiss')).toMatchObject({
        body: { code: 'desk_involved' },
      })
    }
    const insertDecisionSql = `insert into desk_decision (id, queue, subject, round, seat, operator_id, verdict, reason, decided_at)
      select $1, 'objections', $2, 1, 'first', id, 'dismiss', 'A reason of some length.', now() from desk_operator where name = $3`
    await world.database.pool.query(`insert into desk_item (queue, subject) values ('objections', $1)`, [entry])
    await expect(world.database.pool.query(insertDecisionSql, [randomUUID(), entry, cleo.name])).rejects.toMatchObject({
      code: 'TC002',
    })

    expect(await decideAt(dov, 'objections', entry, 'uphold')).toMatchObject({ body: { outcome: 'proposed' } })
    const eve = await desk.createOperator('lead')
    expect(await decideAt(eve, 'objections', entry, 'uphold')).toMatchObject({ body: { outcome: 'carried_out' } })
    expect(await loadStatus(person, id)).toMatchObject({ state: 'settled' })
    expect(await listNotifications(person)).toContainEqual(['objection_decided', { state: 'upheld' }])
  })

  test('to an undecided case waits for uninvolved operators, and dismissal leaves the case unchanged', async () => {
    const { person, caseId } = await createListedPerson('gottlieb')
    const { transaction_id: id } = await send(person, bruno, '30.00')
    const review = await findQueueEntry(world, caseId)
    await person.call(objectToCheck, { params: { id: caseId }, body: { text } })
    expect(await decideAt(ana, 'cases', review, 'clear'), 'its review rests').toMatchObject({ status: 404 })
    const entry = await findQueueEntry(world, caseId)
    await decideAt(cleo, 'objections', entry, 'dismiss')
    await decideAt(dov, 'objections', entry, 'dismiss')
    expect(await loadCheck(person, id)).toMatchObject({
      objection: { state: 'dismissed' },
      may_object: false,
      state: 'open',
    })
    await decideAt(ana, 'cases', review, 'clear')
    await decideAt(ben, 'cases', review, 'clear')
    expect(await loadStatus(person, id)).toMatchObject({ state: 'settled' })
  })
})

test('a possible match opens a case that holds nothing', async () => {
  const person = await world.enroll('somebody', 'United States')
  await world.fund(person, 10_000)
  const caseId = await openTestCase(world, {
    ...{ userId: BigInt(person.id), kind: 'name_match', stops: 'nothing', evidence: { highest_score: 8700 } },
  })
  expect(await send(person, bruno)).toMatchObject({ status: 'COMPLETED' })
  expect(await person.call(checks, {}), 'and is told to nobody').toEqual([])
  const listedCaseIds = (await ana.call('GET', '/queues/cases')).body.items.map((item: { id: string }) => item.id)
  const entry = await findQueueEntry(world, caseId)
  expect(listedCaseIds).toContain(entry)
  await ana.call('GET', `/queues/cases/${entry}`)
  const loadPurposes = async () => (await person.call(dataAccesses, {})).accesses.map(({ purpose }) => purpose)
  expect(await loadPurposes(), 'nor that somebody looked for it').toEqual([])
  await decideAt(ana, 'cases', entry, 'ask_explanation')
  expect(new Set(await loadPurposes()), 'before they are asked').toEqual(new Set(['case']))
  await person.call(answerCheck, { params: { id: caseId }, body: { text: 'It is somebody else.' } })
  const reopenedEntry = await findQueueEntry(world, caseId)
  await decideAt(ana, 'cases', reopenedEntry, 'clear')
  await decideAt(ben, 'cases', reopenedEntry, 'clear')
  expect(await listNotifications(person)).toContainEqual(['check_decided', { state: 'cleared' }])
})

test('a possible match stops the person once two operators confirm it', async () => {
  const person = await world.enroll('eusebius', 'United States')
  await world.fund(person, 10_000)
  const caseId = await openTestCase(world, {
    ...{ userId: BigInt(person.id), kind: 'name_match', stops: 'nothing', evidence: { highest_score: 8700 } },
  })
  const entry = await findQueueEntry(world, caseId)
  await decideAt(ana, 'cases', entry, 'confirm')
  await decideAt(ben, 'cases', entry, 'confirm')
  expect(await send(person, bruno)).toMatchObject({ status: 'PENDING', transaction: { hold_reason: 'compliance' } })
  expect(await person.call(checks, {})).toMatchObject([{ id: caseId, state: 'confirmed', may_object: true }])
})

test('a pattern needs two operators when it begins to hold money during a decision', async () => {
  const person = await world.enroll('lothar', 'United States')
  await world.fund(person, 10_000)
  const caseId = await openTestCase(world, { userId: BigInt(person.id), kind: 'pattern', evidence: { rule: 'test' } })
  const entry = await findQueueEntry(world, caseId)
  const { transaction_id: id } = await send(person, bruno)
  const { pool } = world.database
  await pool.query('delete from compliance_case_transfer where transfer_id = $1', [id])
  const caseTransaction = await transact(pool, async (tx) => {
    await tx.query(`insert into desk_item (queue, subject) values ('cases', $1)`, [entry])
    const decision = decideAt(ana, 'cases', entry, 'clear')
    await expect.poll(async () => (await pool.query(lockWaitSql)).rowCount).toBeGreaterThan(0)
    const linkSql = 'insert into compliance_case_transfer (case_id, transfer_id, linked_at) values ($1, $2, now())'
    await pool.query(linkSql, [caseId, id])
    return { decision }
  })
  expect((await caseTransaction.decision).body).toMatchObject({ outcome: 'proposed' })
})

test('a decision is retried after a deadlock with a transaction that locks the same rows in another order', async () => {
  const { caseId } = await createListedPerson('adalbert')
  const { pool } = world.database
  await pool.query(
    `create sequence met;
     create function meet() returns trigger language plpgsql security definer as $$ begin
       if nextval('met') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
       return new;
     end $$;
     create trigger meet before update of state on compliance_case for each row execute function meet()`,
  )
  try {
    const entry = await findQueueEntry(world, caseId)
    await decideAt(ana, 'cases', entry, 'clear')
    expect((await decideAt(ben, 'cases', entry, 'clear')).body).toMatchObject({ outcome: 'carried_out' })
  } finally {
    await pool.query('drop trigger meet on compliance_case; drop function meet; drop sequence met')
  }
})

test('senders are not notified of payments that are no longer held', async () => {
  const { person, caseId } = await createListedPerson('wolfhelm')
  await send(person, bruno)
  const entry = await findQueueEntry(world, caseId)
  await decideAt(ana, 'cases', entry, 'clear')
  await decideAt(ben, 'cases', entry, 'clear')
  await world.app.product.cases.notifyHeld()
  expect((await listNotifications(person)).filter(([code]) => code === 'check_holds')).toEqual([])
})

test('only the account holder can read or answer a case, and only they can object', async () => {
  const { caseId } = await createListedPerson('hieronymus')
  const params = { id: caseId }
  expect(await settleCall(bruno.call(objectToCheck, { params, body: { text } }))).toMatchObject({ code: 'not_found' })
  expect(await settleCall(bruno.call(answerCheck, { params, body: { text } }))).toMatchObject({ code: 'not_found' })
})

test('the newest valid disclosure policy of the reader’s country decides what they see', async () => {
  const { person, caseId } = await createListedPerson('leopoldine')
  const loadOwnCheck = async () => {
    const [check] = await person.call(checks, {})
    return [check!.id, check!.kind, check!.telling]
  }
  const addPolicy = (policyValue: string, from: string) =>
    world.database.pool.query(
      `insert into telling_policy values ('US', 'name', $1, current_date + $2::interval, 'a_test')`,
      [policyValue, from],
    )
  await addPolicy('limited', '2 days')
  expect(await loadOwnCheck(), 'not in force yet').toEqual([caseId, 'name', 'full'])
  await addPolicy('limited', '-2 days')
  expect(await loadOwnCheck()).toEqual([caseId, 'payment', 'limited'])
  await addPolicy('full', '-1 days')
  expect(await loadOwnCheck()).toEqual([caseId, 'name', 'full'])
})

test('a missed deadline escalates the case to a lead with a further deadline, and is counted', async () => {
  const { person, caseId } = await createListedPerson('thusnelda')
  const { transaction_id: id } = await send(person, bruno)
  const entry = await findQueueEntry(world, caseId)
  await ana.call('POST', `/queues/cases/${entry}/claim`)
  await world.database.pool.query(`update compliance_case set decide_by = $2 where id = $1`, [
    caseId,
    world.app.product.now(),
  ])
  const { cases } = world.app.product
  const escalatedBefore = await cases.countEscalated()
  await Promise.all([desk.passDeadlines(), desk.passDeadlines()])
  expect(await cases.countEscalated()).toBe(escalatedBefore + 1n)
  const { hold, state } = await loadStatus(person, id)
  expect(state, 'nothing ends by a deadline').toBe('held')
  expect(new Date(hold!.until).getTime()).toBeGreaterThan(world.app.product.now().getTime() + 23 * 3_600_000)
  expect(await decideAt(ana, 'cases', entry, 'clear')).toMatchObject({ body: { code: 'desk_lead_needed' } })
  const lead = await desk.createOperator('lead')
  const { body } = await lead.call('GET', `/queues/cases/${entry}`)
  expect(body).toMatchObject({ for_lead: true, claimed_by: null })
  expect(body.timeline).toContainEqual(expect.objectContaining({ act: 'escalated', by: 'deadline' }))
  await decideAt(lead, 'cases', entry, 'clear')
  expect(await decideAt(ben, 'cases', entry, 'clear')).toMatchObject({ body: { outcome: 'carried_out' } })
  expect(await loadStatus(person, id)).toMatchObject({ state: 'settled' })
})
