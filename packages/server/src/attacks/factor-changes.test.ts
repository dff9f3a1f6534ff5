// The attacker has just changed the account holder's authentication factors, or linked a bank account, and pays known
// payees or withdraws to that account. Runs with the product's default rules, listed in docs/risk.md.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { updateProfile } from '@tern/contract/identity'
import {
  addPasskey,
  changePassword,
  confirmTotp,
  passkeyRegistrationOptions,
  removePasskey,
  startTotp,
} from '@tern/contract/security'
import { resetPassword, sendPasswordReset, verifyEmail } from '@tern/contract/sign-in'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ageDeposits, agePayout, ageSends } from '../../../../tools/aging.ts'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, nextMail, settleCall, readRequirement, steerPayout } from '@tern/testkit/banking'
import { linkAccount } from '@tern/testkit/payments'
import { type Attack, readCode, send, sendTo, startAttack } from '@tern/testkit/attacks/attack'
import { createTestAuthenticator } from '@tern/testkit/identity/authenticator'

let attack: Attack
let pool: Attack['world']['database']['pool']

beforeAll(async () => {
  attack = await startAttack()
  ;({ pool } = attack.world.database)
})
afterAll(async () => {
  expect(await loadFailedChecks(attack.world)).toEqual([])
  await attack.close()
})

/** Makes a call that requires a confirmation, and confirms it. */
async function callWithProof<T>(person: TestPerson, call: (confirmation?: string) => Promise<T>): Promise<T> {
  const { id } = readRequirement(await settleCall(call()))
  await person.confirmAtOnce?.(id)
  return call(id)
}

const generatePassword = () => `${randomUUID()}-Bb2`
const parseToken = (mail: string) => /token=([\w-]+)/.exec(mail)?.[1] ?? ''

async function enrollPasskey(owner: TestPerson): Promise<string> {
  const registration = await callWithProof(owner, (confirmation) =>
    owner.call(passkeyRegistrationOptions, { confirmation }),
  )
  const response = createTestAuthenticator(attack.world.url).create(registration.options)
  const { passkey } = await owner.call(addPasskey, { body: { ceremony: registration.ceremony, response } })
  return passkey.id
}

async function setUpAuthenticatorApp(owner: TestPerson): Promise<void> {
  const { secret } = await callWithProof(owner, (confirmation) => owner.call(startTotp, { confirmation }))
  await owner.call(confirmTotp, { body: { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() } })
}

async function changeEmail(owner: TestPerson): Promise<void> {
  const params = { id: String(owner.id) }
  const email = `mule.${randomUUID()}@example.com`
  await callWithProof(owner, (confirmation) => owner.call(updateProfile, { params, body: { email }, confirmation }))
  await owner.call(verifyEmail, { body: { token: parseToken(await nextMail(attack.world, { email }, /./)) } })
}

/**
 * Resets the password by mail and signs in. Backdates the account's sessions by 25 hours; returns the new session's
 * token.
 */
async function resetByMail(owner: TestPerson): Promise<string> {
  const { world } = attack
  const password = generatePassword()
  await owner.call(sendPasswordReset, { body: { email: owner.email } })
  const token = parseToken(await nextMail(world, owner, /password/i))
  await owner.call(resetPassword, { body: { token, password } })
  const { body } = await world.raw('POST', '/user/login', { body: { email: owner.email, password } })
  await pool.query(`update session set created_at = created_at - interval '25 hours' where user_id = $1`, [owner.id])
  return String(body.access_token)
}

type Change = (owner: TestPerson) => Promise<unknown>

const changes: readonly (readonly [string, string, Change])[] = [
  ['a passkey was added', 'passkey_added', enrollPasskey],
  ['an authenticator app was set up', 'totp_added', setUpAuthenticatorApp],
  [
    'a passkey was removed',
    'passkey_removed',
    async (owner) => {
      const params = { id: await enrollPasskey(owner) }
      await callWithProof(owner, (confirmation) => owner.call(removePasskey, { params, confirmation }))
    },
  ],
  [
    'the password was changed',
    'password_changed',
    (owner) =>
      callWithProof(owner, (confirmation) =>
        owner.call(changePassword, { body: { password: generatePassword() }, confirmation }),
      ),
  ],
  ['the password was reset by mail', 'password_reset', resetByMail],
  ['the email address was changed', 'email_changed', changeEmail],
]

const backdateFactorChange = (owner: TestPerson, time: string) =>
  pool.query('update app_user set factor_changed_at = factor_changed_at - $2::interval where id = $1', [owner.id, time])

