import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { dataAccesses } from '@tern/contract/privacy/privacy'
import { cancelTransfer, sendMoney, settleTransfer } from '@tern/contract/transfers'
import { money, toDecimal } from '@tern/money/money'
import { beforeEach, expect, test } from 'vitest'
import { createTestBooks } from '@tern/testkit/books/books'
import { reportPayout } from '@tern/testkit/banking'
import { linkAccount } from '@tern/testkit/payments'
import { raiseLimits } from '@tern/testkit/people'
import { completeDeletion } from '@tern/testkit/account-deletion'
import { type TestApp, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { send } from '@tern/testkit/compliance/cases'
import { readRecord } from '../../../commands/travel-rule.ts'
import { connect } from '../../../platform/database/db.ts'
import { createTravelRule } from '../compliance.ts'
import { readThresholds } from './thresholds.ts'

const world = await openTestApp({ unconfirmedPayments: 'any' })
const ada = await world.enroll('ada', 'United States')
const bo = await world.enroll('bo', 'United States')
const carl = await world.enroll('carl', 'Germany')
await raiseLimits(world.database.pool)
await world.fund(ada, 2_000_000)
beforeEach(async () => {
  await waitForSnapshot()
  await world.app.product.travelRule.recordDue()
})

/** Waits until no transaction is open, not even in another test, that began before this call. */
async function waitForSnapshot(): Promise<void> {
  const { rows } = await world.database.pool.query<{ xid: string }>('select pg_current_xact_id()::text as xid')
  const snapshotPastSql = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as is_past'
  const queryIsPast = async () =>
    (await world.database.pool.query<{ is_past: boolean }>(snapshotPastSql, [rows[0]?.xid])).rows[0]?.is_past
  await expect.poll(queryIsPast, { timeout: 120_000, interval: 20 }).toBe(true)
}

const recordDueTransfers = async (
  travelRule: Pick<TestApp['app']['product']['travelRule'], 'recordDue'> = world.app.product.travelRule,
) => {
  await waitForSnapshot()
  return travelRule.recordDue()
}
const pay = async (from: TestPerson, to: TestPerson, amount: string) => (await send(from, to, amount)).transaction_id
const loadRecords = async (...ids: string[]) => {
  const { rows } = await world.database.pool.query<{ transaction_id: string; threshold_country: string | null }>(
    'select transaction_id, threshold_country from travel_rule_record where transaction_id = any($1)',
    [ids],
  )
  return ids.map(
    (id) => rows.find(({ transaction_id: transactionId }) => transactionId === id)?.threshold_country ?? 'none',
  )
}

/** Creates a second instance on the same database, as another process does. */
const createSecondProcess = (change: Partial<Parameters<typeof createTravelRule>[0]> = {}) => {
  const { pool, now, kyc, exchange } = world.app.product
  return createTravelRule({ pool, now, kyc, exchange, secret: Buffer.from(world.secret, 'base64url'), ...change })
}

test('transfers from the threshold on are recorded, in Germany all', async () => {
  const belowThresholdId = await pay(ada, bo, '2999.99')
  const atThresholdId = await pay(ada, bo, '3000.00')
  const germanSendId = await pay(ada, carl, '5.00')
  expect(await recordDueTransfers()).toBe(2)
  expect(await loadRecords(belowThresholdId, atThresholdId, germanSendId)).toEqual(['none', 'US', 'DE'])
  expect(await recordDueTransfers()).toBe(0)
})

test('the sender’s country counts too', async () => {
  await world.fund(carl, 1_000)
  const body = { source_currency: 'EUR', recipient_id: ada.id, amount: '2.00' } as const
  const { transaction_id: id } = await carl.call(sendMoney, { body, idempotencyKey: randomUUID() })
  await recordDueTransfers()
  expect(await loadRecords(id)).toEqual(['DE'])
})

test('a new threshold row applies from its day on (UTC)', async () => {
  const { pool } = world.database
  await pool.query(`insert into travel_rule_threshold values ('SG', '2026-03-01', 'SGD', 7, 'test')`)
  const loadThreshold = async (at: string) => (await readThresholds(pool, new Date(at))).get('SG')?.minimum.minor
  expect(await loadThreshold('2025-12-31T23:59:59Z')).toBeUndefined()
  expect(await loadThreshold('2026-02-28T23:59:59Z')).toBe(150_000n)
  expect(await loadThreshold('2026-03-01T00:00:00Z')).toBe(7n)
})

test('the threshold of the transfer’s day applies, however late it is recorded', async () => {
  const { pool } = world.database
  const id = await pay(ada, bo, '3000.00')
  const tomorrow = `(now() at time zone 'UTC')::date + 1`
  await pool.query(`insert into travel_rule_threshold values ('US', ${tomorrow}, 'USD', 90000000, 'test')`)
  try {
    const twoDaysLater = new Date(world.app.product.now().getTime() + 2 * 86_400_000)
    await recordDueTransfers(createSecondProcess({ now: () => twoDaysLater }))
    expect(await loadRecords(id)).toEqual(['US'])
  } finally {
    await pool.query(`delete from travel_rule_threshold where source = 'test' and country = 'US'`)
    await pool.query('update travel_rule_position set at = now()')
  }
})

test('a held send is recorded when it settles, and never when it is cancelled', async () => {
  const body = { source_currency: 'USD', recipient_id: carl.id, amount: '1.00', undo_seconds: 300 } as const
  const createHeldSend = async () => (await ada.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
  const [settledSend, cancelledSend] = [await createHeldSend(), await createHeldSend()]
  expect(await recordDueTransfers()).toBe(0)
  await ada.call(settleTransfer, { params: { id: settledSend } })
  await ada.call(cancelTransfer, { params: { id: cancelledSend } })
  expect(await recordDueTransfers()).toBe(1)
  expect(await loadRecords(settledSend, cancelledSend)).toEqual(['DE', 'none'])
})

test('a withdrawal is recorded once paid out; a chargeback is no transfer and stops no record', async () => {
  const { paymentId } = await world.fund(carl, 5_000)
  const bankAccountId = await linkAccount(world, carl, { currency: 'EUR', country: 'DE' })
  // A bank name that exceeds the length of an account number.
  await world.database.pool.query('update bank_account set bank_name = $2 where id = $1', [
    bankAccountId,
    'B'.repeat(120),
  ])
  const body = { amount: '20.00', currency: 'EUR', bankAccountId } as const
  const withdrawal = await carl.call(withdraw, { body, idempotencyKey: randomUUID() })
  expect(await recordDueTransfers()).toBe(0)
  await reportPayout(world, withdrawal.payout_id, 'paid')
  await createTestBooks(world).write({ kind: 'chargeback', amount: money('EUR', 1_000n), reference: paymentId })
  const countReturns = async () =>
    (
      await world.database.pool.query(
        `select from transaction where user_id = $1 and kind = 'WITHDRAW' and payment_source = 'card' and status = 'COMPLETED'`,
        [carl.id],
      )
    ).rowCount
  await expect.poll(countReturns).toBe(1)
  const laterSendId = await pay(ada, carl, '1.00')
  expect(await recordDueTransfers()).toBe(2)
  expect(await loadRecords(withdrawal.transaction_id, laterSendId)).toEqual(['DE', 'DE'])
  const record = await world.app.product.travelRule.read(world.app.product.pool, withdrawal.transaction_id)
  expect(record).toMatchObject({ kind: 'payout', originatorId: BigInt(carl.id), beneficiaryId: BigInt(carl.id) })
  expect(record?.payload.beneficiary.accountNumber[0]).toMatch(/^B{90} \d{4}$/)
})

test('a stored record reveals only its parties and times', async () => {
  const id = await pay(ada, carl, '5.00')
  await recordDueTransfers()
  const { rows } = await world.database.pool.query<{ content: Buffer }>(
    'select content from travel_rule_record where transaction_id = $1',
    [id],
  )
  expect(rows[0]!.content.toString('latin1')).not.toContain('Tester')
  const record = await world.app.product.travelRule.read(world.app.product.pool, id)
  expect(record?.payload.originator.originatorPersons[0]?.naturalPerson.name.nameIdentifier).toEqual([
    { primaryIdentifier: 'Tester', secondaryIdentifier: 'ada', nameIdentifierType: 'LEGL' },
  ])
  expect(record?.payload.beneficiary.accountNumber).not.toEqual(record?.payload.originator.accountNumber)
})

test('reading a record is logged for both parties', async () => {
  const id = await pay(ada, carl, '5.00')
  await recordDueTransfers()
  const record = await readRecord(world.app.product, id, 'olga')
  expect(JSON.parse(record!)).toMatchObject({ transactionId: id, kind: 'send' })
  for (const person of [ada, carl]) {
    const { accesses } = await person.call(dataAccesses, { query: {} })
    expect(accesses[0]).toMatchObject({
      role: 'operator',
      purpose: 'travel_rule',
      what: ['identity', 'address', 'numbers', 'payments'],
    })
  }
  expect(await readRecord(world.app.product, randomUUID(), 'olga')).toBeUndefined()
})

test('a killed worker loses no transfer, and two workers record none twice', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => pay(ada, carl, '1.00')))
  let lookupCount = 0
  const crashingProcess = createSecondProcess({
    kyc: {
      async verifiedForm(db, userId) {
        lookupCount += 1
        // Terminates the connection within the step, like a crash.
        if (lookupCount === 2) await db.query('select pg_terminate_backend(pg_backend_pid())')
        return world.app.product.kyc.verifiedForm(db, userId)
      },
    },
  })
  await expect(recordDueTransfers(crashingProcess)).rejects.toThrow()
  expect(await loadRecords(...ids)).toEqual(ids.map(() => 'none'))
  await waitForSnapshot()
  const counts = await Promise.all([createSecondProcess().recordDue(), createSecondProcess().recordDue()])
  expect(counts.reduce((sum, count) => sum + count, 0) + (await recordDueTransfers())).toBe(6)
  expect(await loadRecords(...ids)).toEqual(ids.map(() => 'DE'))
})

