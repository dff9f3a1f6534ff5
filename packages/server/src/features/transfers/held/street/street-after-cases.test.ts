// Transfers held for a case that street mode would have held too: once cleared, they wait for their second proof.

import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { notifications } from '@tern/contract/notifications/notifications'
import { directPayment } from '@tern/contract/payments'
import { cancelTransfer } from '@tern/contract/transfers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { recordCaseDecisions, openTestCase, send } from '@tern/testkit/compliance/cases'
import { enrollOwner, readTransferId, completeStepUp, type StreetModeClient } from '@tern/testkit/street-mode'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { loadFailedChecks, loadMails, nextMail, settleCall, readRequirement } from '@tern/testkit/banking'
import { linkAccount, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { changeMonitoringThresholds } from '@tern/testkit/risk'

let owner: TestPerson
let mule: TestPerson
let street: StreetModeClient

const world = await openTestApp({ unconfirmedPayments: 'any' })
afterAll(async () => expect(await loadFailedChecks(world)).toEqual([]))
beforeEach(async () => {
  ;({ owner, mule, street } = await enrollOwner(world))
  await street.set()
})

const openCaseFor = (person: TestPerson) =>
  openTestCase(world, { userId: BigInt(person.id), kind: 'pattern', evidence: {} })

const clearCase = (caseId: string) => recordCaseDecisions(world, caseId, 'clear')
const followCases = ({ app }: TestApp) => app.product.heldTransfers.followCases()
async function clearCaseAndFollow(caseId: string): Promise<void> {
  await clearCase(caseId)
  await followCases(world)
}

/** Ages the transfer by an hour, then settles it with a confirmation. */
async function confirmAfterAging(id: string): Promise<unknown> {
  await street.ageTransfer(id, 60)
  return street.settle(id, await completeStepUp(world, owner, await street.settle(id)))
}

describe('a transfer that a case and street mode would hold', () => {
  test.each([
    ['sender', () => owner],
    ['recipient', () => mule],
  ])('waits for a case of its %s, and once cleared for an hour and a second proof', async (_case, findSubject) => {
    const caseId = await openCaseFor(findSubject())
    const id = readTransferId(await street.send(mule, '120.00'))
    expect(await street.loadStatus(id)).toMatchObject({
      ...{ state: 'held', hold: { reason: 'compliance', confirm_from: null, at_deadline: 'escalate' } },
    })
    await street.ageTransfer(id, 61)
    expect(await street.settle(id)).toMatchObject({ code: 'transfer_not_held' })
    expect(await settleCall(owner.call(cancelTransfer, { params: { id } }))).toMatchObject({ code: 'not_cancelable' })
    await world.app.product.transferLinks.notifyStreetHolds()
    expect(await loadMails(world, owner, /needs your confirmation/), 'nothing to do yet').toEqual([])

    await clearCaseAndFollow(caseId)
    const { hold, state } = await street.loadStatus(id)
    expect(state).toBe('held')
    expect(hold).toMatchObject({ reason: 'street_mode', decided_by: 'sender', at_deadline: 'release', check: null })
    expect(Date.parse(hold!.confirm_from!) - world.app.product.now().getTime()).toBeGreaterThan(58 * 60_000)
    expect(Date.parse(hold!.until) - Date.parse(hold!.confirm_from!)).toBe(24 * 3_600_000)
    expect(await street.settle(id)).toMatchObject({ code: 'not_confirmable_yet' })
    await Promise.all([1, 2].map(() => world.app.product.transferLinks.notifyStreetHolds()))
    const { needs_action: actions } = await owner.call(notifications, {})
    expect(actions.filter(({ code }) => code === 'street_hold')).toMatchObject([{ subject_id: id }])
    expect(await nextMail(world, owner, /needs your confirmation/)).toContain('/cancel#code=')

    expect(await confirmAfterAging(id)).toMatchObject({ state: 'settled' })
    expect(await mule.wallet()).toMatchObject({ fiat_balance: '120.00' })
  })

  test('returns if nobody confirms it', async () => {
    const caseId = await openCaseFor(owner)
    const id = readTransferId(await street.send(mule, '120.00'))
    await clearCaseAndFollow(caseId)
    await street.ageTransfer(id, 25 * 60)
    await world.app.product.heldTransfers.endDue()
    expect(await street.loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'expired' })
    expect(await owner.wallet()).toMatchObject({ fiat_balance: '950.00' })
  })

  test('settles once cleared if street mode would have let it pass, and counts for the next', async () => {
    const caseId = await openCaseFor(owner)
    const id = readTransferId(await street.send(mule, '40.00'))
    const nextSendId = readTransferId(await street.send(mule, '20.00'))
    await clearCaseAndFollow(caseId)
    expect(await street.loadStatus(id)).toMatchObject({ state: 'settled' })
    expect(await street.loadStatus(nextSendId)).toMatchObject({ state: 'held', hold: { reason: 'street_mode' } })
  })

  test('and that completes a pattern waits for both', async () => {
    const richPerson = await world.enroll('rich', 'United States')
    await world.fund(richPerson, 250_000)
    await changeMonitoringThresholds(world.database.pool, { rapid_usd_minor: 100_000 })
    await send(richPerson, owner, '1100.00')
    const id = readTransferId(await street.send(mule, '1050.00'))
    await changeMonitoringThresholds(world.database.pool, { rapid_usd_minor: 1_000_000_000_000 })
    const { hold } = await street.loadStatus(id)
    expect(hold).toMatchObject({ reason: 'compliance', check: { state: 'open' } })
    await clearCaseAndFollow(hold!.check!.id)
    expect(await street.loadStatus(id)).toMatchObject({ state: 'held', hold: { reason: 'street_mode' } })
  })

  test('and that is a withdrawal reaches its bank after the proof', async () => {
    const bankAccountId = await linkAccount(world, owner)
    const caseId = await openCaseFor(owner)
    const body = { amount: '90.00', currency: 'USD', bankAccountId } as const
    const { payout_id: id } = await owner.call(withdraw, { body, idempotencyKey: randomUUID() })
    const { id: transferId } = await street.loadStatus(id)
    await clearCaseAndFollow(caseId)
    await world.app.product.payments.submitPayout(id)
    expect(await street.loadStatus(id)).toMatchObject({ state: 'held', hold: { reason: 'street_mode' } })
    expect(await confirmAfterAging(transferId)).toMatchObject({ state: 'processing' })
    const secondCaseId = await openCaseFor(owner)
    await world.app.product.payments.submitPayout(id)
    expect(await street.loadStatus(id), 'held after all').toMatchObject({
      state: 'held',
      hold: { reason: 'compliance' },
    })
    await clearCaseAndFollow(secondCaseId)
    expect(await street.loadStatus(id), 'it was proven').toMatchObject({ state: 'processing' })
  })

  test('and that a card funds: the hour counts from the clearing, not from the arrival of the money', async () => {
    const caseId = await openCaseFor(owner)
    const body = { amount: 12_000, currency: 'usd', recipientId: String(mule.id), paymentSource: 'card' } as const
    const payment = await owner.call(directPayment, { body, idempotencyKey: randomUUID() })
    await payCheckout(payment.redirectUrl!)
    await waitForPayment(owner, payment.payment_id, 'completed')
    const id = payment.transaction_id
    expect(await street.loadStatus(id)).toMatchObject({ state: 'held', hold: { reason: 'compliance' } })
    await street.ageTransfer(id, 120)
    await clearCaseAndFollow(caseId)
    expect(await street.settle(id)).toMatchObject({ code: 'not_confirmable_yet' })
    expect(await confirmAfterAging(id)).toMatchObject({ state: 'settled' })
  })
})

