import { createHash, randomUUID } from 'node:crypto'
import {
  addDisputeFile,
  maxDisputeFiles,
  answerDispute,
  disputeEvidence,
  disputeFileContent,
  disputeOptions,
  disputes,
  objectToDispute,
  readDispute,
  withdrawDispute,
} from '@tern/contract/disputes/disputes'
import { currentUser } from '@tern/contract/identity'
import { notifications } from '@tern/contract/notifications/notifications'
import { deletionState } from '@tern/contract/privacy/privacy'
import { Transformer } from '@napi-rs/image'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { startTestDesk } from '@tern/testkit/desk'
import { decideAsOperator, dispute, expireDeadlines, findReview, sendTo } from '@tern/testkit/disputes'

let alice: TestPerson
let sendId: string

const desk = await startTestDesk({ unconfirmedPayments: 'any' })
const ana = await desk.createOperator('payments')
const ben = await desk.createOperator('payments')
const lea = await desk.createOperator('lead')
const bruno = await desk.world.enroll('bruno', 'Germany')
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await desk.world.close()
})
beforeEach(async () => {
  alice = await desk.world.enroll('alice', 'United States')
  await desk.world.fund(alice, 50_000)
  sendId = await sendTo(alice, bruno, '100.00')
})

const loadDispute = (id: string, person = alice) => person.call(readDispute, { params: { id } })
const query = async <R>(sql: string, ...values: unknown[]) =>
  (await desk.world.database.pool.query(sql, values)).rows as R[]
const loadNoticeCodes = async (person: TestPerson) =>
  [
    ...(await person.call(notifications, {})).needs_action,
    ...(await person.call(notifications, {})).notifications,
  ].flatMap(({ code, params }) => (code === 'dispute_changed' ? [(params as { step: string }).step] : []))