test('recording and reading transfers needs one database connection', async () => {
  const pool = connect(world.database.applicationUrl, 1)
  const id = await pay(ada, carl, '1.00')
  const travelRule = createSecondProcess({ pool })
  expect(await recordDueTransfers(travelRule)).toBe(1)
  expect((await travelRule.read(pool, id))?.originatorId).toBe(BigInt(ada.id))
  await pool.end()
})

test('a movement that commits after a later one was recorded is recorded too', async () => {
  const { pool } = world.database
  const slowConnection = await pool.connect()
  try {
    // An open transaction that is older than the transfer, so the worker does not read past it.
    await slowConnection.query('begin')
    await slowConnection.query('select pg_current_xact_id()')
    const id = await pay(ada, carl, '1.00')
    await world.app.product.travelRule.recordDue()
    expect(await loadRecords(id)).toEqual(['none'])
    await slowConnection.query('commit')
    await recordDueTransfers()
    expect(await loadRecords(id)).toEqual(['DE'])
  } finally {
    slowConnection.release()
  }
})

test('a step begins with the transaction at which the one before it ended', async () => {
  const id = await pay(ada, carl, '1.00')
  await world.database.pool.query(
    'update travel_rule_position set position = (select xid from transaction where id = $1 and user_id = $2)',
    [id, ada.id],
  )
  await recordDueTransfers()
  expect(await loadRecords(id)).toEqual(['DE'])
})

