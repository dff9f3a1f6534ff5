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
import { createPaymentsWithErrors, toCaller, buildContext, linkAccount, findSandbox } from '@tern/testkit/payments'
import { applyLinkState } from './bank-links.ts'
import { transact } from '../../../platform/database/db.ts'
import { confirm, readRequirement, loadMails, nextMail, settleCall, reportPayout } from '@tern/testkit/banking'

let alice: TestPerson

const world = await openTestApp()
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
})

const loadAccounts = (person: TestPerson) => person.call(bankAccounts, { params: { userId: String(person.id) } })

interface StartedLink {
  readonly linkId: string
  readonly url: URL
  readonly confirmation: string
}

/** Begins a link as users do: request, step-up, request again. */
async function startLink(person: TestPerson, returnTo?: 'deposit' | 'settings'): Promise<StartedLink> {
  const body = returnTo ? { returnTo } : {}
  const { id } = await confirmLinking(person)
  const { redirectUrl, link_id: linkId } = await person.call(linkBankAccount, { body, confirmation: id })
  return { linkId, url: new URL(redirectUrl), confirmation: id }
}

async function confirmLinking(person: TestPerson) {
  const requirement = readRequirement(await settleCall(person.call(linkBankAccount, { body: { userId: person.id } })))
  await confirm(world, person, requirement)
  return requirement
}

/** Submits a form on the bank's page; returns the URL of the redirect. */
async function answer({ url }: StartedLink, form: Record<string, string>): Promise<URL> {
  const reply = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  return new URL(reply.headers.get('location') ?? 'none:', url)
}

/** Consents at the bank and finishes the link with the secret; returns the return URL. */
async function completeLink(
  person: TestPerson,
  link: StartedLink,
  form: Record<string, string> = consent,
): Promise<URL> {
  const returnUrl = await answer(link, form)
  const secret = returnUrl.searchParams.get('link_secret') ?? ''
  await person.call(finishBankLink, { params: { id: link.linkId }, body: { secret } })
  return returnUrl
}

const consent = { action: 'allow', bank: 'harbour', account: 'USD' }

const loadStatus = (person: TestPerson, { linkId }: StartedLink) =>
  person.call(bankLinkStatus, { params: { id: linkId } })

/** Waits for the link's final status. */
const waitForEnd = (person: TestPerson, link: StartedLink) =>
  vi.waitFor(
    async () => {
      const state = await loadStatus(person, link)
      expect(state.status).not.toBe('pending')
      return state
    },
    { timeout: 120_000 },
  )

