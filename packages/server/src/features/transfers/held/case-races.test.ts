import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import type { DeskAnswer, TestOperator } from '@tern/testkit/desk'
import { callNode } from '@tern/testkit/nodes'
import { blockWriters } from '@tern/testkit/block-writers'
import { decideAt, findQueueEntry, openTestCase, send } from '@tern/testkit/compliance/cases'
import { type SharedDesk, startSharedDesk } from '@tern/testkit/compliance/shared-desk'
import { readTransferId, completeStepUp, createStreetModeClient } from '@tern/testkit/street-mode'
import { decideAsOperator, dispute, findReview, sendTo } from '@tern/testkit/disputes'

// Concurrent decisions of several processes about the same money: the test's own app, another app, and a worker.

const rounds = 3

let sharedDesk: SharedDesk
let desk: SharedDesk['desk']
let nodes: SharedDesk['nodes']
let secondDesk: SharedDesk['secondDesk']
let [ana, ben, cleo]: TestOperator[] = []
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  sharedDesk = await startSharedDesk()
  ;({ desk, nodes, secondDesk } = sharedDesk)
  ;[ana, ben, cleo] = await Promise.all([1, 2, 3].map(() => desk.createOperator('reviewer', 'payments')))
})
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await sharedDesk.close()
})
beforeEach(async () => {
  alice = await desk.world.enroll('alice', 'United States')
  bruno = await desk.world.enroll('bruno', 'United States')
  await desk.world.fund(alice, 50_000)
})

const loadFiatBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
const loadState = async (id: string): Promise<string> => {
  const { rows } = await desk.world.database.pool.query<{ state: string }>('select state from transfer where id = $1', [
    id,
  ])
  return rows[0]?.state ?? 'never held'
}
const openCaseFor = (person: TestPerson) =>
  openTestCase(desk.world, { userId: BigInt(person.id), kind: 'pattern', evidence: {} })

/** Makes an operator's decision through the other process. */
const decideOnOtherNode = (operator: TestOperator, path: string, verdict: string): Promise<DeskAnswer> =>
  secondDesk.call('POST', `/queues/${path}/decision`, {
    cookie: operator.cookie,
    body: { verdict, reason: 'Compared with the papers we have.' },
  })

test('concurrent second decisions in two processes count as one: the money arrives once, or waits', async () => {
  for (const verdict of ['clear', 'clear', 'confirm']) {
    const [payer, payee] = [
      await desk.world.enroll('payer', 'United States'),
      await desk.world.enroll('payee', 'United States'),
    ]
    await desk.world.fund(payer, 10_000)
    const caseId = await openCaseFor(payer)
    const { transaction_id: id } = await send(payer, payee)
    const entry = await findQueueEntry(desk.world, caseId)
    expect((await decideAt(ana!, 'cases', entry, 'clear')).body).toMatchObject({ outcome: 'proposed' })
    const answers = await Promise.all([
      decideAt(ben!, 'cases', entry, 'clear'),
      decideOnOtherNode(cleo!, `cases/${entry}`, verdict),
    ])
    const outcomes = answers.map(({ body }) => body.outcome)
    expect(outcomes.filter((outcome) => outcome === 'carried_out' || outcome === 'disputed')).toHaveLength(1)
    const isCleared = outcomes.includes('carried_out')
    expect(await loadState(id)).toBe(isCleared ? 'settled' : 'held')
    expect(await loadFiatBalance(payee)).toBe(isCleared ? '20.00' : '0.00')
  }
})

test('money that another process is moving waits for a case opened first', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const payee = await desk.world.enroll('payee', 'United States')
    const balanceBefore = await loadFiatBalance(alice)
    // Blocks the other process's send after its check for cases.
    const postingBlock = await blockWriters(desk.world.database, 'ledger.posting')
    const body = { recipient_id: payee.id, amount: '5.00', source_currency: 'USD' }
    const sendCall = callNode(nodes[0]!.url, alice, { method: 'POST', path: '/payment/transfer', body })
    await postingBlock.waitForWaiters(1)
    await openCaseFor(payee)
    await postingBlock.release()
    expect((await sendCall).status).toBeLessThan(300)
    expect(await loadFiatBalance(payee)).toBe('0.00')
    expect(await loadFiatBalance(alice), 'it is set aside').not.toBe(balanceBefore)
  }
})

test('a dispute decided concurrently by two processes is paid at most once', async () => {
  for (const verdict of ['uphold', 'uphold', 'dismiss']) {
    const balanceBefore = await loadFiatBalance(alice)
    const { id } = await dispute(alice, await sendTo(alice, bruno, '20.00'))
    const review = await findReview(desk, id)
    const answers = await Promise.all([
      decideAsOperator(desk, ana!, id, 'uphold'),
      decideOnOtherNode(ben!, `disputes/${review}`, verdict),
    ])
    const [carriedOutAnswer, ...otherAnswers] = answers.filter(({ body }) => body?.outcome === 'carried_out')
    expect(otherAnswers).toEqual([])
    const isUpheld = carriedOutAnswer?.body.verdict === 'uphold'
    expect((await loadFiatBalance(alice)) === balanceBefore).toBe(isUpheld)
  }
})

test('concurrent confirmation, cancellation and deadline end a street-mode hold once', async () => {
  const street = createStreetModeClient(desk.world, alice)
  await street.set()
  for (let round = 0; round < rounds; round += 1) {
    const balanceBefore = await loadFiatBalance(alice)
    const payee = await desk.world.enroll('payee', 'United States')
    const id = readTransferId(await street.send(payee, '60.00'))
    await street.ageTransfer(id, 61)
    const proof = await completeStepUp(desk.world, alice, await street.settle(id))
    const path = (action: string) => ({ method: 'POST', path: `/transfers/${id}/${action}`, body: {} })
    await Promise.all([
      street.settle(id, proof),
      callNode(nodes[0]!.url, alice, path('cancel')),
      ...(round === rounds - 1 ? [street.ageTransfer(id, 24 * 60)] : []),
    ])
    await expect.poll(() => loadState(id), { timeout: 120_000 }).not.toBe('held')
    const isSettled = (await loadState(id)) === 'settled'
    expect(await loadFiatBalance(payee)).toBe(isSettled ? '60.00' : '0.00')
    if (!isSettled) expect(await loadFiatBalance(alice)).toBe(balanceBefore)
  }
})
