import { setStatementMails, statementMails } from '@tern/contract/statements'
import { beforeEach, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { findDayStart, toDay, toDays } from '../period.ts'
import { mailDueStatements } from './statement-mails.ts'

const world = await openTestApp()
const zone = 'America/New_York'

let anna: TestPerson
let ben: TestPerson
/** Current month and the two after it. */
let months: [string, string, string]

beforeEach(async () => {
  anna = await world.enroll('anna', 'United States')
  ben = await world.enroll('ben', 'Germany')
  const month = toDay(world.app.product.now(), zone).slice(0, 7)
  months = [month, addMonths(month, 1), addMonths(month, 2)]
})

const addMonths = (month: string, count: number): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + count)).toISOString().slice(0, 7)

/** Runs a worker some minutes after the start of a month in the zone. */
const runAfter = (month: string, minutes: number) => {
  const { identity, notifications, publicUrl, pool } = world.app.product
  const at = new Date(findDayStart(toDays(month)[0], zone).getTime() + minutes * 60_000)
  return mailDueStatements({ identity, notifications, publicUrl, now: () => at }, pool)
}

async function countMails({ id }: TestPerson): Promise<number> {
  const { rowCount } = await world.database.pool.query(
    `select from mail where user_id = $1 and template = 'statement_ready'`,
    [id],
  )
  return rowCount ?? 0
}

test('a person who wants the mails gets one for each month that ends, with any number of workers', async () => {
  await anna.call(setStatementMails, { body: { is_on: true, time_zone: zone } })
  expect(await anna.call(statementMails, {})).toMatchObject({ next_month: months[0] })
  await runAfter(months[1], 59)
  expect(await countMails(anna)).toBe(0)
  await Promise.all(Array.from({ length: 4 }, () => runAfter(months[1], 61)))
  await runAfter(months[1], 600)
  expect([await countMails(anna), await countMails(ben)]).toEqual([1, 0])
  expect(await anna.call(statementMails, {})).toMatchObject({ next_month: months[1] })
  await anna.call(setStatementMails, { body: { is_on: true, time_zone: zone } })
  expect(await anna.call(statementMails, {})).toMatchObject({ next_month: months[1] })
  await runAfter(months[2], 61)
  expect(await countMails(anna)).toBe(2)
})

test('months that ended while no worker ran get their mails later', async () => {
  await anna.call(setStatementMails, { body: { is_on: true, time_zone: zone } })
  await runAfter(months[2], 61)
  expect(await countMails(anna)).toBe(2)
})

test('turning the mails off ends them', async () => {
  await anna.call(setStatementMails, { body: { is_on: true, time_zone: zone } })
  await anna.call(setStatementMails, { body: { is_on: false } })
  await runAfter(months[1], 61)
  expect(await countMails(anna)).toBe(0)
})
