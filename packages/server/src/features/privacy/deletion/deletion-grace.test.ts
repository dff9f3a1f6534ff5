// The grace period between request and deletion, through the API: hidden from other users, and undone by a login.

import { randomUUID } from 'node:crypto'
import { currentUser, searchUsers, userProfile } from '@tern/contract/identity'
import { createPayment, depositByCard } from '@tern/contract/payments'
import { deleteAccount, deletionState } from '@tern/contract/privacy/privacy'
import { freezeByLink, login, reportUnrecognizedSignIn } from '@tern/contract/sign-in'
import { createRequest } from '@tern/contract/requests/requests'
import { sendMoney } from '@tern/contract/transfers'
import { withdraw } from '@tern/contract/banking'
import { walletByUser } from '@tern/contract/wallets'
import { describe, expect, test } from 'vitest'
import { callTern, ternEnvironment } from '@tern/testkit/processes/call-tern'
import { recordCaseDecisions, openTestCase } from '@tern/testkit/compliance/cases'
import { beginDeletion, endGracePeriod } from '@tern/testkit/account-deletion'
import { dueTime, dateAfterDays, createConfirmedSchedule, createWorkerAt } from '@tern/testkit/schedules'
import {
  confirm,
  loadFailedChecks,
  loadMails,
  nextMail,
  settleCall,
  readRequirement,
  reportPayout,
} from '@tern/testkit/banking'
import { linkAccount, steer, loadStoredPayment, waitForPayment } from '@tern/testkit/payments'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { transact } from '../../../platform/database/db.ts'

const dayMs = 86_400_000

const world = await openTestApp({ unconfirmedPayments: 'many' })
const deletion = world.app.product.privacy.deletion
const anna = await world.enroll('anna', 'United States')
await world.fund(anna, 50_000)

const enrollPerson = (name: string) => world.enroll(name, 'United States')
const logIn = ({ email, password }: TestPerson) => settleCall(anna.call(login, { body: { email, password } }))
const send = (from: TestPerson, to: TestPerson, amount = '1.00') =>
  settleCall(
    from.call(sendMoney, {
      body: { recipient_id: to.id, amount, source_currency: 'USD' },
      idempotencyKey: randomUUID(),
    }),
  )
const loadState = async ({ id }: TestPerson) => {
  const { rows } = await world.database.pool.query<{ state: string }>(
    `select case when deleted_at is not null then 'deleted' when deletion_due_at is not null then 'leaving' else 'there' end as state
       from app_user where id = $1`,
    [id],
  )
  return rows[0]?.state
}
const parseToken = (mail: string, path: string) =>
  new RegExp(`/${path}#token=([\\w-]+)`).exec(mail)?.[1] ?? `no link to /${path} in: ${mail}`
const findDeletionMail = (person: TestPerson) => nextMail(world, person, /^Your Tern account will be deleted on/)

/** Refusal codes of another user's actions with this user, and the count of search results. */
async function attemptActions(person: TestPerson) {
  const key = () => ({ idempotencyKey: randomUUID() })
  const cardBody = {
    purpose: 'send',
    method: 'card',
    recipient_id: person.id,
    amount: '1.00',
    currency: 'USD',
  } as const
  const outcomes = await Promise.all([
    send(anna, person),
    settleCall(anna.call(createPayment, { body: cardBody, ...key() })),
    settleCall(anna.call(createRequest, { body: { payer_id: person.id, amount: '1.00', currency: 'USD' }, ...key() })),
    settleCall(anna.call(userProfile, { params: { id: String(person.id) } })),
    settleCall(anna.call(walletByUser, { params: { userId: String(person.id) } })),
  ])
  const searchResults = await anna.call(searchUsers, { query: { query: person.username } })
  return [...outcomes.map((outcome) => (outcome as { code?: string }).code), searchResults.length]
}