test('the kinds of dispute and their deadlines are known before one is opened', async () => {
  const { options, dispute_id: id } = await alice.call(disputeOptions, { params: { id: sendId } })
  expect(id).toBeNull()
  expect(options.map(({ kind, barred }) => [kind, barred])).toEqual([
    ['not_received', null],
    ['unauthorized', null],
    ['wrong_amount', null],
  ])
  const [option] = options
  expect(option).toMatchObject({ claimable: { amount: '101.00', fee: '1.00', currency: 'USD' } })
  // A new US account has a deadline of 20 business days, which is at least four weeks; the credit is due on the same
  // day.
  const days = (new Date(option!.decide_by).getTime() - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(27)
  expect(option!.credit_by).toBe(option!.decide_by)
  const recipientOptions = await bruno.call(disputeOptions, { params: { id: sendId } })
  expect(recipientOptions.options.map(({ barred }) => barred)).toEqual(['not_possible', 'not_possible', 'not_possible'])
})

describe('opening', () => {
  test('freezes the evidence under a hash that its owner can recompute', async () => {
    const openedDispute = await dispute(alice, sendId)
    expect(openedDispute).toMatchObject({
      state: 'open',
      kind: 'unauthorized',
      claimed: { amount: '101.00', currency: 'USD' },
    })
    const evidence = await alice.call(disputeEvidence, { params: { id: openedDispute.id } })
    const text = [evidence.id, evidence.kind, evidence.statement, evidence.facts_text].join('\n')
    expect(createHash('sha256').update(text).digest('hex')).toBe(evidence.hash)
    expect(evidence.hash).toBe(openedDispute.evidence_hash)
    const facts = JSON.parse(evidence.facts_text) as Record<string, unknown[]>
    expect(facts).toMatchObject({ transaction: { id: sendId, source_amount: '10000' } })
    expect(facts.sessions).toHaveLength(1)
    expect(facts.decisions).toMatchObject([{ passed: true, kind: 'transfer' }])
    expect(facts.ledger!.length).toBeGreaterThan(0)
    expect(await loadNoticeCodes(alice)).toEqual(['opened'])
  })

  test('concurrent requests open one dispute of a transaction', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => settleCall(dispute(alice, sendId))))
    expect(outcomes.filter((outcome) => 'id' in outcome)).toHaveLength(1)
    const [opened] = (await alice.call(disputes, {})).disputes
    const refusals = outcomes.filter((outcome) => 'code' in outcome)
    expect(refusals).toHaveLength(7)
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'dispute_open', dispute_id: opened?.id })
    expect((await alice.call(disputes, {})).disputes).toHaveLength(1)
  })

  test('is refused for other people’s transactions, too late, and for kinds that do not apply', async () => {
    const stranger = await desk.world.enroll('stranger', 'Germany')
    expect(await settleCall(dispute(stranger, sendId))).toMatchObject({ code: 'not_found' })
    expect(await settleCall(dispute(bruno, sendId))).toMatchObject({ code: 'dispute_not_possible' })
    expect(await settleCall(dispute(alice, randomUUID()))).toMatchObject({ code: 'not_found' })
    const [deposit] = await query<{ id: string }>(
      `select id from transaction where user_id = $1 and kind = 'DEPOSIT'`,
      alice.id,
    )
    expect(await settleCall(dispute(alice, deposit!.id))).toMatchObject({ code: 'dispute_not_possible' })
    const { id } = await dispute(alice, sendId)
    expect(await settleCall(loadDispute(id, stranger))).toMatchObject({ code: 'not_found' })
    expect(await settleCall(stranger.call(withdrawDispute, { params: { id } }))).toMatchObject({ code: 'not_found' })
    expect(await settleCall(stranger.call(disputeEvidence, { params: { id } }))).toMatchObject({ code: 'not_found' })
  })

  test('is refused after the deadline of the country’s policy', async () => {
    await query(`insert into dispute_policy select country, kind, 3, valid_from, 1, 5, null, 20, 5, 5, 5, 'test'
      from dispute_policy where country = 'US' and version = 2`)
    try {
      const [option] = (await alice.call(disputeOptions, { params: { id: sendId } })).options
      expect(option!.credit_by).toBeNull()
      await query('update dispute_policy set open_within_months = 1 where version = 3')
      const now = desk.world.app.product.now()
      // Months in the policy: one month is less than 32 days.
      expect(new Date(option!.open_until).getTime() - now.getTime()).toBeLessThan(32 * 86_400_000)
    } finally {
      await query('delete from dispute_policy where version = 3')
    }
  })

  test('can freeze the account with a dispute of an unauthorized payment', async () => {
    await dispute(alice, sendId, 'unauthorized', { freeze_account: true })
    expect(await query('select from app_user where id = $1 and frozen_at is not null', alice.id)).toHaveLength(1)
    expect(await alice.call(currentUser, {})).toMatchObject({ id: alice.id })
  })

  test('of a wrong amount states the expected one', async () => {
    const disputeWrongAmount = (overrides: object) => settleCall(dispute(alice, sendId, 'wrong_amount', overrides))
    expect(await disputeWrongAmount({})).toMatchObject({ errors: [{ field: 'expected_side' }] })
    expect(await disputeWrongAmount({ expected_side: 'paid' })).toMatchObject({
      errors: [{ field: 'expected_amount' }],
    })
    for (const amount of ['101.00', '150.00']) {
      expect(await disputeWrongAmount({ expected_side: 'paid', expected_amount: amount })).toMatchObject({
        code: 'invalid_request',
      })
    }
    // 93.00 EUR arrived for 100.00 USD: another 9.30 EUR are 10.00 USD, plus a tenth of the fee.
    expect(await disputeWrongAmount({ expected_side: 'arrived', expected_amount: '102.30' })).toMatchObject({
      claimed: { amount: '10.10', fee: '0.10', currency: 'USD' },
    })
  })
})

async function addPicture(id: string) {
  const pngPicture = await Transformer.fromRgbaPixels(Buffer.alloc(40 * 30 * 4, 90), 40, 30).png()
  const form = new FormData()
  form.set('file', new File([Buffer.from(pngPicture)], 'chat.png', { type: 'image/png' }))
  return alice.call(addDisputeFile, { params: { id }, upload: form })
}

