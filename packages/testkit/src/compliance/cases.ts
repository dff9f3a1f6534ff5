// For tests: screening lists with the names of test persons, and decisions on cases.

import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import type { TestApp, TestPerson } from '../app.ts'
import type { DeskAnswer, TestOperator } from '../desk.ts'
import { openCase, type NewCase } from '@tern/server/features/compliance/compliance'
import { transact } from '@tern/server/platform/database/db'

/** Returns a list file of politically exposed persons with these names. */
export const buildList = (names: readonly string[]) => ({
  name: 'pep.csv',
  bytes: new TextEncoder().encode(
    [
      '"id","schema","name","aliases","birth_date","countries","dataset","last_change"',
      ...names.map((name, n) => `"t-${n}","Person","${name}","","1990-02-03","us","Test","2026-07-30T04:00:00"`),
    ].join('\n'),
  ),
})

/** Imports a list with these names and screens everyone against it. */
export async function importNames({ app: { product } }: Pick<TestApp, 'app'>, names: readonly string[]): Promise<void> {
  await product.compliance.importLists([buildList(names)], true)
  await product.compliance.screenDue()
}

export const openTestCase = ({ app: { product } }: Pick<TestApp, 'app'>, newCase: NewCase): Promise<string> =>
  transact(product.pool, (tx) => openCase(tx, newCase, product.now()))

export const send = (from: TestPerson, to: TestPerson, amount = '20.00', key: string = randomUUID()) =>
  from.call(sendMoney, { body: { source_currency: 'USD', recipient_id: to.id, amount }, idempotencyKey: key })

/** Decides a case as two operators, without a desk, and applies the decision to held transfers. */
export async function decideByTwoOperators(
  world: Pick<TestApp, 'app'>,
  caseId: string,
  verdict: 'clear' | 'confirm',
): Promise<void> {
  await recordCaseDecisions(world, caseId, verdict)
  await world.app.product.heldTransfers.followCases(caseId)
}

/**
 * Decides a case as two operators without applying the decision to held transfers. Records the operators and their
 * decisions in the tables of the desk.
 */
export async function recordCaseDecisions(
  { app: { product } }: Pick<TestApp, 'app'>,
  caseId: string,
  verdict: 'clear' | 'confirm',
): Promise<void> {
  const { rows } = await product.pool.query<{ id: string }>(
    `with people as (
       insert into desk_operator (id, name, roles, created_at)
         select gen_random_uuid(), name || ' ' || $1::uuid, '{reviewer}', now() from unnest('{Ana,Ben}'::text[]) as name
       returning id, name),
     review as (select id from compliance_review where case_id = $1::uuid and closed_at is null),
     item as (
       insert into desk_item (queue, subject, verdict, carrying_out_since, carried_out_at)
         select 'cases', id, $2::text, now(), now() from review returning subject),
     decided as (
       insert into desk_decision (id, queue, subject, round, seat, operator_id, verdict, reason, decided_at)
         select gen_random_uuid(), 'cases', subject, 1, case when name like 'Ana%' then 'first' else 'second' end, people.id, $2::text,
             'Compared with the papers we have.', now() from item, people
       returning *),
     logged as (
       insert into desk_log (at, operator_id, actor, act, queue, subject, reason, after, decision_id)
         select decided_at, operator_id, people.name, 'decided', queue, subject::text, reason, verdict, decided.id
           from decided join people on people.id = operator_id order by seat)
     select id from review`,
    [caseId, verdict],
  )
  if (!rows[0]) throw new Error(`case ${caseId} waits for nobody`)
  await product.cases.decideReview(rows[0].id, verdict, 'Ana, Ben')
}

/** Returns the id of the desk item of a case, or of its objection. */
export async function findQueueEntry({ database }: Pick<TestApp, 'database'>, caseId: string): Promise<string> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from compliance_objection where case_id = $1 and state = 'open'
     union all select id from compliance_review where case_id = $1 and closed_at is null limit 1`,
    [caseId],
  )
  if (!rows[0]) throw new Error(`case ${caseId} waits for nobody`)
  return rows[0].id
}

export const decideAt = (
  operator: TestOperator,
  queue: 'cases' | 'objections',
  id: string,
  verdict: string,
): Promise<DeskAnswer> =>
  operator.call('POST', `/queues/${queue}/${id}/decision`, { verdict, reason: 'Compared with the papers we have.' })