test('after a restore into another cluster, the worker records transfers it may have missed', async () => {
  const id = await pay(ada, carl, '1.00')
  // A position of another cluster that was stored after the transfer.
  await world.database.pool.query(
    `update travel_rule_position set position = '900000000000', cluster = 1, at = at + interval '1 hour'`,
  )
  await recordDueTransfers()
  expect(await loadRecords(id)).toEqual(['DE'])
})

test('a person who leaves before the worker ran is recorded with their name', async () => {
  const dora = await world.enroll('dora', 'United States')
  const { rows } = await world.database.pool.query<{ cents: bigint }>(
    'select 300000 + fee_amount as cents from transaction where id = $1 and user_id = $2',
    [await pay(ada, bo, '3000.00'), ada.id],
  )
  const receivedId = await pay(ada, dora, toDecimal(money('USD', rows[0]!.cents)))
  // Sends the whole balance, since an account with money cannot be closed.
  const id = await pay(dora, bo, '3000.00')
  await completeDeletion(world, dora.id)
  expect(await loadRecords(receivedId, id)).toEqual(['US', 'US'])
  const readRecord = (transactionId: string) => world.app.product.travelRule.read(world.app.product.pool, transactionId)
  const [beneficiary, originator] = [
    (await readRecord(receivedId))?.payload.beneficiary,
    (await readRecord(id))?.payload.originator,
  ]
  for (const person of [beneficiary?.beneficiaryPersons[0], originator?.originatorPersons[0]]) {
    expect(person?.naturalPerson.name.nameIdentifier[0]).toMatchObject({ secondaryIdentifier: 'dora' })
  }
})