test('a second proof given before a case held the payment is not requested again', async () => {
  const id = readTransferId(await street.send(mule, '120.00'))
  const caseId = await openCaseFor(owner)
  expect(await confirmAfterAging(id)).toMatchObject({ code: 'transfer_not_held' })
  expect(await street.loadStatus(id)).toMatchObject({
    state: 'held',
    hold: { reason: 'compliance', confirm_from: null },
  })
  await clearCaseAndFollow(caseId)
  expect(await street.loadStatus(id)).toMatchObject({ state: 'settled' })
})

test('concurrently cleared, cancelled, confirmed and due in two processes, no transfer settles without its proof', async () => {
  // The other process mails too, so this test reads no mail.
  const otherApp = await startTestApp({ database: world.database, environment: { TERN_SECRET: world.secret } })
  const caseId = await openCaseFor(owner)
  const ids: string[] = []
  for (let count = 0; count < 6; count += 1) ids.push(readTransferId(await street.send(mule, '60.00')))
  await clearCase(caseId)
  const endSend = (id: string) => [
    settleCall(owner.call(cancelTransfer, { params: { id } })),
    street.settle(id),
    otherApp.app.product.heldTransfers.endDue(),
  ]
  await Promise.all([
    followCases(world),
    followCases(otherApp),
    ...ids.slice(2).flatMap(endSend),
    followCases(world),
    followCases(otherApp),
  ])
  const statesAfter = await Promise.all(ids.map((id) => street.loadStatus(id)))
  for (const { state, hold, release_reason: reason } of statesAfter)
    expect([state, hold?.reason ?? reason].join(' ')).toMatch(/^(held street_mode|released cancelled)$/)

  // Concurrent confirmation and cancellation end each transfer once.
  const heldIds = ids.filter((_, n) => statesAfter[n]!.state === 'held')
  expect(heldIds.length).toBeGreaterThanOrEqual(2)
  const proofs: string[] = []
  for (const id of heldIds) {
    await street.ageTransfer(id, 60)
    const requirement = readRequirement(await street.settle(id))
    await owner.confirmAtOnce?.(requirement.id)
    proofs.push(requirement.id)
  }
  const decide = (id: string, n: number) => [
    street.settle(id, proofs[n]),
    settleCall(owner.call(cancelTransfer, { params: { id } })),
  ]
  await Promise.all([...heldIds.flatMap(decide), followCases(world), followCases(otherApp)])
  const endStatuses = await Promise.all(ids.map(async (id) => (await street.loadStatus(id)).state))
  const settledCount = endStatuses.filter((state) => state === 'settled').length
  expect(endStatuses.filter((state) => state === 'released')).toHaveLength(ids.length - settledCount)
  expect(await mule.wallet()).toMatchObject({ fiat_balance: `${settledCount * 60}.00` })
  await otherApp.app.close()
})