test.each(changes)('%s five minutes ago: what passes is the allowance alone', async (_case, change, performChange) => {
  const { world, newPerson } = attack
  const [owner, friend] = [await newPerson(), await newPerson('friend')]
  await world.fund(owner, 200_000)
  await send(owner, friend, '1.00')
  await ageSends(pool, { senderId: BigInt(owner.id) })
  expect(readCode(await send(owner, friend, '150.00')), 'before').toBe('passed')
  const token = await performChange(owner)
  await backdateFactorChange(owner, '5 minutes')
  const sendFromThief = async (amount: string) => {
    if (typeof token !== 'string' || change !== 'password_reset') return readCode(await send(owner, friend, amount))
    const headers = { 'idempotency-key': randomUUID() }
    const { status, body } = await world.raw('POST', '/payment/transfer', {
      token,
      body: sendTo(friend, amount),
      headers,
    })
    return status < 300 ? 'passed' : String(body.code)
  }
  expect(await sendFromThief('150.00')).toBe('step_up_required')
  expect(await sendFromThief('90.00'), 'within the allowance').toBe('passed')
  const { rows } = await pool.query(
    `select rule, policy_version, inputs->>'new_factor' as new_factor from risk_decision where user_id = $1 order by id desc limit 2`,
    [owner.id],
  )
  expect(rows).toEqual([
    { rule: 'allowance', policy_version: 2, new_factor: change },
    { rule: 'allowance_amount', policy_version: 2, new_factor: change },
  ])
  await backdateFactorChange(owner, '23 hours 50 minutes')
  expect(await sendFromThief('150.00'), 'not yet a day later').toBe('step_up_required')
  await backdateFactorChange(owner, '6 minutes')
  expect(await sendFromThief('150.00'), 'a day later').toBe('passed')
})

test('a bank account linked five minutes ago: the allowance alone, until a day after money has arrived there', async () => {
  const { world, newPerson } = attack
  const owner = await newPerson()
  await world.fund(owner, 100_000)
  await ageDeposits(pool, owner.id, 8 * 24)
  const bankAccountId = await linkAccount(world, owner)
  const body = { currency: 'USD', bankAccountId } as const
  const withdrawAmount = (amount: string) =>
    settleCall(owner.call(withdraw, { body: { ...body, amount }, idempotencyKey: randomUUID() }))
  expect(readCode(await withdrawAmount('150.00'))).toBe('step_up_required')
  const first = await withdrawAmount('90.00')
  expect(readCode(first), 'within the allowance').toBe('passed')
  await pool.query(`update bank_account set linked_at = linked_at - interval '25 hours' where id = $1`, [bankAccountId])
  expect(readCode(await withdrawAmount('150.00')), 'linked a day ago, and nothing has arrived').toBe('step_up_required')
  const payoutId = 'payout_id' in first ? String(first.payout_id) : ''
  const { payments } = world.app.product
  await payments.submitPayout(payoutId)
  await steerPayout(world, payoutId, 'pay')
  const loadPayoutStatus = async () =>
    (await pool.query<{ status: string }>('select status from payout where id = $1', [payoutId])).rows[0]?.status
  await expect.poll(loadPayoutStatus, { timeout: 120_000 }).toBe('completed')
  expect(readCode(await withdrawAmount('150.00')), 'arrived just now').toBe('step_up_required')
  await agePayout(pool, payoutId, 25)
  expect(readCode(await withdrawAmount('150.00'))).toBe('passed')
})

test('the password was changed five minutes ago, and nothing cools off: 500 dollars leave', async () => {
  const { world, newPerson } = attack
  const [owner, friend] = [await newPerson(), await newPerson('friend')]
  await world.fund(owner, 100_000)
  await send(owner, friend, '1.00')
  await ageSends(pool, { senderId: BigInt(owner.id) })
  await changes.find(([, change]) => change === 'password_changed')?.[2](owner)
  expect(await nextMail(world, owner, 'Your password was changed')).toContain('confirm more of your payments')
  expect(readCode(await send(owner, friend, '500.00'))).toBe('step_up_required')
  await pool.query(
    `insert into risk_policy
     select version + 1, allowance_usd_minor, allowance_payments, new_payees_per_day, trusted_after_hours, trusted_payee_usd_minor,
         new_device_hours, 0 from risk_policy order by version desc limit 1`,
  )
  expect(readCode(await send(owner, friend, '500.00'))).toBe('passed')
})
