import { randomUUID } from 'node:crypto'
import type { DeskSection } from '@tern/contract/desk/queues'
import { cancelTransfer, sendMoney, transferStatus } from '@tern/contract/transfers'
import { parseDecimal } from '@tern/money/money'
import pg from 'pg'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { startTestDesk, type TestOperator } from '@tern/testkit/desk'
import type { TransferRule } from '../../transfers/transfers.ts'

let alice: TestPerson

const reviewRule: TransferRule = () => ({ outcome: 'hold', reason: 'review', until: { seconds: 3600 } })

// Two server processes on one database, each with its own admin port.
const desk = await startTestDesk({ transferRules: [reviewRule] })
const environment = { TERN_SECRET: desk.world.secret }
const database = { ...desk.world.database, pool: new pg.Pool({ connectionString: desk.world.database.url }) }
const otherDesk = await startTestDesk({ transferRules: [reviewRule], database, environment })
const ana = await desk.createOperator('reviewer')
const ben = await desk.createOperator('reviewer')
const lea = await desk.createOperator('lead')
const bruno = await desk.world.enroll('bruno', 'Germany')
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await otherDesk.world.close({ keepsDatabase: true })
  await desk.world.close()
})
beforeEach(async () => {
  alice = await desk.world.enroll('alice', 'United States')
  await desk.world.fund(alice, 50_000)
})

