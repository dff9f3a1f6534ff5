import { randomUUID } from 'node:crypto'
import { login } from '@tern/contract/sign-in'
import { bankAccounts, bankLinkStatus, finishBankLink, linkBankAccount, withdraw } from '@tern/contract/banking'
import { createClient } from '@tern/contract/protocol/client'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { beforeEach, expect, test, vi } from 'vitest'
import { type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { createPaymentsWithErrors, buildContext, linkAccount } from '@tern/testkit/payments'
import { confirm, loadFailedChecks, loadMails, settleCall, readRequirement } from '@tern/testkit/banking'
import { transact } from '../../../platform/database/db.ts'
import { isSameHolder } from '../instruments/account-holder.ts'
import { applyLinkState } from './bank-links.ts'

// An attacker completes the bank page of a user's link, or has the user complete the page of the attacker's link.

let victim: TestPerson
let thief: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  ;[victim, thief] = await Promise.all([
    world.enroll('victim', 'United States'),
    world.enroll('thief', 'United States'),
  ])
})

type LinkBody = CallInput<typeof linkBankAccount>['body']

async function startLink(person: TestPerson, body: LinkBody = {}) {
  const requirement = readRequirement(await settleCall(person.call(linkBankAccount, { body })))
  await confirm(world, person, requirement)
  const { redirectUrl, link_id: id } = await person.call(linkBankAccount, { body, confirmation: requirement.id })
  return { id, page: redirectUrl, require: requirement }
}

/** Consents on the bank's page; returns the secret in the return URL, or an empty text. */
async function consent(page: string): Promise<string> {
  const body = new URLSearchParams({ action: 'allow', bank: 'harbour', account: 'USD' })
  const reply = await fetch(page, { method: 'POST', body, redirect: 'manual' })
  return new URL(reply.headers.get('location') ?? 'none:').searchParams.get('link_secret') ?? ''
}

const finishLink = (person: Pick<TestPerson, 'call'>, id: string, secret: string) =>
  settleCall(person.call(finishBankLink, { params: { id }, body: { secret } }))
const loadAccounts = (person: TestPerson) => person.call(bankAccounts, { params: { userId: String(person.id) } })
const loadState = (person: TestPerson, id: string) => person.call(bankLinkStatus, { params: { id } })

/** Logs the same user in again, and returns a client for the new session. */
async function signInAnotherSession({ email, password }: TestPerson): Promise<Pick<TestPerson, 'call'>> {
  const session: { token?: string } = {}
  const { call } = createClient({ baseUrl: `${world.url}/api`, accessToken: () => session.token, timeoutMs: 20_000 })
  const signInAnswer = await call(login, { body: { email, password } })
  session.token = (signInAnswer as { access_token: string }).access_token
  return { call }
}

/** Waits for the provider's event about the link, then polls. */
async function settleLink(id: string): Promise<void> {
  const { pool, now, payments } = world.app.product
  await vi.waitFor(
    async () => {
      const { rowCount } = await pool.query(`select from provider_event where subject_id = $1`, [id])
      expect(rowCount).toBe(1)
    },
    { timeout: 120_000 },
  )
  await payments.checkPendingLinks(new Date(now().getTime() + 1000))
}

test('a bank page that another client completes links nothing to the user who began it', async () => {
  const { id, page } = await startLink(victim)
  const stolenConsent = await consent(page)
  expect(stolenConsent).toHaveLength(43)
  await settleLink(id)
  expect(await loadState(victim, id)).toMatchObject({ status: 'pending', bank_account: null })
  // A completed bank page does not reveal the secret again.
  const endedPage = await (await fetch(page)).text()
  expect(endedPage).not.toContain('link_secret')
  expect(await consent(page)).toBe('')
  // Encoded, because ids are logged and the log check fails on any submitted secret.
  for (const wrongSecret of ['', 'x', 'A'.repeat(43), Buffer.from(id).toString('base64url')]) {
    expect(await finishLink(victim, id, wrongSecret)).toMatchObject({
      status: expect.toSatisfy((s) => s === 403 || s === 422),
    })
  }
  expect(await finishLink(thief, id, stolenConsent)).toMatchObject({ code: 'not_found' })
  await settleLink(id)
  expect(await loadAccounts(victim)).toEqual([])
  expect(await loadAccounts(thief)).toEqual([])
  expect(await loadMails(world, victim, 'A bank account was linked')).toEqual([])
})

test('a bank page that a thief began and the victim completed links nothing to the thief', async () => {
  const { id, page } = await startLink(thief)
  const secret = await consent(page)
  // The victim's browser returns, logged in as the victim.
  expect(await finishLink(victim, id, secret)).toMatchObject({ code: 'not_found' })
  await settleLink(id)
  expect(await loadAccounts(thief)).toEqual([])
  expect(await loadAccounts(victim)).toEqual([])
})

