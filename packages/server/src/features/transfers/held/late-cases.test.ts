import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { checks } from '@tern/contract/compliance/checks'
import { directPayment, paymentStatus } from '@tern/contract/payments'
import { freezeAccount } from '@tern/contract/security'
import { transferStatus } from '@tern/contract/transfers'
import { shareTracking, trackedTransfer } from '@tern/contract/transfers/tracking'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, nextMail } from '@tern/testkit/banking'
import { decideByTwoOperators, openTestCase, send } from '@tern/testkit/compliance/cases'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { complianceHold, type TransferRule } from '../transfers.ts'

let world: TestApp
let alice: TestPerson
let bruno: TestPerson
let rule: TransferRule | undefined

beforeAll(async () => {
  world = await startTestApp({
    unconfirmedPayments: 'any',
    transferRules: [(...ruleArguments) => rule?.(...ruleArguments)],
  })
})
afterAll(() => world.close())
beforeEach(async () => {
  rule = undefined
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'United States')
  await world.fund(alice, 5000)
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

const loadStatus = (id: string) => alice.call(transferStatus, { params: { id } })
const loadDollars = async (person: TestPerson) => {
  const usd = (await person.wallet()).assets.find(({ currency }) => currency === 'USD')
  return [usd?.available, usd?.held]
}
const startPayment = (paymentSource: 'card' | 'wallet_partial' | 'bank', amount: number) =>
  alice.call(directPayment, {
    body: { amount, currency: 'usd', recipientId: String(bruno.id), paymentSource },
    idempotencyKey: randomUUID(),
  })

const decide = (caseId: string, verdict: 'clear' | 'confirm') => decideByTwoOperators(world, caseId, verdict)

test.each([
  ['card', 5000],
  ['wallet_partial', 9000],
] as const)('a card-funded send (%s) waits for a case opened during its payment', async (source, amount) => {
  const { payment_id: paymentId, transaction_id: id, redirectUrl } = await startPayment(source, amount)
  const caseId = await openTestCase(world, { userId: BigInt(bruno.id), kind: 'pattern', evidence: {} })
  await payCheckout(redirectUrl!)
  await waitForPayment(alice, paymentId, 'completed')
  expect(await loadStatus(id)).toMatchObject({
    ...{ state: 'held', captured: true, kind: 'funded_send' },
    hold: { reason: 'compliance', check: { id: caseId, telling: 'limited', transfers: [id] } },
  })
  expect(await bruno.transactions()).toEqual([])
  expect(await loadFailedChecks(world)).toEqual([])
  await decide(caseId, 'clear')
  expect(await loadStatus(id)).toMatchObject({ state: 'settled', transaction: { status: 'COMPLETED' } })
  expect(await bruno.transactions()).toMatchObject([{ id, transaction_type: 'RECEIVE', status: 'COMPLETED' }])
})

test('a bank-funded send announced to its recipient stays pending for them until it is cleared', async () => {
  await linkAccount(world, alice)
  const { payment_id: paymentId, transaction_id: id } = await startPayment('bank', 3000)
  const loadRecipientRows = async () =>
    (await bruno.transactions()).map((row) => [row.id, row.transaction_type, row.status])
  expect(await loadRecipientRows()).toEqual([[id, 'RECEIVE', 'PENDING']])
  const caseId = await openTestCase(world, { userId: BigInt(alice.id), kind: 'pattern', evidence: {} })
  await steer(world, paymentId, 'settle')
  await waitForPayment(alice, paymentId, 'completed')
  expect(await loadStatus(id)).toMatchObject({ state: 'held', hold: { reason: 'compliance' } })
  expect(await loadRecipientRows()).toEqual([[id, 'RECEIVE', 'PENDING']])
  await decide(caseId, 'clear')
  expect(await loadRecipientRows()).toEqual([[id, 'RECEIVE', 'COMPLETED']])
})

test('a rule opens a case with the hold, and a match confirmed for the payee returns the money', async () => {
  const userId = BigInt(alice.id)
  rule = () => ({ ...complianceHold, opens: { userId, kind: 'counterparty_name', evidence: { score: 9700 } } })
  const { transaction_id: id } = await send(alice, bruno)
  const [check, ...otherChecks] = await alice.call(checks, {})
  expect(otherChecks).toEqual([])
  expect(check, 'whose name it is is not told').toMatchObject({ kind: 'payment', state: 'open', transfers: [id] })
  rule = undefined
  expect(await send(alice, bruno, '1.00'), 'only the transfer is stopped').toMatchObject({ status: 'COMPLETED' })
  await decide(check!.id, 'confirm')
  expect(await loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'rejected' })
  expect(await loadDollars(alice)).toEqual(['48.99', '0.00'])
})

