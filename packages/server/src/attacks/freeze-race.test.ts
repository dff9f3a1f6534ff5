// A freeze or an opened loss races with payments in progress: afterwards, no payment decided before moves money.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { deposit, directPayment } from '@tern/contract/payments'
import { freezeAccount } from '@tern/contract/security'
import { transferStatus } from '@tern/contract/transfers'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ageDeposits } from '../../../../tools/aging.ts'
import { type Attack, readCode, countCodes, send, sendTo, startAttack } from '@tern/testkit/attacks/attack'
import { readTransferId } from '@tern/testkit/street-mode'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, settleCall } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { callNode } from '@tern/testkit/nodes'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { transact } from '../platform/database/db.ts'

const rounds = isFullRun ? 40 : 3
const timeoutMs = rounds * 30_000

let attack: Attack
let world: Attack['world']
let mule: TestPerson
let owner: TestPerson

beforeAll(async () => {
  attack = await startAttack('any')
  ;({ world } = attack)
  mule = await attack.newPerson('mule')
})
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await attack.close()
})
beforeEach(async () => {
  owner = await newOwner()
})

async function newOwner(): Promise<TestPerson> {
  const person = await attack.newPerson()
  await world.fund(person, 50_000)
  await ageDeposits(world.database.pool, person.id, 8 * 24)
  return person
}

/** Counts the completed sends and exchanges of a person. */
async function countCompletedMovements({ id }: TestPerson): Promise<number> {
  const { rows } = await world.database.pool.query<{ left: string }>(
    `select count(*)::text as left from transaction where user_id = $1 and kind in ('SEND', 'EXCHANGE') and status = 'COMPLETED'`,
    [id],
  )
  return Number(rows[0]?.left)
}

const sendToMule = (person: TestPerson, index: number) =>
  callNode(attack.urls[index % 3]!, person, { method: 'POST', path: '/payment/transfer', body: sendTo(mule, '1.00') })

/** Locks a person's dollar accounts, as an uncommitted movement does, until the returned function is called. */
async function holdAccounts({ id }: TestPerson) {
  const { pool } = world.database
  const holder: pg.PoolClient = await pool.connect()
  await holder.query('begin')
  await holder.query(
    `select from ledger.account a join wallet w on a.name like '%:' || w.id || ':USD' where w.user_id = $1 for no key update of a`,
    [id],
  )
  let isHolding = true
  const releaseAccounts = async () => {
    if (!isHolding) return
    isHolding = false
    await holder.query('commit')
    holder.release()
  }
  onTestFinished(releaseAccounts)
  return releaseAccounts
}

/** Waits until a query that contains `text` is blocked by a lock. */
const waitUntilBlocked = (text: string) =>
  expect
    .poll(
      async () => {
        const { rowCount } = await world.database.pool.query(
          `select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`,
          [text],
        )
        return rowCount
      },
      { interval: 5, timeout: 120_000 },
    )
    .toBeGreaterThanOrEqual(1)

const isFrozen = async ({ id }: TestPerson) =>
  (await world.database.pool.query('select from app_user where id = $1 and frozen_at is not null', [id])).rowCount === 1