/** Sends an amount in US dollars that is held for the desk; returns the transaction id. */
async function createHold(amount: string): Promise<string> {
  const body = { source_currency: 'USD', recipient_id: bruno.id, amount } as const
  return (await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}
const loadState = async (id: string) => (await alice.call(transferStatus, { params: { id } })).state
const reason = 'The bill fits what was paid before.'
const decide = (operator: TestOperator, id: string, verdict: string, at = desk) =>
  at.call('POST', `/queues/holds/${id}/decision`, { cookie: operator.cookie, body: { verdict, reason } })
const openHold = (operator: TestOperator, id: string) => operator.call('GET', `/queues/holds/${id}`)
const queryRows = async (sql: string, ...values: unknown[]) => (await desk.world.database.pool.query(sql, values)).rows
/** Stores a first decision `settle` and its log line, without carrying it out. */
const insertSingleDecision = (id: string, { name }: TestOperator) =>
  queryRows(
    `with made as (
       insert into desk_decision select gen_random_uuid(), 'holds', $1, 1, 'first', id, 'settle', $2, now()
         from desk_operator where name = $3 returning *
     )
     insert into desk_log (at, operator_id, actor, act, queue, subject, reason, decision_id)
       select decided_at, operator_id, $3, 'decided', queue, subject, reason, id from made`,
    id,
    reason,
    name,
  )

test('amounts above 1,000.00 US dollars need two operators, unless the policy says otherwise', async () => {
  await createHold('20.00')
  expect((await ana.call('GET', '/queues/holds')).body).toMatchObject({
    two_people_above: '1000.00',
    items: [{ who: 'alice Tester', amount: { amount: '20.20', currency: 'USD' }, needs_two: false, barred: null }],
  })
  expect((await ana.call('GET', '/queues')).body).toEqual({
    counts: { verifications: 0, holds: 1, cases: 0, objections: 0 },
  })
  // Lowered so that sends of the following tests can exceed it without a step-up confirmation.
  await queryRows(`update desk_policy set two_people_above_usd_minor = 3000 where queue = 'holds'`)
})

/** Returns the debits of a transfer's last posting by kind of account, in minor units. */
const loadLastPosting = (id: string) =>
  queryRows(
    `select a.kind as "from", a.currency, (-e.amount)::text as minor from ledger.entry e join ledger.account a on a.id = e.account_id
      where e.amount < 0 and e.posting_id = (select id from ledger.posting where reference = $1 order by created_at desc limit 1)
      order by 1, 2, 3`,
    id,
  )

describe.each([
  ['settle', 'on_release'],
  ['reject', 'on_return'],
])('the amount at the desk, and %s', (verdict, postingTime) => {
  test('equals the posted amount', async () => {
    const id = await createHold('20.00')
    const { sections } = (await openHold(ana, id)).body as { sections: DeskSection[] }
    const postings = sections.find(({ code }) => code === 'money')!.postings!
    expect(postings.filter((posting) => posting.when === 'posted')).toMatchObject([
      {
        ...{ from: { account: 'wallet', whose: 'sender' }, to: { account: 'hold', whose: 'sender' } },
        ...{ amount: '20.20', currency: 'USD', at: expect.any(String) },
      },
    ])
    const plannedPostings = postings.filter((posting) => posting.when === postingTime)
    expect(plannedPostings[0]).toMatchObject({ from: { account: 'hold' }, to: { account: 'wallet', whose: 'sender' } })
    await decide(ana, id, verdict)
    const shownAmounts = plannedPostings.map(({ from, amount, currency }) => ({
      from: from.account,
      currency,
      minor: String(parseDecimal(currency, amount).minor),
    }))
    expect(shownAmounts.toSorted(compareJson)).toEqual((await loadLastPosting(id)).toSorted(compareJson))
    // A closed entry can no longer be opened.
    expect((await openHold(ana, id)).status).toBe(404)
  })
})
const compareJson = (a: object, b: object) => JSON.stringify(a).localeCompare(JSON.stringify(b))

test('the desk names the rules that fired, their inputs and their effects', async () => {
  const id = await createHold('35.00')
  const { sections } = (await openHold(ana, id)).body as { sections: DeskSection[] }
  const appliedRules = sections.flatMap(({ rules }) => rules ?? [])
  expect(appliedRules).toMatchObject([
    {
      rule: 'allowance',
      did: 'let_pass',
      inputs: expect.arrayContaining([{ label: 'trusted', kind: 'code', code: 'not' }]),
    },
    { rule: 'two_people', did: 'needs_two', inputs: [{ amount: '35.00' }, { label: 'two_above', amount: '30.00' }] },
  ])
})

describe('below the threshold', () => {
  test.each([
    ['settle', 'settled'],
    ['reject', 'released'],
  ])('one operator alone may %s it', async (verdict, state) => {
    const id = await createHold('20.00')
    expect((await openHold(ana, id)).body).toMatchObject({ state: 'open', needs_two: false, barred: null })
    expect((await decide(ana, id, verdict)).body).toEqual({ outcome: 'carried_out', verdict })
    expect(await loadState(id)).toBe(state)
    expect((await decide(ben, id, verdict)).body).toMatchObject({ code: 'not_found' })
    const [row] = await queryRows('select decided_by, decision_note from transfer where id = $1', id)
    expect(row).toEqual({ decided_by: ana.name, decision_note: reason })
  })

  test('a reason has at least ten characters', async () => {
    const id = await createHold('20.00')
    for (const shortReason of ['', 'too short', '   too short   ']) {
      const answer = await ana.call('POST', `/queues/holds/${id}/decision`, { verdict: 'settle', reason: shortReason })
      expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'reason'])
    }
    expect((await decide(ana, id, 'approve')).status).toBe(422)
    expect(await loadState(id)).toBe('held')
    expect((await openHold(ana, id)).body.decisions).toEqual([])
  })
})