test('strangers who track a transfer do not learn that it waits for a case', async () => {
  const caseId = await openTestCase(world, { userId: BigInt(bruno.id), kind: 'pattern', evidence: {} })
  rule = () => complianceHold
  const { transaction_id: id } = await send(alice, bruno)
  const { url } = await alice.call(shareTracking, { params: { id }, body: { shows_amounts: false } })
  const code = url.split(/[/#]/).at(-1)!
  const loadTracking = async () => {
    const { state, steps } = await alice.call(trackedTransfer, { params: { code } })
    return [state, ...steps.map(({ step }) => step)]
  }
  expect(await loadTracking()).toEqual(['on_its_way', 'ordered', 'delivered'])
  await decide(caseId, 'clear')
  expect(await loadTracking()).toEqual(['delivered', 'ordered', 'delivered'])
})

test('a transfer that waits for two cases settles when the last of them is cleared', async () => {
  const first = await openTestCase(world, { userId: BigInt(alice.id), kind: 'pattern', evidence: {} })
  rule = () => complianceHold
  const { transaction_id: id } = await send(alice, bruno)
  const second = await openTestCase(world, { userId: BigInt(bruno.id), kind: 'pattern', evidence: {} })
  await decide(first, 'clear')
  expect(await loadStatus(id)).toMatchObject({ state: 'held', hold: { check: { id: second } } })
  await decide(second, 'clear')
  expect(await loadStatus(id)).toMatchObject({ state: 'settled' })
})

test('a cleared payment returns if its sender froze the account meanwhile', async () => {
  const caseId = await openTestCase(world, { userId: BigInt(alice.id), kind: 'pattern', evidence: {} })
  rule = () => complianceHold
  const { transaction_id: id } = await send(alice, bruno)
  await alice.call(freezeAccount, {})
  await decide(caseId, 'clear')
  expect(await loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'expired' })
  expect(await loadDollars(alice)).toEqual(['50.00', '0.00'])
})

test.each([
  ['card', 5000, '100.25'],
  ['bank', 3000, '80.15'],
] as const)(
  'a send paid by %s is not made once its sender has frozen the account',
  async (source, amount, remainingAmount) => {
    await linkAccount(world, alice)
    const { payment_id: paymentId, redirectUrl } = await startPayment(source, amount)
    await alice.call(freezeAccount, {})
    await (redirectUrl ? payCheckout(redirectUrl) : steer(world, paymentId, 'settle'))
    await waitForPayment(alice, paymentId, 'failed')
    const { reason } = await alice.call(paymentStatus, { params: { id: paymentId } })
    expect(reason).toMatch(/^When the payment arrived, your account was frozen/)
    expect((await bruno.transactions()).filter(({ status }) => status !== 'FAILED')).toEqual([])
    expect(await loadDollars(alice)).toEqual([remainingAmount, '0.00'])
    expect(await nextMail(world, alice, 'Your transfer was not made')).toContain('frozen')
  },
)

test('a withdrawal returns if its account is frozen before its bank has the order', async () => {
  const bankAccountId = await linkAccount(world, alice)
  const body = { amount: '20.00', currency: 'USD', bankAccountId } as const
  const { payout_id: payoutId, transaction_id: id } = await alice.call(withdraw, { body, idempotencyKey: randomUUID() })
  await alice.call(freezeAccount, {})
  await world.app.product.payments.submitPayout(payoutId)
  expect(await loadStatus(id)).toMatchObject({ state: 'failed', reason: expect.stringMatching(/account was frozen/) })
  expect(await loadDollars(alice)).toEqual(['50.00', '0.00'])
})

test('operators cannot release a reviewed transfer while its sender’s account is frozen', async () => {
  rule = () => ({ outcome: 'hold', reason: 'review', until: { seconds: 3600 } })
  const { transaction_id: id } = await send(alice, bruno)
  await alice.call(freezeAccount, {})
  const { heldTransfers } = world.app.product
  const decider = { name: 'ana', note: 'looks right' }
  await expect(heldTransfers.decideForOperator({ operator: decider, id, decision: 'settle' })).rejects.toMatchObject({
    code: 'account_frozen',
  })
  expect(await loadStatus(id)).toMatchObject({ state: 'held', hold: { reason: 'review' } })
  await heldTransfers.decideForOperator({ operator: decider, id, decision: 'reject' })
  expect(await loadDollars(alice)).toEqual(['50.00', '0.00'])
})
