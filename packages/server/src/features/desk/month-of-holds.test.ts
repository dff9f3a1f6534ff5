import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { decideAt, send } from '@tern/testkit/compliance/cases'
import { transact } from '../../platform/database/db.ts'
import { createHeldTransfers } from '../transfers/transfers.ts'
import { escalateOverdueItems } from './decisions/escalate-overdue-items.ts'
import { createCases, openCase } from '../compliance/compliance.ts'

// Simulates a month of holds on its own clock, with operators and people who act late or never.

const hourMs = 3_600_000
const hours = 30 * 24
const stepHours = 4
const holdEveryHours = 12

let desk: TestDesk
let operators: TestOperator[]
let leads: TestOperator[]
let people: TestPerson[]
let recipient: TestPerson
let clockMs: number
/** Fixed seed, so that every run simulates the same month. */
let seed = 20_261_126
const drawChance = (odds: number): boolean => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  // not money: a number that decides what people do
  return Math.floor(seed / 65_536) % odds === 0
}

beforeAll(async () => {
  desk = await startTestDesk({ unconfirmedPayments: 'any' })
  operators = await Promise.all(Array.from({ length: 3 }, () => desk.createOperator('reviewer')))
  leads = await Promise.all(Array.from({ length: 5 }, () => desk.createOperator('lead')))
  recipient = await desk.world.enroll('recipient', 'United States')
  people = await Promise.all(Array.from({ length: 6 }, (_, n) => desk.world.enroll(`p${n}`, 'United States')))
  for (const person of people) await desk.world.fund(person, 200_000)
  clockMs = desk.world.app.product.now().getTime()
})
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await desk.world.close()
})

const now = () => new Date(clockMs)

function createWorker() {
  const { product } = desk.world.app
  const cases = createCases({ ...product, publicUrl: desk.world.url, now })
  const log = { error: (details: object) => expect(details).toBeUndefined(), warn() {} }
  const parts = { publicUrl: desk.world.url, purposes: [product.requests], now, log }
  const heldTransfers = createHeldTransfers({ ...product, ...parts })
  const deskWithClock = { ...product.desk, context: { deskUrl: '', log, realNow: now } }
  const productWithClock = { ...product, cases, heldTransfers, now, desk: deskWithClock }
  return {
    cases,
    /** The worker's task that runs every minute. */
    async work() {
      await cases.endUnanswered()
      await escalateOverdueItems(productWithClock, product.pool)
      await heldTransfers.followCases()
      await cases.notifyHeld()
    },
  }
}

const queryRows = async <R extends object>(sql: string, ...values: unknown[]): Promise<R[]> =>
  (await desk.world.database.pool.query<R>(sql, values)).rows

/** Opens a case for a person without one, holds their payment for it, and notifies them. */
async function createHold(person: TestPerson, { cases }: ReturnType<typeof createWorker>): Promise<void> {
  const { product } = desk.world.app
  const kind = drawChance(2) ? 'pattern' : 'name_match'
  const openCasesSql = `select from compliance_case where user_id = $1 and state <> 'cleared'`
  if ((await queryRows(openCasesSql, person.id)).length > 0) return
  await transact(product.pool, (tx) => openCase(tx, { userId: BigInt(person.id), kind, evidence: {} }, now()))
  expect(await send(person, recipient, '1.00')).toMatchObject({ status: 'PENDING' })
  await cases.notifyHeld()
}

interface QueueEntryRow {
  readonly queue: 'cases' | 'objections'
  readonly id: string
}

/**
 * Decides each open entry with a chance of one in six. All operators choose the same verdict in turn, so two decisions
 * suffice even if a lead is required.
 */
async function decideWaitingEntries(): Promise<void> {
  const waitingEntries = await queryRows<QueueEntryRow>(
    `select queue, entry.id from (
       select 'objections' as queue, o.id, c.user_id from compliance_objection o join compliance_case c on c.id = o.case_id
        where o.state = 'open'
       union all select 'cases', r.id, c.user_id from compliance_review r join compliance_case c on c.id = r.case_id
        where r.closed_at is null and c.state = 'open'
          and not exists (select from compliance_objection o where o.case_id = c.id and o.state = 'open')
     ) as entry join app_user u on u.id = user_id order by queue, username`,
  )
  for (const { queue, id } of waitingEntries) {
    if (!drawChance(6)) continue
    const verdicts = queue === 'objections' ? ['uphold', 'dismiss'] : ['clear', 'confirm', 'ask_explanation']
    // not money: which of three
    const verdict = verdicts[drawChance(4) ? 1 : drawChance(4) ? verdicts.length - 1 : 0]!
    for (const operator of [...operators, ...leads]) await decideAt(operator, queue, id, verdict)
  }
}

