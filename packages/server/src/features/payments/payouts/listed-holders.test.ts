import { randomUUID } from 'node:crypto'
import { checkPayee, removeBankAccount, withdraw } from '@tern/contract/banking'
import { checks } from '@tern/contract/compliance/checks'
import { transferStatus } from '@tern/contract/transfers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestApp, TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'
import { linkAccount } from '@tern/testkit/payments'
import { decideAt, findQueueEntry, importNames, buildList } from '@tern/testkit/compliance/cases'
import { loadHolderCases, linkBankAccountWithHolder } from '@tern/testkit/compliance/holders'
import { transact } from '../../../platform/database/db.ts'
import { StoppedByCaseError } from '../../compliance/compliance.ts'

const listedHolder = 'Zebulon Quartermain'
const jointHolder = 'Ottoline Fernsby'

let desk: TestDesk
let world: TestApp
let ana: TestOperator
let ben: TestOperator
let rosa: TestPerson

beforeAll(async () => {
  desk = await startTestDesk({ unconfirmedPayments: 'any' })
  world = desk.world
  ;[ana, ben] = await Promise.all([desk.createOperator('reviewer'), desk.createOperator('reviewer')])
})
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await world.close()
})
beforeEach(async () => {
  await importNames(world, [listedHolder])
  rosa = await world.enroll('rosa', 'United States')
  await world.fund(rosa, 10_000)
})

const link = (holderName: string) => linkBankAccountWithHolder(world, rosa, holderName)

/** Holder of a joint account, as banks write it: the owner and another person. */
const buildJointName = (name: string) => `rosa Tester & ${name}`
const loadCases = (accountId: string) => loadHolderCases(world, accountId)
const order = (bankAccountId: string) =>
  rosa.call(withdraw, {
    body: { amount: '40.00', currency: 'USD', userId: rosa.id, bankAccountId },
    idempotencyKey: randomUUID(),
  })
const loadPayoutStatus = async (id: string) =>
  (await world.database.pool.query<{ status: string }>('select status from payout where id = $1', [id])).rows[0]?.status
const loadBalance = async () => (await rosa.wallet()).fiat_balance

async function decide(caseId: string, verdict: 'clear' | 'confirm'): Promise<void> {
  const entry = await findQueueEntry(world, caseId)
  await decideAt(ana, 'cases', entry, verdict)
  expect((await decideAt(ben, 'cases', entry, verdict)).body).toMatchObject({ outcome: 'carried_out' })
}