describe('a freeze', () => {
  test('among 25 sends through three processes lets none settle afterwards', { timeout: timeoutMs }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const person = await newOwner()
      const sends = Array.from({ length: 25 }, (_, index) => sendToMule(person, index))
      // In two of three rounds, the freeze begins only after the first send is answered.
      if (round % 3 > 0) await Promise.race(sends)
      await person.call(freezeAccount, {})
      const completedCount = await countCompletedMovements(person)
      const codes = (await Promise.all(sends)).map(({ status, body }) => (status < 300 ? 'passed' : String(body.code)))
      expect(await countCompletedMovements(person), codes.join()).toBe(completedCount)
      const codeCounts = countCodes(codes)
      expect((codeCounts.passed ?? 0) + (codeCounts.account_frozen ?? 0), codes.join()).toBe(25)
      expect(codeCounts.passed ?? 0).toBe(completedCount)
    }
  })

  test('waits for a movement that is about to commit, and stops those queued behind it', async () => {
    const releaseAccounts = await holdAccounts(owner)
    const sends = Array.from({ length: 3 }, (_, index) => sendToMule(owner, index))
    const freezeOutcome = owner.call(freezeAccount, {}).then(() => 'answered')
    await waitUntilBlocked('wait_for_movements')
    expect(await isFrozen(owner), 'committed, so that every later movement sees it').toBe(true)
    expect(await Promise.race([freezeOutcome, Promise.resolve('still waits')])).toBe('still waits')
    await releaseAccounts()
    expect(await freezeOutcome).toBe('answered')
    expect((await Promise.all(sends)).map(({ body }) => body.code)).toEqual(
      Array.from({ length: 3 }, () => 'account_frozen'),
    )
    expect(await countCompletedMovements(owner)).toBe(0)
  })

  test('stops a held send whose settlement began before it', async () => {
    const sends = await Promise.all(Array.from({ length: 6 }, () => send(owner, mule, '1.00', { undo_seconds: 30 })))
    await world.database.pool.query(
      `update transfer set held_until = now() - interval '1 second', created_at = created_at - interval '1 minute' where sender_id = $1`,
      [owner.id],
    )
    const { heldTransfers } = world.app.product
    const releaseAccounts = await holdAccounts(owner)
    const dueRun = heldTransfers.endDue()
    await waitUntilBlocked('move_money')
    const freezeOutcome = owner.call(freezeAccount, {})
    await expect.poll(() => isFrozen(owner)).toBe(true)
    await releaseAccounts()
    await freezeOutcome
    const completedCount = await countCompletedMovements(owner)
    await dueRun
    await heldTransfers.endDue()
    expect(await countCompletedMovements(owner)).toBe(completedCount)
    expect(completedCount).toBe(0)
    for (const send of sends) {
      const status = await owner.call(transferStatus, { params: { id: readTransferId(send) } })
      expect(status).toMatchObject({ state: 'released', release_reason: 'expired' })
    }
    expect((await owner.wallet()).fiat_balance).toBe('500.00')
  })

  test('stops a withdrawal and an exchange that were decided before it', async () => {
    const bankAccountId = await linkAccount(world, owner)
    const quote = { source_currency: 'USD', target_currency: 'USDT', amount: '10.00', side: 'source' } as const
    const { quote_id } = await owner.call(createQuote, { body: quote })
    const releaseAccounts = await holdAccounts(owner)
    const withdrawal = { amount: '20.00', currency: 'USD', bankAccountId } as const
    const attempts = [
      settleCall(owner.call(withdraw, { body: withdrawal, idempotencyKey: randomUUID() })).then(readCode),
      settleCall(owner.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })).then(readCode),
    ]
    await waitUntilBlocked('move_money')
    const freezeOutcome = owner.call(freezeAccount, {})
    await expect.poll(() => isFrozen(owner)).toBe(true)
    await releaseAccounts()
    await freezeOutcome
    expect(await Promise.all(attempts)).toEqual(['account_frozen', 'account_frozen'])
    expect((await owner.wallet()).fiat_balance).toBe('500.00')
  })

  test('between a payout’s order and the call to its bank prevents the call', async () => {
    const bankAccountId = await linkAccount(world, owner)
    const { payout_id: payoutId } = await owner.call(withdraw, {
      body: { amount: '20.00', currency: 'USD', bankAccountId },
      idempotencyKey: randomUUID(),
    })
    const holder = await world.database.pool.connect()
    await holder.query('begin')
    await holder.query('select from payout where id = $1 for no key update', [payoutId])
    const submission = world.app.product.payments.submitPayout(payoutId)
    await waitUntilBlocked('from payout')
    const freezeOutcome = owner.call(freezeAccount, {})
    await expect.poll(() => isFrozen(owner)).toBe(true)
    await holder.query('commit')
    holder.release()
    await Promise.all([submission, freezeOutcome])
    await world.app.product.payments.submitPayout(payoutId)
    const { rows } = await world.database.pool.query('select status, provider_payout_id from payout where id = $1', [
      payoutId,
    ])
    expect(rows).toEqual([{ status: 'failed', provider_payout_id: null }])
    expect((await owner.wallet()).fiat_balance).toBe('500.00')
  })

  test('prevents a bank debit that was not submitted before it', async () => {
    const bankAccountId = await linkAccount(world, owner)
    const body = { amount: '20.00', currency: 'USD', method: 'bank', bankAccountId } as const
    const idempotencyKey = randomUUID()
    const holder = await world.database.pool.connect()
    await holder.query('begin')
    // A deposit requests this lock only after all rules have been checked.
    await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `payment ${owner.id} ${idempotencyKey}`,
    ])
    const depositOutcome = settleCall(owner.call(deposit, { body, idempotencyKey }))
    await waitUntilBlocked('pg_advisory_xact_lock')
    await owner.call(freezeAccount, {})
    await holder.query('commit')
    holder.release()
    expect(await depositOutcome).toMatchObject({ code: 'account_frozen' })
    const { rows } = await world.database.pool.query(
      'select status, submitted_token, session_id from payment where user_id = $1 and idempotency_key = $2',
      [owner.id, idempotencyKey],
    )
    expect(rows).toEqual([{ status: 'failed', submitted_token: null, session_id: null }])
  })

  test('turns a send whose money is still arriving from a bank into a deposit', async () => {
    await linkAccount(world, owner)
    const body = { amount: 3000, currency: 'usd', recipientId: String(mule.id), paymentSource: 'bank' } as const
    const { payment_id: id } = await owner.call(directPayment, { body, idempotencyKey: randomUUID() })
    const releaseAccounts = await holdAccounts(owner)
    const steerRun = steer(world, id, 'settle')
    await waitUntilBlocked('move_money')
    const freezeOutcome = owner.call(freezeAccount, {})
    await expect.poll(() => isFrozen(owner)).toBe(true)
    await releaseAccounts()
    await Promise.all([steerRun, freezeOutcome])
    await waitForPayment(owner, id, 'failed')
    expect(await countCompletedMovements(owner)).toBe(0)
    expect((await owner.wallet()).fiat_balance).toBe('530.15')
  })
})

test('a loss opened after a send was decided stops it', async () => {
  const { pool } = world.app.product
  const body = { amount: 1000, currency: 'usd', recipientId: String(mule.id), paymentSource: 'card' } as const
  const { payment_id: paymentId } = await owner.call(directPayment, { body, idempotencyKey: randomUUID() })
  const releaseAccounts = await holdAccounts(owner)
  const sends = Array.from({ length: 3 }, (_, index) => sendToMule(owner, index))
  await waitUntilBlocked('move_money')
  await transact(pool, async (tx) => {
    await tx.query(
      `insert into reconciliation_exception (id, kind, provider, subject, reference, amount_minor, currency, detail, opened_at)
       values (gen_random_uuid(), 'loss', 'sandbox', $1, $2, 1000, 'USD', 'reversal_loss', now())`,
      [randomUUID(), paymentId],
    )
  })
  await releaseAccounts()
  expect((await Promise.all(sends)).map(({ body: { code } }) => code)).toEqual(['loss_open', 'loss_open', 'loss_open'])
  await world.database.pool.query('delete from reconciliation_exception where reference = $1', [paymentId])
})