describe('linking a bank account', () => {
  test('is confirmed, leads to the bank, and adds the account with a mail to its owner', async () => {
    const requirement = readRequirement(await settleCall(alice.call(linkBankAccount, { body: {} })))
    expect(requirement).toMatchObject({
      action: 'link_bank_account',
      subject: { allows: 'Withdraw to it and add money from it' },
    })
    const link = await startLink(alice, 'settings')
    expect(await loadStatus(alice, link)).toMatchObject({ status: 'pending', bank_account: null })
    const returnUrl = await completeLink(alice, link)
    expect(`${returnUrl.origin}${returnUrl.pathname}`).toBe(`${world.url}/settings/connections`)
    expect([...returnUrl.searchParams.keys()].toSorted()).toEqual(['linkStatus', 'link_id', 'link_secret'])
    const { status, bank_account: account } = await waitForEnd(alice, link)
    expect(status).toBe('linked')
    expect(account).toMatchObject({ bank_name: 'Harbour Bank', currency: 'USD', country: 'US', is_default: true })
    expect(await loadAccounts(alice)).toEqual([account])
    expect(await alice.call(paymentMethods, {})).toEqual({ cards: [], bank_accounts: [account], saves_cards: true })
    const mail = await nextMail(world, alice, 'A bank account was linked')
    expect(mail).toContain(`Harbour Bank, ending in ${account?.last4}`)
  })

  test('follows the provider’s word alone, also if its event comes after the browser', async () => {
    const link = await startLink(alice)
    await fetch(`${world.url}/withdraw?linkStatus=success&link_id=${link.linkId}`)
    expect(await loadAccounts(alice)).toEqual([])
    await completeLink(alice, link)
    await vi.waitFor(async () => expect(await loadAccounts(alice)).toHaveLength(1), { timeout: 120_000 })
    await nextMail(world, alice, 'A bank account was linked')
  })

  test.each([
    ['canceled', { action: 'cancel' }, 'canceled'],
    ['failed', { ...consent, bank: 'fog' }, 'canceled'],
  ])('that is %s adds nothing', async (status, form, linkFlag) => {
    const link = await startLink(alice)
    const returnUrl = await answer(link, form)
    expect([returnUrl.pathname, returnUrl.searchParams.get('linkStatus')]).toEqual(['/withdraw', linkFlag])
    expect(await waitForEnd(alice, link)).toMatchObject({ status, bank_account: null })
    expect(await loadAccounts(alice)).toEqual([])
  })

  test('needs a new confirmation each time, and a repeated request leads to the same page', async () => {
    const link = await startLink(alice)
    const repeatedLink = await alice.call(linkBankAccount, { body: {}, confirmation: link.confirmation })
    expect(repeatedLink).toEqual({ redirectUrl: link.url.href, link_id: link.linkId })
    await completeLink(alice, link)
    expect((await waitForEnd(alice, link)).status).toBe('linked')
    readRequirement(await settleCall(alice.call(linkBankAccount, { body: {}, confirmation: link.confirmation })))
    const bob = await world.enroll('bob', 'United States')
    readRequirement(
      await settleCall(bob.call(linkBankAccount, { body: {}, confirmation: (await confirmLinking(alice)).id })),
    )
  })

  test('the same account twice is one account; removed, it can be linked again as a new one', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const link = await startLink(alice)
      await completeLink(alice, link)
      expect((await waitForEnd(alice, link)).status).toBe('linked')
    }
    const [first, ...otherAccounts] = await loadAccounts(alice)
    expect(otherAccounts).toEqual([])
    expect(await loadMails(world, alice, 'A bank account was linked')).toHaveLength(1)
    await alice.call(removeBankAccount, { params: { userId: String(alice.id), id: first!.id } })
    expect(await loadAccounts(alice)).toEqual([])
    const link = await startLink(alice)
    await completeLink(alice, link)
    const { bank_account: account } = await waitForEnd(alice, link)
    expect(account?.id).not.toBe(first!.id)
    expect(await loadAccounts(alice)).toMatchObject([{ id: account?.id, last4: first!.last4, is_default: true }])
  })

  test('a hundred events in any order add one account and send one mail', async () => {
    const { pool } = world.app.product
    const link = await startLink(alice)
    const account = {
      token: `ba_${randomUUID()}`,
      fingerprint: randomUUID(),
      bankName: 'Harbour Bank',
      last4: '4021',
      currency: 'USD',
      country: 'US',
    } as const
    await world.database.pool.query('update bank_link set returned_at = now() where id = $1', [link.linkId])
    const states = Array.from({ length: 100 }, (_, index) =>
      index % 3 === 0
        ? ({ status: 'canceled', linkId: link.linkId } as const)
        : ({ status: 'linked', linkId: link.linkId, account } as const),
    )
    await Promise.all(
      states.map((state) =>
        transact(pool, (tx) => applyLinkState(buildContext(world), tx, { provider: 'sandbox', state })),
      ),
    )
    expect(await waitForEnd(alice, link)).toMatchObject({ status: 'linked', bank_account: { last4: '4021' } })
    expect(await loadAccounts(alice)).toHaveLength(1)
    await nextMail(world, alice, 'A bank account was linked')
    const [linkedAccount] = await loadAccounts(alice)
    await alice.call(removeBankAccount, { params: { userId: String(alice.id), id: linkedAccount!.id } })
    const applyEvent = (linkId: string) => {
      const state = { status: 'linked', linkId, account } as const
      return transact(pool, (tx) => applyLinkState(buildContext(world), tx, { provider: 'sandbox', state }))
    }
    expect(await applyEvent(link.linkId)).toBe('already_linked')
    expect(await loadAccounts(alice), 'what was removed does not come back with an old event').toEqual([])
    expect(await applyEvent(randomUUID())).toBeUndefined()
    expect(await applyEvent('no id of ours')).toBeUndefined()
  })

  test('is refused before verification, for another user, and beyond ten accounts', async () => {
    const dora = await world.enroll('dora', null)
    expect(await settleCall(dora.call(linkBankAccount, { body: {} }))).toMatchObject({ code: 'verification_required' })
    expect(await settleCall(alice.call(linkBankAccount, { body: { userId: dora.id } }))).toMatchObject({
      code: 'not_your_account',
    })
    const openLink = await startLink(alice)
    for (const bank of ['harbour', 'shoal', 'undertow', 'reef']) {
      for (const currency of ['USD', 'EUR', 'GBP']) {
        if ((await loadAccounts(alice)).length < 10) await linkAccount(world, alice, { bank, currency })
      }
    }
    expect(await settleCall(alice.call(linkBankAccount, { body: {} }))).toMatchObject({
      code: 'invalid_request',
      detail: 'You have 10 bank accounts. Please remove one first.',
    })
    await completeLink(alice, openLink, { ...consent, bank: 'drift' })
    expect(await waitForEnd(alice, openLink)).toMatchObject({ status: 'failed', bank_account: null })
    expect(await loadAccounts(alice)).toHaveLength(10)
  })

  test('stays pending while the provider has no answer, and is abandoned after a day', async () => {
    const link = await startLink(alice)
    const shortlyLater = () => new Date(world.app.product.now().getTime() + 1000)
    const silentPayments = createPaymentsWithErrors(world, {
      bank: { lookupLink: () => Promise.resolve({ status: 'unknown', reason: 'no answer' }) },
    })
    const openLinkPayments = createPaymentsWithErrors(world, {
      bank: { lookupLink: () => Promise.resolve({ status: 'open', linkId: link.linkId }) },
    })
    const loadLinkStatus = async () =>
      (await world.database.pool.query('select status from bank_link where id = $1', [link.linkId])).rows[0]?.status
    await openLinkPayments.payments.checkPendingLinks(shortlyLater())
    expect(await loadLinkStatus()).toBe('pending')
    await world.database.pool.query(
      `update bank_link set created_at = created_at - interval '25 hours' where id = $1`,
      [link.linkId],
    )
    await silentPayments.payments.checkPendingLinks(shortlyLater())
    expect(await loadLinkStatus()).toBe('pending')
    await openLinkPayments.payments.checkPendingLinks(shortlyLater())
    expect(await loadLinkStatus()).toBe('canceled')
    await completeLink(alice, link)
    await vi.waitFor(async () => expect(await loadLinkStatus()).toBe('linked'), { timeout: 120_000 })
  })

  test('a lost answer leaves nothing that a retry would double', async () => {
    const { id } = await confirmLinking(alice)
    const sandbox = findSandbox(world)
    const lostLinkPayments = createPaymentsWithErrors(world, {
      bank: {
        async beginLink(request) {
          await sandbox.link.beginLink(request)
          return { status: 'unknown', reason: 'no answer' }
        },
      },
    })
    const { rows } = await world.database.pool.query('select session_id from step_up_confirmation where id = $1', [id])
    const caller = { ...toCaller(alice), sessionId: rows[0]!.session_id as string }
    await expect(
      lostLinkPayments.payments.linkBankAccount({ caller, body: {}, confirmation: id }),
    ).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
    const { link_id: linkId, redirectUrl } = await alice.call(linkBankAccount, { body: {}, confirmation: id })
    await completeLink(alice, { linkId, url: new URL(redirectUrl), confirmation: id })
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
    const unlinkedTokens: string[] = []
    let answers = false
    const slowPayments = createPaymentsWithErrors(world, {
      bank: {
        unlink(token) {
          unlinkedTokens.push(token)
          return Promise.resolve(answers)
        },
      },
    })
    const shortlyLater = () => new Date(now().getTime() + 1000)
    const countDetached = async () => (await pool.query('select token from detached_instrument')).rowCount
    const loadToken = async (id: string) =>
      (await pool.query('select token from bank_account where id = $1', [id])).rows[0]?.token
    const id = await linkAccount(world, alice)
    await slowPayments.payments.removeBankAccount({ userId: BigInt(alice.id), id })
    expect(await loadAccounts(alice)).toEqual([])
    expect(unlinkedTokens).toEqual([await loadToken(id)])
    await slowPayments.payments.checkPendingLinks(shortlyLater())
    expect(unlinkedTokens).toHaveLength(2)
    expect(await countDetached()).toBe(1)
    answers = true
    await slowPayments.payments.checkPendingLinks(shortlyLater())
    expect(await countDetached()).toBe(0)

    answers = false
    const otherAccountId = await linkAccount(world, alice, { bank: 'shoal' })
    await slowPayments.payments.removeBankAccount({ userId: BigInt(alice.id), id: otherAccountId })
    await pool.query('update bank_account set removed_at = null where id = $1', [otherAccountId])
    await slowPayments.payments.checkPendingLinks(shortlyLater())
    expect(unlinkedTokens, 'not after it was linked again').toHaveLength(4)
    expect(await countDetached()).toBe(0)
    await payments.removeBankAccount({ userId: BigInt(alice.id), id: otherAccountId })
    expect(await countDetached()).toBe(0)
  })

  test('lose their older consent when linked again, as soon as nothing needs it', async () => {
    const { pool, now } = world.app.product
    const unlinkedTokens: string[] = []
    const { payments } = createPaymentsWithErrors(world, {
      bank: {
        unlink(token) {
          unlinkedTokens.push(token)
          return Promise.resolve(true)
        },
      },
    })
    const shortlyLater = () => new Date(now().getTime() + 1000)
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
    await payments.checkPendingLinks(shortlyLater())
    await pool.query(`update payout set status = 'needs_review' where id = $1`, [payoutId])
    await payments.checkPendingLinks(shortlyLater())
    expect(unlinkedTokens, 'while a payout was ordered with it').toEqual([])
    await pool.query(`update payout set status = 'pending' where id = $1`, [payoutId])
    await reportPayout(world, payoutId, 'failed')
    await payments.checkPendingLinks(shortlyLater())
    expect(unlinkedTokens).toEqual([first])
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
    let pollCount = 0
    const link = await startLink(alice)
    const at = world.app.product.now()
    const lookupLink = () => {
      pollCount += 1
      return Promise.resolve({ status: 'unknown', reason: 'no answer' } as const)
    }
    const { payments } = createPaymentsWithErrors(world, { bank: { lookupLink } }, () => at)
    const pollStatus = () => payments.bankLinkStatus({ userId: BigInt(alice.id), linkId: link.linkId })
    const backdatePolls = () =>
      world.database.pool.query(
        `update bank_link set last_polled_at = last_polled_at - interval '1 minute' where id = $1`,
        [link.linkId],
      )
    await backdatePolls()
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await pollStatus()).status).toBe('pending')
    expect(pollCount).toBe(1)
    await backdatePolls()
    await pollStatus()
    expect(pollCount).toBe(2)
  })

  test('have a limit of polls per minute and user', async () => {
    const pollLink = () => settleCall(alice.call(bankLinkStatus, { params: { id: randomUUID() } }))
    const outcomes = await Promise.all(Array.from({ length: 125 }, pollLink))
    const codes = outcomes.map((outcome) => ('code' in outcome ? outcome.code : outcome.status)).toSorted()
    expect(codes).toEqual([...Array<string>(120).fill('not_found'), ...Array<string>(5).fill('rate_limited')])
  })
})
