import { randomUUID } from 'node:crypto'
import {
  bankAccounts,
  bankLinkStatus,
  finishBankLink,
  chooseBankAccount,
  linkBankAccount,
  paymentMethods,
  removeBankAccount,
  withdraw,
} from '@tern/contract/banking'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { bankingWith, toCaller, buildContext, linkAccount, findSandbox } from '@tern/testkit/payments'
import { applyLinkState } from './bank-links.ts'
import { transact } from '../../../platform/database/db.ts'
import { confirm, readRequirement, mailsTo, nextMail, settleCall, reportPayout } from '@tern/testkit/banking'

let alice: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
})

const loadAccounts = (person: TestPerson) => person.call(bankAccounts, { params: { userId: String(person.id) } })

interface Begun {
  readonly linkId: string
  readonly url: URL
  readonly confirmation: string
}

/** Begins a link as users do: request, step-up, request again. */
async function begin(person: TestPerson, returnTo?: 'deposit' | 'settings'): Promise<Begun> {
  const body = returnTo ? { returnTo } : {}
  const { id } = await confirmed(person)
  const { redirectUrl, link_id: linkId } = await person.call(linkBankAccount, { body, confirmation: id })
  return { linkId, url: new URL(redirectUrl), confirmation: id }
}

async function confirmed(person: TestPerson) {
  const require = readRequirement(await settleCall(person.call(linkBankAccount, { body: { userId: person.id } })))
  await confirm(world, person, require)
  return require
}

/** Answers on the bank's pages; returns the browser's redirect. */
async function answer({ url }: Begun, form: Record<string, string>): Promise<URL> {
  const reply = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  return new URL(reply.headers.get('location') ?? 'none:', url)
}

/** Consents at the bank and returns with the secret. */
async function complete(person: TestPerson, begun: Begun, form: Record<string, string> = consent): Promise<URL> {
  const back = await answer(begun, form)
  const secret = back.searchParams.get('link_secret') ?? ''
  await person.call(finishBankLink, { params: { id: begun.linkId }, body: { secret } })
  return back
}

const consent = { action: 'allow', bank: 'harbour', account: 'USD' }

const loadStatus = (person: TestPerson, { linkId }: Begun) => person.call(bankLinkStatus, { params: { id: linkId } })

/** Waits for the link's final status. */
const waitForEnd = (person: TestPerson, begun: Begun) =>
  vi.waitFor(
    async () => {
      const state = await loadStatus(person, begun)
      expect(state.status).not.toBe('pending')
      return state
    },
    { timeout: 120_000 },
  )