describe('an open dispute', () => {
  test('accepts a limited number of files', async () => {
    const { id } = await dispute(alice, sendId)
    await query(
      `insert into dispute_file (id, dispute_id, content_type, size_bytes, sha256, content, created_at)
         select gen_random_uuid(), $1, 'image/jpeg', 1, sha256(''), 'sealed', now() from generate_series(2, $2)`,
      ...[id, maxDisputeFiles],
    )
    await addPicture(id)
    expect(await settleCall(addPicture(id))).toMatchObject({
      code: 'too_many_documents',
      detail: 'A dispute can have up to 10 files.',
    })
    expect((await loadDispute(id)).files).toHaveLength(maxDisputeFiles)
  })

  test('can be decided once its holder has answered an operator’s question with text or a file', async () => {
    const { id } = await dispute(alice, sendId)
    expect((await decideAsOperator(desk, ana, id, 'ask_document')).body).toEqual({
      outcome: 'carried_out',
      verdict: 'ask_document',
    })
    expect(await loadDispute(id)).toMatchObject({ need: 'document' })
    expect((await decideAsOperator(desk, ana, id, 'dismiss')).status).toBe(404)
    await alice.call(answerDispute, { params: { id }, body: { text: 'Here it comes.' } })
    expect(await loadDispute(id)).toMatchObject({ need: 'document' })

    const file = await addPicture(id)
    expect(await loadDispute(id)).toMatchObject({ need: null, files: [file] })
    const [storedFile] = await query<{ content: Buffer }>('select content from dispute_file where dispute_id = $1', id)
    expect(storedFile!.content.includes(Buffer.from([0xff, 0xd8, 0xff]))).toBe(false)

    const review = await findReview(desk, id)
    const { body } = await ana.call('GET', `/queues/disputes/${review}`)
    expect(body).toMatchObject({ kind: 'dispute_unauthorized', needs_two: false, barred: null })
    // The claim is 101.00 USD, so two operators are needed only if the threshold is below that.
    for (const [threshold, isFourEyes] of [
      [10_099, true],
      [10_100, false],
      [100_000, false],
    ] as const) {
      await query(`update desk_policy set two_people_above_usd_minor = $1 where queue = 'disputes'`, threshold)
      expect((await ana.call('GET', `/queues/disputes/${review}`)).body.needs_two).toBe(isFourEyes)
    }
    expect(JSON.stringify(body.sections)).toContain('Here it comes.')
    const fileUrl = `${desk.origin}/desk/api/queues/disputes/${review}/files/${file.id}`
    const opened = await fetch(fileUrl, { headers: { cookie: ana.cookie } })
    expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(Buffer.from(await opened.arrayBuffer()).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
    expect(await query(`select from desk_log where act = 'read_file' and subject = $1`, review)).toHaveLength(1)
    expect(
      await query(`select from data_access where user_id = $1 and purpose = 'dispute'`, alice.id),
    ).not.toHaveLength(0)
    const fileParams = { id, fileId: file.id }
    expect(await settleCall(bruno.call(disputeFileContent, { params: fileParams }))).toMatchObject({
      code: 'not_found',
    })
    expect(await loadNoticeCodes(alice)).toEqual(['asked', 'opened'])
  })

  test('can be withdrawn and opened again by its holder', async () => {
    const { id } = await dispute(alice, sendId)
    expect(await alice.call(withdrawDispute, { params: { id } })).toMatchObject({ state: 'withdrawn' })
    expect((await decideAsOperator(desk, ana, id, 'uphold')).status).toBe(404)
    expect(await settleCall(alice.call(withdrawDispute, { params: { id } }))).toMatchObject({ code: 'dispute_closed' })
    expect(await settleCall(alice.call(answerDispute, { params: { id }, body: { text: 'More' } }))).toMatchObject({
      code: 'dispute_closed',
    })
    expect(await dispute(alice, sendId)).toMatchObject({ state: 'open' })
  })

  test('prevents deletion of the account', async () => {
    const { id } = await dispute(alice, sendId)
    const loadObstacleCodes = async () => (await alice.call(deletionState, {})).obstacles.map(({ code }) => code)
    expect(await loadObstacleCodes()).toContain('dispute_open')
    await alice.call(withdrawDispute, { params: { id } })
    expect(await loadObstacleCodes()).not.toContain('dispute_open')
  })
})

describe('deadlines', () => {
  test('escalate an undecided dispute to a lead, with provisional credit in the United States', async () => {
    const balanceBefore = (await alice.wallet()).fiat_balance
    const { id } = await dispute(alice, sendId)
    await expireDeadlines(desk, id, ['decide_by', 'credit_by'])
    const { disputes: disputeService } = desk.world.app.product
    await Promise.all([disputeService.runDue(), disputeService.runDue(), desk.passDeadlines(), desk.passDeadlines()])
    // The first runs skip rows that the concurrent credit has locked.
    await desk.passDeadlines()
    expect(await loadDispute(id)).toMatchObject({
      state: 'open',
      is_extended: true,
      credits: [{ kind: 'provisional', amount: '101.00' }],
    })
    expect(new Date((await loadDispute(id)).decide_by).getTime()).toBeGreaterThan(Date.now())
    expect((await alice.wallet()).fiat_balance).not.toBe(balanceBefore)
    expect((await decideAsOperator(desk, ana, id, 'dismiss')).body).toMatchObject({ code: 'desk_lead_needed' })
    expect(await disputeService.overdue()).toBeGreaterThan(0)
    const steps = await loadNoticeCodes(alice)
    expect(steps.toSorted()).toEqual(['credited', 'extended', 'opened'])

    expect((await decideAsOperator(desk, lea, id, 'dismiss')).body).toMatchObject({ outcome: 'carried_out' })
    expect((await alice.wallet()).fiat_balance).toBe(balanceBefore)
    expect(await loadDispute(id)).toMatchObject({
      state: 'dismissed',
      outcome: 'not_founded',
      credits: [{ kind: 'provisional' }, { kind: 'taken_back', amount: '101.00' }],
    })
  })

  test('that are extended twice are notified twice, each with its date', async () => {
    const { id } = await dispute(alice, sendId)
    const extend = async () => {
      await expireDeadlines(desk, id, ['decide_by'])
      await desk.passDeadlines()
      return (await loadDispute(id)).decide_by.slice(0, 10)
    }
    const firstDate = await extend()
    // The deadline that counts from the opening has passed too.
    await query(`update dispute set opened_at = opened_at - interval '1 year' where id = $1`, id)
    const secondDate = await extend()
    expect(secondDate).not.toBe(firstDate)
    const notices = (await alice.call(notifications, {})).notifications.flatMap(({ code, params }) =>
      code === 'dispute_changed' ? [params as { step: string; date: string }] : [],
    )
    expect(notices.filter(({ step }) => step === 'extended').map(({ date }) => date)).toEqual([secondDate, firstDate])
  })

  test('let an upheld provisional credit stay, and post no second one', async () => {
    const balanceBefore = BigInt((await alice.wallet()).fiat_balance.replace('.', ''))
    const { id } = await dispute(alice, sendId)
    await expireDeadlines(desk, id, ['credit_by'])
    await desk.world.app.product.disputes.runDue()
    await decideAsOperator(desk, ana, id, 'uphold')
    const balanceAfter = BigInt((await alice.wallet()).fiat_balance.replace('.', ''))
    expect(balanceAfter - balanceBefore).toBe(10_100n)
    expect(await loadDispute(id)).toMatchObject({
      state: 'upheld',
      outcome: 'credited',
      credits: [{ kind: 'provisional' }],
    })
  })

  test('reverse a spent provisional credit as far as the balance covers it', async () => {
    await desk.world.fund(alice, 1_010)
    await sendTo(alice, bruno, '10.00')
    const { id } = await dispute(alice, sendId)
    await expireDeadlines(desk, id, ['credit_by'])
    await desk.world.app.product.disputes.runDue()
    await sendTo(alice, bruno, '490.00')
    await decideAsOperator(desk, ana, id, 'dismiss')
    expect((await alice.wallet()).fiat_balance).toBe('0.00')
    const [, reversal] = (await loadDispute(id)).credits
    expect(reversal).toMatchObject({ kind: 'taken_back', amount: '5.10' })
  })

  test('return an unanswered dispute to operators', async () => {
    const { id } = await dispute(alice, sendId)
    await decideAsOperator(desk, ana, id, 'ask_explanation')
    await expireDeadlines(desk, id, ['need_by'])
    await desk.world.app.product.disputes.runDue()
    expect((await decideAsOperator(desk, ben, id, 'dismiss')).body).toMatchObject({ outcome: 'carried_out' })
  })
})

describe('an objection', () => {
  const objectToDecision = (id: string) =>
    alice.call(objectToDispute, { params: { id }, body: { text: 'My phone was stolen.' } })

  test('is decided by other operators, which the database enforces, and can overturn the decision', async () => {
    const balanceBefore = (await alice.wallet()).fiat_balance
    const { id } = await dispute(alice, sendId)
    const first = await findReview(desk, id)
    await ben.call('POST', `/queues/disputes/${first}/claim`)
    await ben.call('POST', `/queues/disputes/${first}/hand-over`, { to: null, reason: 'Somebody else knows more.' })
    await decideAsOperator(desk, ana, id, 'dismiss')
    expect(await loadDispute(id)).toMatchObject({ state: 'dismissed', may_object: true })
    expect(await objectToDecision(id)).toMatchObject({ may_object: false, objection: { state: 'open' } })
    expect(await settleCall(objectToDecision(id))).toMatchObject({ code: 'dispute_no_objection' })

    const review = await findReview(desk, id)
    for (const involvedOperator of [ana, ben]) {
      expect((await involvedOperator.call('GET', `/queues/disputes/${review}`)).body).toMatchObject({
        barred: 'involved',
      })
      expect((await decideAsOperator(desk, involvedOperator, id, 'uphold')).body).toMatchObject({
        code: 'desk_involved',
      })
    }
    const [operator] = await query<{ id: string }>('select id from desk_operator where name = $1', ana.name)
    await query(`insert into desk_item (queue, subject) values ('disputes', $1) on conflict do nothing`, review)
    await expect(
      query(
        `insert into desk_decision (id, queue, subject, round, seat, operator_id, verdict, reason, decided_at)
         values ($1, 'disputes', $2, 1, 'first', $3, 'uphold', 'Because I want to.', now())`,
        ...[randomUUID(), review, operator!.id],
      ),
    ).rejects.toThrow('decides about their own decision')

    expect((await decideAsOperator(desk, lea, id, 'uphold')).body).toMatchObject({ outcome: 'carried_out' })
    expect(await loadDispute(id)).toMatchObject({
      state: 'upheld',
      objection: { state: 'upheld' },
      credits: [{ kind: 'final' }],
    })
    expect((await alice.wallet()).fiat_balance).not.toBe(balanceBefore)
  })

  test('ends with its dismissal', async () => {
    const { id } = await dispute(alice, sendId)
    await decideAsOperator(desk, ana, id, 'dismiss')
    await objectToDecision(id)
    await expireDeadlines(desk, id, [])
    await desk.passDeadlines()
    expect((await decideAsOperator(desk, ben, id, 'dismiss')).body, 'too late for anybody but a lead').toMatchObject({
      code: 'desk_lead_needed',
    })
    await decideAsOperator(desk, lea, id, 'dismiss')
    expect(await loadDispute(id)).toMatchObject({
      state: 'dismissed',
      objection: { state: 'dismissed' },
      may_object: false,
    })
    expect(await loadNoticeCodes(alice)).toEqual(['objection_dismissed', 'dismissed', 'opened'])
  })

  test('cannot lead to another question', async () => {
    const { id } = await dispute(alice, sendId)
    await decideAsOperator(desk, ana, id, 'dismiss')
    await objectToDecision(id)
    expect((await decideAsOperator(desk, ben, id, 'ask_document')).body).toMatchObject({ cause: 'dispute_closed' })
    expect(await loadDispute(id)).toMatchObject({ need: null, objection: { state: 'open' } })
    expect((await decideAsOperator(desk, ben, id, 'uphold')).body).toMatchObject({ outcome: 'carried_out' })
  })

  test('is refused after its deadline', async () => {
    const { id } = await dispute(alice, sendId)
    await decideAsOperator(desk, ana, id, 'dismiss')
    await query(`update dispute set decided_at = decided_at - interval '31 days' where id = $1`, id)
    expect(await settleCall(objectToDecision(id))).toMatchObject({ code: 'dispute_no_objection' })
  })
})

test('a request with unknown fields is refused', async () => {
  const body = { transaction_id: sendId, kind: 'unauthorized', statement: '', claimed: '999' }
  expect((await desk.world.raw('POST', '/disputes', { token: alice.token, body })).status).toBe(422)
})