test('only the login session that began a link can finish it', async () => {
  const { id, page } = await startLink(victim)
  const secret = await consent(page)
  expect(await finishLink(await signInAnotherSession(victim), id, secret)).toMatchObject({
    code: 'link_of_other_browser',
    detail: expect.stringContaining('No account was linked') as string,
  })
  expect(await loadAccounts(victim)).toEqual([])
  expect(await finishLink(victim, id, secret)).toEqual({ success: true })
  await vi.waitFor(async () => expect(await loadAccounts(victim)).toHaveLength(1), { timeout: 120_000 })
  expect(await finishLink(victim, id, secret), 'repeatable').toEqual({ success: true })
  expect(await loadAccounts(victim)).toHaveLength(1)
})

test('an abandoned consent is ended at the provider after a day', async () => {
  const { id, page } = await startLink(victim)
  await consent(page)
  await settleLink(id)
  const { pool, now } = world.app.product
  await pool.query(`update bank_link set created_at = created_at - interval '25 hours' where id = $1`, [id])
  const unlinkedTokens: string[] = []
  const watchedPayments = createPaymentsWithErrors(world, {
    bank: { unlink: (token) => Promise.resolve(unlinkedTokens.push(token) > 0) },
  })
  await watchedPayments.payments.checkPendingLinks(new Date(now().getTime() + 1000))
  expect((await loadState(victim, id)).status).toBe('failed')
  expect(unlinkedTokens).toHaveLength(1)
})

test('an account in another name is refused with a reason, and its consent ended', async () => {
  const { id } = await startLink(victim)
  const { pool, now } = world.app.product
  await pool.query('update bank_link set returned_at = now() where id = $1', [id])
  const bankAccount = {
    token: `ba_${id}`,
    fingerprint: id,
    bankName: 'Harbour Bank',
    last4: '4021',
    country: 'US',
  } as const
  const account = { ...bankAccount, currency: 'USD', holderName: 'Mallory Stranger' } as const
  const linkedEvent = { provider: 'sandbox', state: { status: 'linked', linkId: id, account } } as const
  expect(await transact(pool, (tx) => applyLinkState(buildContext(world), tx, linkedEvent))).toBe('holder_differs')
  expect(await loadState(victim, id)).toEqual({ status: 'failed', reason: 'holder_differs', bank_account: null })
  expect(await loadAccounts(victim)).toEqual([])
  const unlinkedTokens: string[] = []
  const watchedPayments = createPaymentsWithErrors(world, {
    bank: { unlink: (token) => Promise.resolve(unlinkedTokens.push(token) > 0) },
  })
  await watchedPayments.payments.checkPendingLinks(new Date(now().getTime() + 1000))
  expect(unlinkedTokens).toEqual([account.token])
})

const withdrawalBody = { withdrawal: { amount: '500.00', currency: 'USD' } } as const

/** Links an account together with a withdrawal of 500 dollars to it; returns the account. */
async function linkWithWithdrawal(person: TestPerson): Promise<string> {
  const { id, page } = await startLink(person, withdrawalBody)
  await finishLink(person, id, await consent(page))
  await vi.waitFor(async () => expect((await loadState(person, id)).status).toBe('linked'), { timeout: 120_000 })
  return (await loadState(person, id)).bank_account!.id
}

const withdrawTo = (person: Pick<TestPerson, 'call'>, bankAccountId: string, amount = '500.00', key = randomUUID()) =>
  settleCall(
    person.call(withdraw, {
      body: { amount, currency: 'USD', bankAccountId, expected_total: amount },
      idempotencyKey: key,
    }),
  )

test('one confirmation covers a link and its stated withdrawal, which a retry may repeat', async () => {
  await world.fund(victim, 2_000_00)
  const { id, page, require } = await startLink(victim, withdrawalBody)
  expect(require).toMatchObject({ action: 'link_bank_account', subject: { withdraws: '500.00 USD' } })
  await finishLink(victim, id, await consent(page))
  await vi.waitFor(async () => expect(await loadAccounts(victim)).toHaveLength(1), { timeout: 120_000 })
  const [account] = await loadAccounts(victim)
  const key = randomUUID()
  const withdrawal = await withdrawTo(victim, account!.id, '500.00', key)
  expect(withdrawal).toMatchObject({ success: true, status: 'pending' })
  expect(await withdrawTo(victim, account!.id, '500.00', key)).toEqual(withdrawal)
  expect((await victim.wallet()).fiat_balance).toBe('1500.00')
  expect(await loadFailedChecks(world)).toEqual([])
})