describe('linking a bank account', () => {
  test('is confirmed, leads to the bank, and adds the account with a mail to its owner', async () => {
    const require = readRequirement(await settleCall(alice.call(linkBankAccount, { body: {} })))
    expect(require).toMatchObject({
      action: 'link_bank_account',
      subject: { allows: 'Withdraw to it and add money from it' },
    })
    const begun = await begin(alice, 'settings')
    expect(await loadStatus(alice, begun)).toMatchObject({ status: 'pending', bank_account: null })
    const back = await complete(alice, begun)
    expect(`${back.origin}${back.pathname}`).toBe(`${world.url}/settings/connections`)
    expect([...back.searchParams.keys()].toSorted()).toEqual(['linkStatus', 'link_id', 'link_secret'])
    const { status, bank_account: account } = await waitForEnd(alice, begun)
    expect(status).toBe('linked')
    expect(account).toMatchObject({ bank_name: 'Harbour Bank', currency: 'USD', country: 'US', is_default: true })
    expect(await loadAccounts(alice)).toEqual([account])
    expect(await alice.call(paymentMethods, {})).toEqual({ cards: [], bank_accounts: [account] })
    const mail = await nextMail(world, alice, 'A bank account was linked')
    expect(mail).toContain(`Harbour Bank, ending in ${account?.last4}`)
  })

  test('follows the provider’s word alone, also if its event comes after the browser', async () => {
    const begun = await begin(alice)
    await fetch(`${world.url}/withdraw?linkStatus=success&link_id=${begun.linkId}`)
    expect(await loadAccounts(alice)).toEqual([])
    await complete(alice, begun)
    await vi.waitFor(async () => expect(await loadAccounts(alice)).toHaveLength(1), { timeout: 120_000 })
    await nextMail(world, alice, 'A bank account was linked')
  })

  test.each([
    ['canceled', { action: 'cancel' }, 'canceled'],
    ['failed', { ...consent, bank: 'fog' }, 'canceled'],
  ])('that is %s adds nothing', async (status, form, flag) => {
    const begun = await begin(alice)
    const back = await answer(begun, form)
    expect([back.pathname, back.searchParams.get('linkStatus')]).toEqual(['/withdraw', flag])
    expect(await waitForEnd(alice, begun)).toMatchObject({ status, bank_account: null })
    expect(await loadAccounts(alice)).toEqual([])
  })

  test('needs a new confirmation each time, and a repeated request leads to the same page', async () => {
    const begun = await begin(alice)
    const again = await alice.call(linkBankAccount, { body: {}, confirmation: begun.confirmation })
    expect(again).toEqual({ redirectUrl: begun.url.href, link_id: begun.linkId })
    await complete(alice, begun)
    expect((await waitForEnd(alice, begun)).status).toBe('linked')
    readRequirement(await settleCall(alice.call(linkBankAccount, { body: {}, confirmation: begun.confirmation })))
    const bob = await world.enroll('bob', 'United States')
    readRequirement(
      await settleCall(bob.call(linkBankAccount, { body: {}, confirmation: (await confirmed(alice)).id })),
    )
  })

  test('the same account twice is one account; removed, it can be linked again as a new one', async () => {
    for (let times = 0; times < 2; times += 1) {
      const begun = await begin(alice)
      await complete(alice, begun)
      expect((await waitForEnd(alice, begun)).status).toBe('linked')
    }
    const [first, ...others] = await loadAccounts(alice)
    expect(others).toEqual([])
    expect(await mailsTo(world, alice, 'A bank account was linked')).toHaveLength(1)
    await alice.call(removeBankAccount, { params: { userId: String(alice.id), id: first!.id } })
    expect(await loadAccounts(alice)).toEqual([])
    const begun = await begin(alice)
    await complete(alice, begun)
    const { bank_account: account } = await waitForEnd(alice, begun)
    expect(account?.id).not.toBe(first!.id)
    expect(await loadAccounts(alice)).toMatchObject([{ id: account?.id, last4: first!.last4, is_default: true }])
  })

  test('a hundred events in any order add one account and send one mail', async () => {
    const { pool } = world.app.product
    const begun = await begin(alice)
    const account = {
      token: `ba_${randomUUID()}`,
      fingerprint: randomUUID(),
      bankName: 'Harbour Bank',
      last4: '4021',
      currency: 'USD',
      country: 'US',
    } as const
    await world.database.pool.query('update bank_link set returned_at = now() where id = $1', [begun.linkId])
    const states = Array.from({ length: 100 }, (_, index) =>
      index % 3 === 0
        ? ({ status: 'canceled', linkId: begun.linkId } as const)
        : ({ status: 'linked', linkId: begun.linkId, account } as const),
    )
    await Promise.all(
      states.map((state) =>
        transact(pool, (tx) => applyLinkState(buildContext(world), tx, { provider: 'sandbox', state })),
      ),
    )
    expect(await waitForEnd(alice, begun)).toMatchObject({ status: 'linked', bank_account: { last4: '4021' } })
    expect(await loadAccounts(alice)).toHaveLength(1)
    await nextMail(world, alice, 'A bank account was linked')
    const [linked] = await loadAccounts(alice)
    await alice.call(removeBankAccount, { params: { userId: String(alice.id), id: linked!.id } })
    const applied = (linkId: string) => {
      const state = { status: 'linked', linkId, account } as const
      return transact(pool, (tx) => applyLinkState(buildContext(world), tx, { provider: 'sandbox', state }))
    }
    expect(await applied(begun.linkId)).toBe('already_linked')
    expect(await loadAccounts(alice), 'what was removed does not come back with an old event').toEqual([])
    expect(await applied(randomUUID())).toBeUndefined()
    expect(await applied('no id of ours')).toBeUndefined()
  })

  test('is refused before verification, for another user, and beyond ten accounts', async () => {
    const dora = await world.enroll('dora', null)
    expect(await settleCall(dora.call(linkBankAccount, { body: {} }))).toMatchObject({ code: 'verification_required' })
    expect(await settleCall(alice.call(linkBankAccount, { body: { userId: dora.id } }))).toMatchObject({
      code: 'not_your_account',
    })
    const open = await begin(alice)
    for (const bank of ['harbour', 'shoal', 'undertow', 'reef']) {
      for (const currency of ['USD', 'EUR', 'GBP']) {
        if ((await loadAccounts(alice)).length < 10) await linkAccount(world, alice, { bank, currency })
      }
    }
    expect(await settleCall(alice.call(linkBankAccount, { body: {} }))).toMatchObject({
      code: 'invalid_request',
      detail: 'You have 10 bank accounts. Please remove one first.',
    })
    await complete(alice, open, { ...consent, bank: 'drift' })
    expect(await waitForEnd(alice, open)).toMatchObject({ status: 'failed', bank_account: null })
    expect(await loadAccounts(alice)).toHaveLength(10)
  })

  test('stays pending while the provider has no answer, and is abandoned after a day', async () => {
    const begun = await begin(alice)
    const soon = () => new Date(world.app.product.now().getTime() + 1000)
    const silent = bankingWith(world, {
      bank: { lookupLink: () => Promise.resolve({ status: 'unknown', reason: 'no answer' }) },
    })
    const open = bankingWith(world, {
      bank: { lookupLink: () => Promise.resolve({ status: 'open', linkId: begun.linkId }) },
    })
    const stored = async () =>
      (await world.database.pool.query('select status from bank_link where id = $1', [begun.linkId])).rows[0]?.status
    await open.payments.checkPendingLinks(soon())
    expect(await stored()).toBe('pending')
    await world.database.pool.query(
      `update bank_link set created_at = created_at - interval '25 hours' where id = $1`,
      [begun.linkId],
    )
    await silent.payments.checkPendingLinks(soon())
    expect(await stored()).toBe('pending')
    await open.payments.checkPendingLinks(soon())
    expect(await stored()).toBe('canceled')
    await complete(alice, begun)
    await vi.waitFor(async () => expect(await stored()).toBe('linked'), { timeout: 120_000 })
  })

  test('a lost answer leaves nothing that a retry would double', async () => {
    const { id } = await confirmed(alice)
    const sandbox = findSandbox(world)
    const deaf = bankingWith(world, {
      bank: {
        async beginLink(request) {
          await sandbox.link.beginLink(request)
          return { status: 'unknown', reason: 'no answer' }
        },
      },
    })
    const { rows } = await world.database.pool.query('select session_id from step_up_confirmation where id = $1', [id])
    const caller = { ...toCaller(alice), sessionId: rows[0]!.session_id as string }
    await expect(deaf.payments.linkBankAccount({ caller, body: {}, confirmation: id })).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    const { link_id: linkId, redirectUrl } = await alice.call(linkBankAccount, { body: {}, confirmation: id })
    await complete(alice, { linkId, url: new URL(redirectUrl), confirmation: id })
    await vi.waitFor(async () => expect(await loadAccounts(alice)).toHaveLength(1), { timeout: 120_000 })
  })
})