async function answerRandomly({ cases }: ReturnType<typeof createWorker>): Promise<void> {
  for (const person of people) {
    for (const check of await cases.list(BigInt(person.id))) {
      if (check.need !== 'nothing' && drawChance(20))
        await cases.answer(BigInt(person.id), check.id, 'It was for my rent.')
      if (check.may_object && drawChance(20)) await cases.object(BigInt(person.id), check.id, 'I am somebody else.')
    }
  }
}

test('every hold has a reason, a requirement and a deadline, and none expires without a decision or a lead', async () => {
  const worker = createWorker()
  for (let hour = 0; hour < hours; hour += stepHours) {
    clockMs += stepHours * hourMs
    if (hour % holdEveryHours === 0) await createHold(people[(hour / holdEveryHours) % people.length]!, worker)
    await answerRandomly(worker)
    // The desk is staffed from 8:00 to 18:00 on five of seven days.
    if (hour % 24 >= 8 && hour % 24 < 18 && hour % 168 < 120) await decideWaitingEntries()
    await worker.work()
    await expectNothingOverdue()
  }
  await expectCaseNotices()
  await expectObjectionsDecidedByOthers()
}, 600_000)

async function expectNothingOverdue(): Promise<void> {
  const overdueCases = await queryRows(
    `select id from compliance_case where state = 'open' and coalesce(need_by, decide_by) <= $1
     union all select id from compliance_objection where state = 'open' and decide_by <= $1
     union all select t.id from transfer t where t.state = 'held' and t.hold_reason = 'compliance' and t.held_until <= $1
       and exists (select from compliance_case_transfer l join compliance_case c on c.id = l.case_id
                    where l.transfer_id = t.id and c.state = 'open')`,
    now(),
  )
  expect(overdueCases, 'a deadline passed, and nobody was told').toEqual([])
  const heldWithoutCase = await queryRows(
    `select id from transfer t where state = 'held' and hold_reason = 'compliance'
       and not exists (select from compliance_case_transfer l where l.transfer_id = t.id)`,
  )
  expect(heldWithoutCase).toEqual([])
}

async function expectCaseNotices(): Promise<void> {
  const { cases } = createWorker()
  const heldTransferRows = await queryRows<{ id: string; sender_id: bigint; state: string }>(
    `select id, sender_id, state from transfer where hold_reason = 'compliance'`,
  )
  expect(heldTransferRows.length, 'holds of the month').toBeGreaterThan(12)
  for (const { id, sender_id: sender } of heldTransferRows) {
    const check = await cases.ofTransfer(sender, id)
    expect(check).toMatchObject({ kind: expect.stringMatching(/^(name|payment)$/), need: expect.any(String) })
    expect(check!.need_by ?? check!.decide_by).toMatch(/^20/)
  }
  const unnotifiedRows = await queryRows(`select from compliance_case_transfer where told_at is null`)
  expect(unnotifiedRows).toEqual([])
  const { escalated, decided, objected } = (
    await queryRows<{ escalated: bigint; decided: bigint; objected: bigint }>(
      `select (select count(*) from compliance_case where escalations > 0) as escalated,
         (select count(*) from compliance_case where state <> 'open') as decided,
         (select count(*) from compliance_objection where state <> 'open') as objected`,
    )
  )[0]!
  expect([escalated > 0n, decided > 5n, objected > 1n], 'the month had some of each').toEqual([true, true, true])
}

async function expectObjectionsDecidedByOthers(): Promise<void> {
  const sameOperatorRows = await queryRows(
    `select d.operator_id from compliance_objection o
       join desk_decision d on d.queue = 'objections' and d.subject = o.id
      where exists (select from compliance_review r join desk_decision e on e.queue = 'cases' and e.subject = r.id
                     where r.case_id = o.case_id and e.operator_id = d.operator_id and e.decided_at < d.decided_at)`,
  )
  expect(sameOperatorRows).toEqual([])
  const objectionsWithoutDecision = await queryRows(
    `select o.id from compliance_objection o where o.state <> 'open'
       and (select count(distinct d.operator_id) from desk_decision d where d.queue = 'objections' and d.subject = o.id) < 1`,
  )
  expect(objectionsWithoutDecision).toEqual([])
}