test('the confirmation of a link covers no other amount, account, session or time, and no second withdrawal', async () => {
  await world.fund(victim, 2_000_00)
  const account = await linkWithWithdrawal(victim)
  const otherAccountId = await linkAccount(world, victim, { bank: 'shoal' })
  const { pool } = world.app.product
  const backdateLinks = (minutes: number) =>
    pool.query(
      `update bank_link set withdrawal_confirmed_at = withdrawal_confirmed_at - make_interval(mins => $2)
        where bank_account_id = $1`,
      [account, minutes],
    )
  readRequirement(await withdrawTo(victim, account, '500.01'))
  readRequirement(await withdrawTo(victim, account, '499.99'))
  readRequirement(await withdrawTo(victim, otherAccountId))
  readRequirement(await withdrawTo(await signInAnotherSession(victim), account))
  await backdateLinks(16)
  readRequirement(await withdrawTo(victim, account))
  await backdateLinks(-16)
  expect((await victim.wallet()).fiat_balance).toBe('2000.00')
  const outcomes = await Promise.all([withdrawTo(victim, account), withdrawTo(victim, account)])
  expect(outcomes.filter((outcome) => 'success' in outcome)).toHaveLength(1)
  readRequirement(await withdrawTo(victim, account))
  expect((await victim.wallet()).fiat_balance).toBe('1500.00')
  expect(await loadFailedChecks(world)).toEqual([])
})

test('a confirmed withdrawal cannot be replaced at the link, nor exceed what can be withdrawn', async () => {
  await world.fund(victim, 600_00)
  const call = (body: LinkBody, confirmation?: string) =>
    settleCall(victim.call(linkBankAccount, { body, confirmation }))
  const requirement = readRequirement(await call(withdrawalBody))
  await confirm(world, victim, requirement)
  for (const body of [{ withdrawal: { amount: '501.00', currency: 'USD' } }, {}] as const) {
    expect(readRequirement(await call(body, requirement.id)).id).not.toBe(requirement.id)
  }
  for (const [amount, currency, code] of [
    ['600.01', 'USD', 'insufficient_funds'],
    ['10.00', 'EUR', 'currency_not_supported'],
    ['0.00', 'USD', 'invalid_request'],
    ['1.001', 'USD', 'invalid_request'],
  ] as const) {
    expect(await call({ withdrawal: { amount, currency } }), amount).toMatchObject({ code })
  }
  const { rowCount } = await world.app.product.pool.query('select from bank_link where user_id = $1', [victim.id])
  expect(rowCount).toBe(0)
})

test.each([
  ['José Peña', 'JOSE PENA', true],
  ['Ada Byron', 'Byron, Ada K.', true],
  ['Ada Byron', 'A. Byron', true],
  ['Ada Byron', 'Ada Byron & Charles Babbage', true],
  ['Anne-Marie Durand', 'Durand Anne', true],
  ['山田 太郎', '山田 太郎', true],
  // Names as banks write them, in capitals without accents.
  ['Łukasz Żak', 'LUKASZ ZAK', true],
  ['Søren Ødegård', 'SOEREN OEDEGAARD', true],
  ['Jürgen Groß', 'JUERGEN GROSS', true],
  ['Jürgen Groß', 'JURGEN GROSS', true],
  ['Seán O’Brien', 'SEAN OBRIEN', true],
  ['Seán O’Brien', 'SEAN O BRIEN', true],
  ['Jean-Paul Martin', 'JEANPAUL MARTIN', true],
  ['Rosa Dell’Acqua', 'ROSA DELL ACQUA', true],
  ['Łukasz Żak', 'LUKAS ZACK', false],
  ['Ada Byron', 'Mallory Stranger', false],
  ['Ada Byron', 'Charles Byron', false],
  ['Ada Byron', 'A. B.', false],
  ['Ada Byron', '', false],
  ['', 'Ada Byron', false],
  // Banks replace special letters by plain ones in several ways.
  ['Łukasz Wałęsa', 'LUKASZ WALESA', true],
  ['Jürgen Strauß', 'JUERGEN STRAUSS', true],
  ['Jürgen Strauß', 'JURGEN STRAUSS', true],
  ['Søren Ångström', 'SOEREN AANGSTROEM', true],
  ['Søren Ångström', 'SOREN ANGSTROM', true],
  ['Işıl Yılmaz', 'ISIL YILMAZ', true],
  ['İrem Yılmaz', 'IREM YILMAZ', true],
  ['Jürgen Strauß', 'JUERGEN STRAUB', false],
])('%j and the holder %j', (verifiedName, holder, isSameName) => {
  expect(isSameHolder(holder, verifiedName)).toBe(isSameName)
})