describe('linked accounts', () => {
  test('have one default: the first, the chosen one, and another after its removal', async () => {
    const ids: string[] = []
    for (const bank of ['harbour', 'shoal', 'reef']) ids.push(await linkAccount(world, alice, { bank }))
    const [first, second, third] = ids as [string, string, string]
    const listAccounts = async () => (await loadAccounts(alice)).map(({ id, is_default: isDefault }) => [id, isDefault])
    const userId = String(alice.id)
    expect((await listAccounts())[0]).toEqual([first, true])
    expect(await alice.call(chooseBankAccount, { params: { userId, id: second } })).toMatchObject({
      id: second,
      is_default: true,
    })
    expect(await listAccounts()).toEqual([
      [second, true],
      [third, false],
      [first, false],
    ])
    await Promise.all(ids.map((id) => settleCall(alice.call(chooseBankAccount, { params: { userId, id } }))))
    expect((await listAccounts()).filter(([, isDefault]) => isDefault)).toHaveLength(1)
    await alice.call(chooseBankAccount, { params: { userId, id: second } })
    await alice.call(removeBankAccount, { params: { userId, id: second } })
    expect(await listAccounts()).toEqual([
      [third, true],
      [first, false],
    ])
    expect(await settleCall(alice.call(removeBankAccount, { params: { userId, id: second } }))).toMatchObject({
      status: 404,
    })
    expect(await settleCall(alice.call(chooseBankAccount, { params: { userId, id: second } }))).toMatchObject({
      status: 404,
    })
  })

  test('are unlinked at the provider when removed, or once it answers again, unless still needed', async () => {
    const { payments, pool, now } = world.app.product
    const asked: string[] = []
    let answers = false
    const slow = bankingWith(world, {
      bank: {
        unlink(token) {
          asked.push(token)
          return Promise.resolve(answers)
        },
      },
    })
    const soon = () => new Date(now().getTime() + 1000)
    const left = async () => (await pool.query('select token from detached_instrument')).rowCount
    const token = async (id: string) =>
      (await pool.query('select token from bank_account where id = $1', [id])).rows[0]?.token
    const id = await linkAccount(world, alice)
    await slow.payments.removeBankAccount({ userId: BigInt(alice.id), id })
    expect(await loadAccounts(alice)).toEqual([])
    expect(asked).toEqual([await token(id)])
    await slow.payments.checkPendingLinks(soon())
    expect(asked).toHaveLength(2)
    expect(await left()).toBe(1)
    answers = true
    await slow.payments.checkPendingLinks(soon())
    expect(await left()).toBe(0)

    answers = false
    const other = await linkAccount(world, alice, { bank: 'shoal' })
    await slow.payments.removeBankAccount({ userId: BigInt(alice.id), id: other })
    await pool.query('update bank_account set removed_at = null where id = $1', [other])
    await slow.payments.checkPendingLinks(soon())
    expect(asked, 'not after it was linked again').toHaveLength(4)
    expect(await left()).toBe(0)
    await payments.removeBankAccount({ userId: BigInt(alice.id), id: other })
    expect(await left()).toBe(0)
  })

  test('lose their older consent when linked again, as soon as nothing needs it', async () => {
    const { pool, now } = world.app.product
    const asked: string[] = []
    const { payments } = bankingWith(world, {
      bank: {
        unlink(token) {
          asked.push(token)
          return Promise.resolve(true)
        },
      },
    })
    const soon = () => new Date(now().getTime() + 1000)
    const loadToken = async (id: string) =>
      String((await pool.query('select token from bank_account where id = $1', [id])).rows[0]?.token)
    await world.fund(alice, 10_000)
    const id = await linkAccount(world, alice)
    const first = await loadToken(id)
    const { payout_id: payoutId } = await alice.call(withdraw, {
      body: { amount: '40.00', currency: 'USD', bankAccountId: id },
      idempotencyKey: randomUUID(),
    })
    expect(await linkAccount(world, alice)).toBe(id)
    await payments.checkPendingLinks(soon())
    await pool.query(`update payout set status = 'needs_review' where id = $1`, [payoutId])
    await payments.checkPendingLinks(soon())
    expect(asked, 'while a payout was ordered with it').toEqual([])
    await pool.query(`update payout set status = 'pending' where id = $1`, [payoutId])
    await reportPayout(world, payoutId, 'failed')
    await payments.checkPendingLinks(soon())
    expect(asked).toEqual([first])
    expect(await loadToken(id)).not.toBe(first)
  })

  test('beyond ten leave no consent at the bank', async () => {
    const { payments, pool, now } = world.app.product
    for (const bank of ['harbour', 'shoal', 'undertow', 'reef']) {
      for (const currency of ['USD', 'EUR', 'GBP']) {
        if ((await loadAccounts(alice)).length < 10) await linkAccount(world, alice, { bank, currency })
      }
    }
    await expect(linkAccount(world, alice, { bank: 'drift' })).rejects.toThrow('too many')
    expect((await pool.query('select from detached_instrument')).rowCount).toBe(1)
    await payments.checkPendingLinks(new Date(now().getTime() + 1000))
    expect((await pool.query('select from detached_instrument')).rowCount).toBe(0)
  })

  test('poll the provider at most every two seconds while one is being linked', async () => {
    let asked = 0
    const begun = await begin(alice)
    const at = world.app.product.now()
    const lookupLink = () => {
      asked += 1
      return Promise.resolve({ status: 'unknown', reason: 'no answer' } as const)
    }
    const { payments } = bankingWith(world, { bank: { lookupLink } }, () => at)
    const status = () => payments.bankLinkStatus({ userId: BigInt(alice.id), linkId: begun.linkId })
    const longAgo = () =>
      world.database.pool.query(
        `update bank_link set last_polled_at = last_polled_at - interval '1 minute' where id = $1`,
        [begun.linkId],
      )
    await longAgo()
    for (let times = 0; times < 5; times += 1) expect((await status()).status).toBe('pending')
    expect(asked).toBe(1)
    await longAgo()
    await status()
    expect(asked).toBe(2)
  })

  test('have a limit of polls per minute and user', async () => {
    const ask = () => settleCall(alice.call(bankLinkStatus, { params: { id: randomUUID() } }))
    const outcomes = await Promise.all(Array.from({ length: 125 }, ask))
    const codes = outcomes.map((outcome) => ('code' in outcome ? outcome.code : outcome.status)).toSorted()
    expect(codes).toEqual([...Array<string>(120).fill('not_found'), ...Array<string>(5).fill('rate_limited')])
  })
})