describe('above the threshold', () => {
  test('the second operator decides blind, and an agreed decision is executed', async () => {
    const id = await createHold('31.00')
    expect((await openHold(ana, id)).body).toMatchObject({ needs_two: true })
    expect((await decide(ana, id, 'settle')).body).toEqual({ outcome: 'proposed', verdict: null })
    expect(await loadState(id)).toBe('held')
    expect((await decide(ana, id, 'settle')).body, 'not the same person').toMatchObject({
      code: 'desk_decided_already',
    })

    const { body: openedHold } = await openHold(ben, id)
    expect(openedHold).toMatchObject({
      state: 'proposed',
      barred: null,
      decisions: [{ by: ana.name, verdict: null, reason: null }],
    })
    const { body: log } = await lea.call('GET', '/log')
    const visibleText = JSON.stringify([
      openedHold,
      log.lines.filter((line: { subject: string }) => line.subject === id),
    ])
    expect(visibleText).not.toContain(reason)
    expect(visibleText).not.toMatch(/"(after|verdict)":"settle"/)
    expect((await openHold(ana, id)).body.decisions).toMatchObject([{ verdict: 'settle', reason }])

    expect((await decide(ben, id, 'settle')).body).toEqual({ outcome: 'carried_out', verdict: 'settle' })
    expect(await loadState(id)).toBe('settled')
    const { lines } = (await lea.call('GET', '/log')).body
    const actions = lines
      .filter((line: { subject: string }) => line.subject === id)
      .map((line: { act: string }) => line.act)
    expect(actions).toEqual(expect.arrayContaining(['opened', 'decided', 'agreed', 'carried_out']))
    expect(JSON.stringify(lines)).toContain(reason)
  })

  test('a disagreement is decided by a third operator who is a lead', async () => {
    const id = await createHold('31.00')
    await decide(ana, id, 'settle')
    expect((await decide(ben, id, 'reject')).body).toEqual({ outcome: 'disputed', verdict: null })
    expect(await loadState(id)).toBe('held')
    expect((await openHold(lea, id)).body).toMatchObject({
      state: 'disputed',
      decisions: [{ verdict: 'settle' }, { verdict: 'reject' }],
    })
    for (const decider of [ana, ben]) expect((await decide(decider, id, 'reject')).status).toBe(409)
    expect((await decide(await desk.createOperator('reviewer'), id, 'reject')).body).toMatchObject({
      code: 'desk_lead_needed',
    })
    expect((await decide(lea, id, 'reject')).body).toEqual({ outcome: 'carried_out', verdict: 'reject' })
    expect(await loadState(id)).toBe('released')
    const deciderRows = await queryRows('select decided_by from transfer where id = $1', id)
    expect(deciderRows, 'of those who said so').toEqual([{ decided_by: `${ben.name}, ${lea.name}` }])
  })

  test('neither an earlier decision nor an escalation prevents the next decision', async () => {
    const [claimedId, escalatedId] = [await createHold('31.00'), await createHold('31.00')]
    await ana.call('POST', `/queues/holds/${claimedId}/claim`)
    expect((await decide(ana, claimedId, 'settle')).body).toMatchObject({ outcome: 'proposed' })
    expect((await decide(ben, claimedId, 'settle')).body).toMatchObject({ outcome: 'carried_out' })
    await ana.call('POST', `/queues/holds/${escalatedId}/escalation`, { reason })
    expect((await decide(lea, escalatedId, 'settle')).body).toMatchObject({ outcome: 'proposed' })
    expect((await decide(ben, escalatedId, 'settle')).body).toMatchObject({ outcome: 'carried_out' })
  })

  test('concurrent decisions of one operator in two processes count once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const id = await createHold('31.00')
      const answers = await Promise.all([desk, otherDesk, desk, otherDesk].map((at) => decide(ana, id, 'settle', at)))
      expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409', '409', '409'])
      expect(await loadState(id)).toBe('held')
      await decide(ben, id, 'reject')
      await decide(lea, id, 'reject')
    }
  })

  test('concurrent decisions in two processes: two count, the money moves once', async () => {
    const reviewers = await Promise.all(Array.from({ length: 4 }, () => desk.createOperator('reviewer')))
    for (let round = 0; round < 3; round += 1) {
      const id = await createHold('31.00')
      const answers = await Promise.all(
        reviewers.flatMap((operator) => [desk, otherDesk].map((at) => decide(operator, id, 'settle', at))),
      )
      const outcomes = answers.flatMap(({ status, body }) => (status === 200 ? [String(body.outcome)] : []))
      expect(outcomes.toSorted()).toEqual(['carried_out', 'proposed'])
      expect(answers.filter(({ status }) => ![200, 404, 409].includes(status))).toEqual([])
      expect(await loadState(id)).toBe('settled')
      const deciders = await queryRows('select distinct operator_id from desk_decision where subject = $1', id)
      expect(deciders).toHaveLength(2)
    }
  })

  test('the database refuses two seats for one operator, and two operators on one seat', async () => {
    const id = await createHold('31.00')
    await decide(ana, id, 'settle')
    const copySql = `insert into desk_decision
      select gen_random_uuid(), queue, subject, round, $2, (select id from desk_operator where name = $3), verdict, reason, now()
        from desk_decision where subject = $1`
    await expect(queryRows(copySql, id, 'second', ana.name)).rejects.toThrow('desk_decision_different_people')
    await expect(queryRows(copySql, id, 'first', ben.name)).rejects.toThrow('desk_decision_one_each')
  })
})