describe('an account whose holder may be listed', () => {
  test('opens a case when linked; withdrawals to it wait until two people have cleared the name', async () => {
    const account = await link(buildJointName(listedHolder))
    const [openedCase] = await loadCases(account)
    expect(openedCase).toMatchObject({ state: 'open', stops: 'transfers' })
    const { payout_id: payoutId, transaction_id: id } = await order(account)
    expect(await loadPayoutStatus(payoutId)).toBe('held')
    // The owner sees that a payment is checked, but not that the joint holder matches a list.
    const check = { id: openedCase!.id, kind: 'payment', telling: 'limited', transfers: [id] }
    expect(await rosa.call(transferStatus, { params: { id } })).toMatchObject({ hold: { reason: 'compliance', check } })
    expect(await rosa.call(checks, {})).toMatchObject([check])
    const { body } = await ana.call('GET', `/queues/cases/${await findQueueEntry(world, openedCase!.id)}`)
    const facts = JSON.stringify(body)
    for (const secretText of [buildJointName(listedHolder), 'counterparty_account_holder', listedHolder, id])
      expect(facts).toContain(secretText)
    await decide(openedCase!.id, 'clear')
    expect(await loadPayoutStatus(payoutId)).toBe('pending')
    await world.app.product.payments.submitPayout(payoutId)
    const { rows } = await world.database.pool.query('select provider_payout_id from payout where id = $1', [payoutId])
    expect(rows[0], 'the bank is asked').toEqual({ provider_payout_id: expect.any(String) })
    expect(await loadPayoutStatus((await order(account)).payout_id), 'nothing else waits').toBe('pending')
  })

  test('a confirmed match returns the withdrawn money to the wallet', async () => {
    const account = await link(buildJointName(listedHolder))
    const { payout_id: first } = await order(account)
    expect(await loadBalance()).toBe('60.00')
    const [openedCase] = await loadCases(account)
    await decide(openedCase!.id, 'confirm')
    expect([await loadPayoutStatus(first), await loadBalance()]).toEqual(['failed', '100.00'])
    const { payout_id: second } = await order(account)
    await world.app.product.heldTransfers.followCases()
    expect([await loadPayoutStatus(second), await loadBalance()]).toEqual(['failed', '100.00'])
    // The owner is not the listed person, so withdrawals to other accounts are not stopped.
    expect(await loadPayoutStatus((await order(await linkAccount(world, rosa, { bank: 'shoal' }))).payout_id)).toBe(
      'pending',
    )
  })

  test('is found when a list changes later, unless it was removed before', async () => {
    const [retainedAccount, removedAccount] = [
      await link(buildJointName(jointHolder)),
      await linkAccount(world, rosa, { bank: 'shoal' }),
    ]
    await transact(world.app.product.pool, (tx) =>
      world.app.product.counterparties.check(tx, {
        ...{ id: removedAccount, kind: 'account_holder', userId: BigInt(rosa.id), name: jointHolder },
      }),
    )
    await rosa.call(removeBankAccount, { params: { userId: String(rosa.id), id: removedAccount } })
    await importNames(world, [listedHolder, jointHolder])
    expect(await loadCases(retainedAccount)).toMatchObject([{ state: 'open', stops: 'transfers' }])
    expect(await loadCases(removedAccount)).toEqual([])
  })

  test('is screened against a new list before money leaves', async () => {
    const account = await link(buildJointName(jointHolder))
    await world.app.product.compliance.importLists([buildList([listedHolder, jointHolder])], true)
    const { payout_id: payoutId } = await order(account)
    expect(await loadPayoutStatus(payoutId)).toBe('held')
    expect(await loadCases(account)).toHaveLength(1)
  })

  test('is screened once more before the bank gets the order', async () => {
    const account = await link(buildJointName(jointHolder))
    const { payout_id: payoutId } = await order(account)
    expect(await loadPayoutStatus(payoutId)).toBe('pending')
    await world.app.product.compliance.importLists([buildList([listedHolder, jointHolder])], true)
    await world.app.product.payments.submitPayout(payoutId)
    expect(await loadPayoutStatus(payoutId)).toBe('held')
    const [openedCase] = await loadCases(account)
    await decide(openedCase!.id, 'confirm')
    expect([await loadPayoutStatus(payoutId), await loadBalance()]).toEqual(['failed', '100.00'])
  })

  test('fails a reservation made in the moment in which a list is published', async () => {
    const account = await link(buildJointName(jointHolder))
    const { compliance, counterparties, pool } = world.app.product
    await compliance.importLists([buildList([listedHolder, jointHolder])], true)
    await expect(transact(pool, (tx) => counterparties.requireNotStopped(tx, account))).rejects.toThrow(
      StoppedByCaseError,
    )
    expect(await loadCases(account), 'the case goes with what failed').toEqual([])
    expect(await transact(pool, (tx) => counterparties.areStopped(tx, account))).toBe(true)
    expect(await loadCases(account)).toHaveLength(1)
  })
})

test('an account of an unlisted holder opens no case, and money leaves to it', async () => {
  const account = await link(buildJointName('Gina Fairweather'))
  expect(await loadPayoutStatus((await order(account)).payout_id)).toBe('pending')
  expect(await loadCases(account)).toEqual([])
})

test('a withdrawal locks the holder before the wallet, as incoming money does', async () => {
  const account = await link(buildJointName('Gina Fairweather'))
  await rosa.call(checkPayee, { params: { userId: String(rosa.id), id: account } })
  const { pool } = world.database
  const [accountConnection, holderConnection] = [await pool.connect(), await pool.connect()]
  const waitUntilBlockedOn = async (table: string) => {
    const blockedSql = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%from ${table}%'`
    await expect.poll(async () => (await pool.query(blockedSql)).rowCount).toBe(1)
  }
  try {
    for (const client of [accountConnection, holderConnection]) await client.query('begin')
    await accountConnection.query('select from bank_account where id = $1 for update', [account])
    const orderResult = settleCall(order(account))
    await waitUntilBlockedOn('bank_account')
    await holderConnection.query('select from screening_counterparty where id = $1 for update', [account])
    await accountConnection.query('commit')
    await waitUntilBlockedOn('screening_counterparty')
    const walletLockSql = `select from ledger.account
      where name = (select 'wallet:' || id || ':USD' from wallet where user_id = $1) for update nowait`
    expect((await holderConnection.query(walletLockSql, [rosa.id])).rowCount).toBe(1)
    await holderConnection.query('commit')
    expect(await orderResult).toMatchObject({ status: 'pending' })
  } finally {
    for (const client of [accountConnection, holderConnection]) client.release(true)
  }
})

test('a name for which the person was cleared needs no new decision as an account’s holder', async () => {
  await importNames(world, [listedHolder, 'rosa Tester'])
  const { rows } = await world.database.pool.query<{ id: string }>(
    `select id from compliance_case where user_id = $1 and kind = 'name_match'`,
    [rosa.id],
  )
  await decide(rows[0]!.id, 'clear')
  const account = await link('rosa Tester')
  expect(await loadCases(account)).toEqual([])
  expect(await loadPayoutStatus((await order(account)).payout_id)).toBe('pending')
})