describe('an account that is about to be deleted', () => {
  test('is closed to others, and a login reopens it unchanged', async () => {
    const vera = await enrollPerson('vera')
    await linkAccount(world, vera)
    const requirement = readRequirement(await settleCall(vera.call(deleteAccount, {})))
    await confirm(world, vera, requirement)
    const startedAt = world.app.product.now().getTime()
    const { due_at: dueAt } = await vera.call(deleteAccount, { confirmation: requirement.id })
    expect(Date.parse(dueAt) - startedAt).toBeGreaterThanOrEqual(14 * dayMs)
    expect(Date.parse(dueAt) - startedAt).toBeLessThan(14 * dayMs + 60_000)

    const mail = await findDeletionMail(vera)
    expect(mail).toContain('Log in before')
    expect(mail).toContain("This wasn't me")
    expect(await settleCall(vera.call(currentUser, {}))).toMatchObject({ code: 'unauthenticated' })
    expect(await attemptActions(vera)).toEqual([
      ...['recipient_not_found', 'recipient_not_found', 'recipient_not_found', 'not_found', 'not_found', 0],
    ])
    await deletion.finishDue()
    expect(await deletion.finish(BigInt(vera.id)), 'not before its time').toBeUndefined()
    expect(await loadState(vera)).toBe('leaving')

    expect(await logIn(vera)).toMatchObject({ deletion_undone: true, user: { id: vera.id } })
    expect(await loadState(vera)).toBe('there')
    expect(await nextMail(world, vera, 'Your account stays')).toContain('so it stays, with everything in it')
    expect(await logIn(vera)).not.toHaveProperty('deletion_undone')
    const [sendOutcome, paymentOutcome, requestOutcome, profileOutcome, walletOutcome, searchCount] =
      await attemptActions(vera)
    expect([sendOutcome, paymentOutcome, requestOutcome, profileOutcome, walletOutcome, searchCount]).toEqual([
      ...[undefined, undefined, undefined, undefined, undefined, 1],
    ])
    const { rows } = await world.database.pool.query(
      'select removed_at, (select count(*)::int from session where user_id = $1 and revoked_at is null) as sessions from bank_account where user_id = $1',
      [vera.id],
    )
    expect(rows).toEqual([{ removed_at: null, sessions: 2 }])
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('is kept by the link that reports an intruder, which also blocks the password', async () => {
    const will = await enrollPerson('will')
    await beginDeletion(world, will.id)
    const token = parseToken(await findDeletionMail(will), 'not-me')
    await anna.call(reportUnrecognizedSignIn, { body: { token } })
    expect(await loadState(will)).toBe('there')
    expect(await logIn(will)).toMatchObject({ code: 'password_reset_required' })
    expect(await send(anna, will)).toMatchObject({ status: 'COMPLETED' })
  })

  test('is kept by a link that freezes it', async () => {
    const xena = await enrollPerson('xena')
    const { moneyAlertLinks } = world.app.product.identity
    const { freeze } = await transact(world.database.pool, (tx) =>
      moneyAlertLinks(tx, { userId: BigInt(xena.id), email: xena.email }),
    )
    await beginDeletion(world, xena.id)
    await anna.call(freezeByLink, { body: { token: parseToken(freeze, 'freeze') } })
    expect(await loadState(xena)).toBe('there')
    expect(await logIn(xena)).toMatchObject({ user: { frozen_at: expect.any(String) } })
  })

  test('gets no scheduled send, and its own paused one stays paused', async () => {
    const yuri = await enrollPerson('yuri')
    await world.fund(yuri, 5000)
    const ownSchedule = await createConfirmedSchedule(yuri, anna, {
      next_on: dateAfterDays(world, 2),
      recurrence: 'weekly',
      target_currency: 'USD',
    })
    await world.database.pool.query(
      `update schedule set state = 'paused', resume_at = $2, paused_until = next_on where id = $1`,
      [ownSchedule.id, world.app.product.now()],
    )
    await send(yuri, anna, '49.75')
    const standing = await createConfirmedSchedule(anna, yuri, {
      next_on: dateAfterDays(world, 1),
      target_currency: 'USD',
    })
    await beginDeletion(world, yuri.id)
    await createWorkerAt(world, dueTime(dateAfterDays(world, 1))).runDue()
    const { rows } = await world.database.pool.query(
      `select s.id, s.state, o.state as sent, o.reason from schedule s left join schedule_occurrence o on o.schedule_id = s.id
        where s.id = any($1)`,
      [[ownSchedule.id, standing.id]],
    )
    expect(rows).toContainEqual({ id: ownSchedule.id, state: 'paused', sent: null, reason: null })
    expect(rows).toContainEqual(
      expect.objectContaining({ id: standing.id, sent: 'failed', reason: 'recipient_not_found' }),
    )
    await logIn(yuri)
    await createWorkerAt(world, dueTime(dateAfterDays(world, 1))).runDue()
    const scheduleAfter = await world.database.pool.query('select state from schedule where id = $1', [ownSchedule.id])
    expect(scheduleAfter.rows).toEqual([{ state: 'active' }])
  })
})

describe('after the grace period', () => {
  test('an account with a returned withdrawal stays open, and its owner is notified with the reason', async () => {
    const tara = await enrollPerson('tara')
    const bankAccountId = await linkAccount(world, tara)
    await send(anna, tara, '40.00')
    const body = { amount: '40.00', currency: 'USD', bankAccountId } as const
    const { payout_id: id } = await tara.call(withdraw, { body, idempotencyKey: randomUUID() })
    await world.app.product.payments.submitPayout(id)
    await reportPayout(world, id, 'paid')
    await world.database.pool.query(`update payout set updated_at = updated_at - interval '11 days' where id = $1`, [
      id,
    ])
    await beginDeletion(world, tara.id)
    expect(await reportPayout(world, id, 'returned')).toMatchObject({ status: 204 })
    expect(await nextMail(world, tara, /came back|returned/)).toContain('40.00')
    // The account has a balance again, but still accepts no payments.
    expect(await send(anna, tara)).toMatchObject({ code: 'recipient_not_found' })
    await endGracePeriod(world, tara.id)
    await deletion.finishDue()
    expect(await loadState(tara)).toBe('there')
    expect(await nextMail(world, tara, 'Your Tern account was not deleted')).toContain('There is money in your wallet')
    expect(await send(anna, tara)).toMatchObject({ status: 'COMPLETED' })
    expect(await logIn(tara)).not.toHaveProperty('deletion_undone')
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('an account with a late card payment stays open too', async () => {
    const wim = await enrollPerson('wim')
    const depositInput = { body: { amount: 2500, currency: 'usd' }, idempotencyKey: randomUUID() } as const
    const { payment_id: id } = await wim.call(depositByCard, depositInput)
    await steer(world, id, 'fail')
    await waitForPayment(wim, id, 'failed')
    await beginDeletion(world, wim.id)
    await steer(world, id, 'settle')
    await expect.poll(async () => (await loadStoredPayment(world, id)).status).toBe('completed')
    expect(await nextMail(world, wim, 'A late payment is in your wallet')).toContain('25.00')
    expect(await send(anna, wim), 'and nobody can send more').toMatchObject({ code: 'recipient_not_found' })
    await endGracePeriod(world, wim.id)
    await deletion.finishDue()
    expect(await loadState(wim)).toBe('there')
    expect(await nextMail(world, wim, 'Your Tern account was not deleted')).toContain('There is money in your wallet')
    expect(await send(anna, wim)).toMatchObject({ status: 'COMPLETED' })
    expect(await loadFailedChecks(world)).toEqual([])
  })

  test('an account with a new case stays open too', async () => {
    const una = await enrollPerson('una')
    await beginDeletion(world, una.id)
    await openTestCase(world, { userId: BigInt(una.id), kind: 'pattern', evidence: {} })
    await endGracePeriod(world, una.id)
    await deletion.finishDue()
    expect(await loadState(una)).toBe('there')
    expect(await nextMail(world, una, 'Your Tern account was not deleted')).toContain('A check is open')
    expect(await logIn(una)).toMatchObject({ user: { id: una.id } })
  })

  test('a secret case shows nowhere, and its data stay until it has ended', async () => {
    const [noor, opal] = [await enrollPerson('noor'), await enrollPerson('opal')]
    const secretCase = { kind: 'name_match', stops: 'nothing', evidence: { highest_score: 8700 } } as const
    const caseId = await openTestCase(world, { userId: BigInt(noor.id), ...secretCase })
    expect((await noor.call(deletionState, {})).obstacles).toEqual([])
    await beginDeletion(world, noor.id)
    await findDeletionMail(noor)
    await beginDeletion(world, opal.id)
    await endGracePeriod(world, noor.id)
    await endGracePeriod(world, opal.id)
    await deletion.finishDue()
    expect([await loadState(noor), await loadState(opal)]).toEqual(['leaving', 'deleted'])
    // The account moves to the end of the queue, and no further mail about the deletion reveals the case.
    const waitingDeletions = await deletion.waiting()
    expect(waitingDeletions.at(-1)?.userId).toBe(BigInt(noor.id))
    expect(await loadMails(world, noor, /delet/)).toHaveLength(1)
    await recordCaseDecisions(world, caseId, 'clear')
    await deletion.finishDue()
    expect(await loadState(noor)).toBe('deleted')
    expect(await nextMail(world, noor, 'Your Tern account is deleted')).toContain('deleted on')
  })
})

test('the database begins nothing for a leaving user, and accepts what others finish', async () => {
  const ulla = await enrollPerson('ulla')
  await beginDeletion(world, ulla.id)
  const tryInsert = (table: string, column: string) =>
    world.database.pool.query(`insert into ${table} (${column}) values ($1)`, [ulla.id]).then(
      () => 'inserted',
      (error: { code: string }) => error.code,
    )
  const refusedColumns = [
    ...['payment.user_id', 'payment.recipient_id', 'transfer.sender_id', 'transfer.recipient_id', 'payout.user_id'],
    ...['payment_request.requester_id', 'payment_request.payer_id', 'schedule.user_id', 'schedule.payee_id'],
    ...['exchange_order.user_id', 'session.user_id', 'favorite.user_id', 'favorite.favorite_id'],
  ]
  const tryInserts = async (columns: readonly string[]) =>
    Promise.all(columns.map(async (name) => [name, await tryInsert(...(name.split('.') as [string, string]))]))
  expect(await tryInserts(refusedColumns)).toEqual(refusedColumns.map((name) => [name, 'TU001']))
  // Fails only because other columns are missing (`not_null_violation`).
  const acceptedColumns = ['bank_link.user_id', 'compliance_case.user_id', 'kyc_submission.user_id']
  expect(await tryInserts(acceptedColumns)).toEqual(acceptedColumns.map((name) => [name, '23502']))
})

test('the command lists waiting accounts with their due time', async () => {
  const zoe = await enrollPerson('zoe')
  const dueAt = await beginDeletion(world, zoe.id)
  const { code, text } = await callTern(ternEnvironment(world), 'privacy')
  expect(code).toBe(0)
  expect(text).toContain(`user ${zoe.id}  will be deleted ${dueAt.toISOString().slice(0, 16)}Z`)
})

test('the state contains the due time of a deletion', async () => {
  const { due_at: dueAt } = await anna.call(deletionState, {})
  expect(Math.abs(Date.parse(dueAt) - world.app.product.now().getTime() - 14 * dayMs)).toBeLessThan(60_000)
})