describe('an account of their own', () => {
  const linkAccount = (operator: TestOperator, account: TestPerson) =>
    desk.command('link-account', operator.name, '--account', account.email)
  const createOwner = async (account: TestPerson) => {
    const operator = await desk.createOperator('reviewer')
    expect((await linkAccount(operator, account))[0]).toBe(0)
    return operator
  }

  test.each([
    ['sender', () => alice],
    ['recipient', () => bruno],
  ])('the holder of the account of the %s decides neither first nor second', async (_case, account) => {
    const id = await createHold('31.00')
    const owner = await createOwner(account())
    expect((await decide(owner, id, 'settle')).body).toMatchObject({ code: 'desk_involved' })
    expect((await decide(ana, id, 'settle')).body).toMatchObject({ outcome: 'proposed' })
    expect((await decide(owner, id, 'settle')).body).toMatchObject({ code: 'desk_involved' })
    expect(await loadState(id)).toBe('held')
    const handOverBody = { to: owner.name, reason }
    const handOverAnswer = await ben.call('POST', `/queues/holds/${id}/hand-over`, handOverBody)
    expect(handOverAnswer.body).toMatchObject({ code: 'desk_not_permitted' })
    expect((await decide(ben, id, 'settle')).body).toMatchObject({ outcome: 'carried_out' })
  })

  test('a decision whose author is linked before the second one does not count', async () => {
    const id = await createHold('31.00')
    const first = await desk.createOperator('reviewer')
    await decide(first, id, 'settle')
    await linkAccount(first, alice)
    expect((await decide(ana, id, 'settle')).body, 'the first one now').toEqual({ outcome: 'proposed', verdict: null })
    expect(await loadState(id)).toBe('held')
    expect((await decide(ben, id, 'settle')).body).toMatchObject({ outcome: 'carried_out' })
    const [decidedTransfer] = await queryRows('select decided_by from transfer where id = $1', id)
    expect(decidedTransfer.decided_by).toBe(`${ana.name}, ${ben.name}`)
    expect(await queryRows(`select act from desk_log where subject = $1 and act = 'set_aside'`, id)).toHaveLength(1)
  })

  test('a link made while a decision waits for its lock counts', async () => {
    const id = await createHold('20.00')
    const owner = await desk.createOperator('reviewer')
    await queryRows(`insert into desk_item (queue, subject) values ('holds', $1)`, id)
    const lockClient = new pg.Client({ connectionString: desk.world.database.url })
    onTestFinished(() => lockClient.end())
    await lockClient.connect()
    await lockClient.query('begin')
    await lockClient.query(`select from desk_item where queue = 'holds' and subject = $1 for update`, [id])
    const blockedSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const linkWhileBlocked = async () => {
      await expect
        .poll(async () => (await queryRows(blockedSql)).length, { interval: 5, timeout: 120_000 })
        .toBeGreaterThan(0)
      await linkAccount(owner, alice)
      await lockClient.query('commit')
    }
    const [answer] = await Promise.all([decide(owner, id, 'settle'), linkWhileBlocked()])
    expect(answer.body).toMatchObject({ code: 'desk_involved' })
    expect(await loadState(id)).toBe('held')
    expect(await queryRows('select from desk_decision where subject = $1', id)).toEqual([])
  })

  /** Creates a held transfer with a final decision by one operator, whose execution began `startedAgo`. */
  async function createHoldWithDecision(startedAgo: string): Promise<{ id: string; author: TestOperator }> {
    const [id, author] = [await createHold('20.00'), await desk.createOperator('reviewer')]
    await queryRows(
      `insert into desk_item (queue, subject, verdict, carrying_out_since) values ('holds', $1, 'settle', now() - $2::interval)`,
      ...[id, startedAgo],
    )
    await insertSingleDecision(id, author)
    return { id, author }
  }

  test('an interrupted decision is repeated once its author is linked', async () => {
    const { id, author } = await createHoldWithDecision('2 minutes')
    await linkAccount(author, bruno)
    const repeatAction = (operator: TestOperator) => operator.call('POST', `/queues/holds/${id}/carry-out`)
    expect((await repeatAction(author)).body).toMatchObject({ code: 'desk_involved' })
    expect((await repeatAction(ana)).body).toMatchObject({ code: 'desk_not_carried_out', cause: 'desk_involved' })
    expect(await loadState(id)).toBe('held')
    expect((await decide(ana, id, 'reject')).body).toMatchObject({ outcome: 'carried_out', verdict: 'reject' })
  })

  test('an execution in progress continues, though its author is linked', async () => {
    const { id, author } = await createHoldWithDecision('0 seconds')
    await linkAccount(author, bruno)
    expect((await decide(ana, id, 'reject')).body).toMatchObject({ code: 'desk_item_closed' })
    expect(await queryRows('select round, verdict from desk_item where subject = $1', id)).toMatchObject([
      { round: 1, verdict: 'settle' },
    ])
  })

  test('the database refuses their decisions', async () => {
    const id = await createHold('31.00')
    const owner = await createOwner(bruno)
    await decide(ana, id, 'settle')
    const insertSql = `insert into desk_decision select gen_random_uuid(), 'holds', $1, 1, 'second', id, 'settle', $2, now()
      from desk_operator where name = $3`
    await expect(queryRows(insertSql, id, reason, owner.name)).rejects.toThrow('an account of their own')
  })

  test('their assignments are released, and the log hides these entries from them', async () => {
    const id = await createHold('20.00')
    const auditor = await desk.createOperator('reviewer', 'auditor')
    expect((await auditor.call('POST', `/queues/holds/${id}/claim`)).status).toBe(204)
    await linkAccount(auditor, alice)
    expect((await decide(ana, id, 'reject')).body).toMatchObject({ outcome: 'carried_out' })
    const loadLines = async (operator: TestOperator) => {
      const { lines } = (await operator.call('GET', '/log')).body
      return JSON.stringify(lines.filter((line: { subject: string }) => line.subject === id))
    }
    expect(await loadLines(lea)).toContain(reason)
    expect(await loadLines(auditor)).not.toMatch(/The bill fits|reject/)
  })
})

describe('before a decision', () => {
  test('an assigned entry is blocked for others until it is handed over', async () => {
    const id = await createHold('20.00')
    const requestAction = (operator: TestOperator, action: string, body?: unknown) =>
      operator.call('POST', `/queues/holds/${id}/${action}`, body)
    expect((await requestAction(ana, 'claim')).status).toBe(204)
    expect((await requestAction(ben, 'claim')).body).toMatchObject({ code: 'desk_taken' })
    expect((await decide(ben, id, 'settle')).body).toMatchObject({ code: 'desk_taken' })
    expect((await requestAction(ben, 'escalation', { reason })).body).toMatchObject({ code: 'desk_taken' })
    expect((await requestAction(ben, 'hand-over', { to: ben.name, reason })).body).toMatchObject({ code: 'desk_taken' })
    expect((await openHold(ben, id)).body).toMatchObject({ claimed_by: ana.name, is_mine: false, barred: 'taken' })
    const payer = await desk.createOperator('payments')
    expect((await requestAction(ana, 'hand-over', { to: payer.name, reason })).body).toMatchObject({
      code: 'desk_not_permitted',
    })
    expect((await requestAction(ana, 'hand-over', { to: 'Nobody', reason })).body).toMatchObject({ code: 'not_found' })
    expect((await requestAction(ana, 'hand-over', { to: ben.name, reason })).status).toBe(204)
    expect((await requestAction(ben, 'notes', { text: 'Called the sender, who confirms.' })).status).toBe(204)
    const { timeline } = (await openHold(ben, id)).body
    expect(timeline.map(({ act: actName }: { act: string }) => actName)).toEqual(
      expect.arrayContaining(['noted', 'handed_over', 'claimed']),
    )
    expect((await decide(ben, id, 'settle')).status).toBe(200)
  })

  test('a lead can take over an assigned entry, and disabling its operator releases it', async () => {
    const id = await createHold('20.00')
    const carl = await desk.createOperator('reviewer')
    await ana.call('POST', `/queues/holds/${id}/claim`)
    expect((await decide(lea, id, 'settle')).body).toMatchObject({ code: 'desk_taken' })
    expect((await lea.call('POST', `/queues/holds/${id}/claim`)).status).toBe(204)
    expect((await openHold(ana, id)).body).toMatchObject({ claimed_by: lea.name })
    const handOverHold = (to: string) => lea.call('POST', `/queues/holds/${id}/hand-over`, { to, reason })
    expect((await handOverHold(carl.name)).status).toBe(204)
    await desk.command('disable', carl.name, '--because', 'has left the company')
    expect((await handOverHold(carl.name)).body).toMatchObject({ code: 'not_found' })
    expect((await decide(ana, id, 'settle')).body).toMatchObject({ outcome: 'carried_out' })
  })

  test('an escalated entry waits for a lead', async () => {
    const id = await createHold('20.00')
    expect((await ana.call('POST', `/queues/holds/${id}/escalation`, { reason })).status).toBe(204)
    expect((await decide(ben, id, 'settle')).body).toMatchObject({ code: 'desk_lead_needed' })
    expect((await decide(lea, id, 'reject')).body).toMatchObject({ outcome: 'carried_out' })
  })

  test('a decision about a cancelled transfer cannot be executed, and moves nothing', async () => {
    const id = await createHold('31.00')
    await decide(ana, id, 'settle')
    await alice.call(cancelTransfer, { params: { id } })
    expect((await decide(ben, id, 'settle')).body).toMatchObject({ code: 'not_found' })
    expect(await loadState(id)).toBe('released')
  })
})

test('a decision by a process that died is executed by the next request after a minute', async () => {
  const id = await createHold('20.00')
  await openHold(ana, id)
  await queryRows(
    `insert into desk_item (queue, subject, verdict, carrying_out_since) values ('holds', $1, 'settle', now())`,
    id,
  )
  await insertSingleDecision(id, ana)
  const repeatAction = () => ben.call('POST', `/queues/holds/${id}/carry-out`)
  expect((await repeatAction()).body, 'while somebody may be at it').toMatchObject({ code: 'desk_item_closed' })
  expect((await decide(ben, id, 'reject')).body).toMatchObject({ code: 'desk_item_closed' })
  expect((await ben.call('POST', `/queues/holds/${id}/claim`)).body).toMatchObject({ code: 'desk_item_closed' })
  await queryRows(`update desk_item set carrying_out_since = now() - interval '2 minutes' where subject = $1`, id)
  const answers = await Promise.all([repeatAction(), repeatAction()])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await loadState(id)).toBe('settled')
})

describe('the log', () => {
  test('records every action and every access to a person, in order, with an unbroken chain', async () => {
    const id = await createHold('20.00')
    await lea.call('POST', '/people', { who: alice.username })
    await lea.call('POST', '/people', { who: 'nobody.at.all' })
    await lea.call('GET', '/queues/holds')
    await openHold(lea, id)
    await ana.call('GET', '/treasury')
    const { lines } = (await lea.call('GET', '/log')).body
    expect(lines.slice(0, 6).map(({ act, subject }: Record<string, string>) => [act, subject])).toEqual([
      ['read_log', null],
      ['refused', 'treasury'],
      ['opened', id],
      ['listed', null],
      ['looked_up', 'nobody'],
      ['looked_up', String(alice.id)],
    ])
    const brokenEntries = await queryRows(
      `select number from (select l, l.number, l.hash, lag(l.hash) over (order by number) as before from desk_log l) c
        where hash <> desk_hash(l, before)`,
    )
    expect(brokenEntries).toEqual([])
    const accesses = await queryRows(
      'select role, purpose from data_access where user_id = $1 and operator is not null order by at, id',
      alice.id,
    )
    expect(accesses).toEqual([
      { role: 'operator', purpose: 'support' },
      { role: 'operator', purpose: 'held_transfers' },
      { role: 'operator', purpose: 'held_transfers' },
    ])
    const [{ gaps }] = await queryRows('select max(number) - count(*) as gaps from desk_log')
    expect(gaps).toBe(0n)
  })

  test('cannot be changed by any database role', async () => {
    const application = new pg.Client({ connectionString: desk.world.database.applicationUrl })
    await application.connect()
    for (const table of ['desk_log', 'desk_decision']) {
      for (const sql of [`update ${table} set reason = reason`, `delete from ${table}`, `truncate ${table} cascade`]) {
        await expect(queryRows(sql)).rejects.toThrow(`${table} is append-only`)
        await expect(application.query(sql)).rejects.toThrow('permission denied')
      }
    }
    for (const sql of [
      'update desk_policy set two_people_above_usd_minor = null',
      `update desk_item set subject = subject`,
    ]) {
      await expect(application.query(sql)).rejects.toThrow('permission denied')
    }
    await application.end()
  })
})
