import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, steerPayout, loadStoredPayout } from '@tern/testkit/banking'
import type { TestOperator } from '@tern/testkit/desk'
import { callNode } from '@tern/testkit/nodes'
import { linkAccount } from '@tern/testkit/payments'
import { decideAt, findQueueEntry, importNames } from '@tern/testkit/compliance/cases'
import { type SharedDesk, startSharedDesk } from '@tern/testkit/compliance/shared-desk'
import { transact } from '../../../platform/database/db.ts'

// Concurrent decisions about withdrawals in three processes: the test's own app, another app, and a worker that submits
// payouts to banks. In any order, a bank pays at most once, and never money that was returned to the wallet.

const listedHolder = 'Zebulon Quartermain'

let shared: SharedDesk
let desk: SharedDesk['desk']
let nodes: SharedDesk['nodes']
let secondDesk: SharedDesk['secondDesk']
let [ana, ben, cleo]: TestOperator[] = []
let rosa: TestPerson
let account: string

beforeAll(async () => {
  shared = await startSharedDesk()
  ;({ desk, nodes, secondDesk } = shared)
  ;[ana, ben, cleo] = await Promise.all([1, 2, 3].map(() => desk.createOperator('reviewer')))
  await importNames(desk.world, [listedHolder])
})
afterAll(async () => {
  expect(await loadFailedChecks(desk.world)).toEqual([])
  await shared.close()
})
beforeEach(async () => {
  rosa = await desk.world.enroll('rosa', 'United States')
  await desk.world.fund(rosa, 10_000)
  account = await linkAccount(desk.world, rosa)
})

/** Checks the bank account under a listed holder's name, and returns the case that this opens. */
async function addListedHolder(): Promise<string> {
  const { counterparties, pool } = desk.world.app.product
  const holder = { id: account, kind: 'account_holder', userId: BigInt(rosa.id), name: listedHolder } as const
  await transact(pool, (tx) => counterparties.check(tx, holder))
  const { rows } = await pool.query<{ id: string }>('select id from compliance_case where counterparty_id = $1', [
    account,
  ])
  return rows[0]!.id
}

/** Withdraws 40 of the 100 dollars. */
const orderPayout = () =>
  rosa.call(withdraw, {
    body: { amount: '40.00', currency: 'USD', userId: rosa.id, bankAccountId: account },
    idempotencyKey: randomUUID(),
  })
const loadStatus = async (id: string) => (await loadStoredPayout(desk.world, id)).status
/** Number of orders at the sandbox's banks, from its control page. */
async function countOrdersAtBank(id: string): Promise<number> {
  const page = await (await fetch(`${desk.world.sandboxUrl}/control`)).text()
  return page.split(`<span class="sub code">for ${id}</span>`).length - 1
}
const waitForOrder = (id: string) =>
  expect.poll(async () => (await loadStoredPayout(desk.world, id)).provider_payout_id).not.toBeNull()
const cancelOnOtherNode = (id: string) =>
  callNode(nodes[0]!.url, rosa, { method: 'POST', path: `/transfers/${id}/cancel`, body: {} })

/** Makes a first decision, then two concurrent ones in two processes; returns the outcomes of these two. */
async function decide(
  caseId: string,
  [firstVerdict, secondVerdict, thirdVerdict]: readonly ['clear' | 'confirm', string, string],
) {
  const entry = await findQueueEntry(desk.world, caseId)
  await decideAt(ana!, 'cases', entry, firstVerdict)
  const body = { verdict: thirdVerdict, reason: 'Compared with the papers we have.' }
  const answers = await Promise.all([
    decideAt(ben!, 'cases', entry, secondVerdict),
    secondDesk.call('POST', `/queues/cases/${entry}/decision`, { cookie: cleo!.cookie, body }),
  ])
  return answers.map((answer) => answer.body.outcome)
}

/** Expects the payout to be ordered once and paid, leaving 60 dollars. */
async function expectPaid(id: string): Promise<void> {
  await waitForOrder(id)
  expect(await countOrdersAtBank(id)).toBe(1)
  await steerPayout(desk.world, id, 'pay')
  await expect.poll(() => loadStatus(id)).toBe('completed')
  expect((await rosa.wallet()).fiat_balance).toBe('60.00')
}
async function expectReturned(id: string): Promise<void> {
  expect(await loadStatus(id)).toBe('failed')
  expect((await rosa.wallet()).fiat_balance).toBe('100.00')
  await desk.world.app.product.payments.submitPayout(id)
  expect(await countOrdersAtBank(id)).toBe(0)
}

test.each([
  [['clear', 'clear', 'clear']],
  [['clear', 'clear', 'confirm']],
  [['confirm', 'confirm', 'confirm']],
  [['confirm', 'clear', 'confirm']],
] as const)(
  'two concurrent decisions (%j) during the owner’s cancellation: paid once, returned once, or held',
  async (verdicts) => {
    const caseId = await addListedHolder()
    const { payout_id: id, transaction_id: transferId } = await orderPayout()
    expect(await loadStatus(id)).toBe('held')
    const [outcomes, cancelOutcome] = await Promise.all([decide(caseId, verdicts), cancelOnOtherNode(transferId)])
    expect(cancelOutcome.status, 'not theirs to cancel').toBe(409)
    const carriedOutcomes = outcomes.filter((outcome) => outcome === 'carried_out')
    expect(outcomes.filter((outcome) => outcome === 'carried_out' || outcome === 'disputed')).toHaveLength(1)
    const { heldTransfers, payments } = desk.world.app.product
    await Promise.all([heldTransfers.followCases(), heldTransfers.followCases(caseId), payments.submitPayout(id)])
    if (carriedOutcomes.length === 0) {
      expect(await loadStatus(id)).toBe('held')
      expect(await countOrdersAtBank(id)).toBe(0)
    } else await (verdicts[0] === 'clear' ? expectPaid(id) : expectReturned(id))
  },
)

test.each([1, 2, 3])(
  'a case opened during the order to the bank (%i) returns only what the bank does not have',
  async () => {
    const { payout_id: id } = await orderPayout()
    const { payments } = desk.world.app.product
    const [caseId] = await Promise.all([addListedHolder(), payments.submitPayout(id), payments.submitPayout(id)])
    await payments.submitPayout(id)
    const isHeld = (await loadStatus(id)) === 'held'
    expect(await countOrdersAtBank(id)).toBe(isHeld ? 0 : 1)
    await decide(caseId, ['confirm', 'confirm', 'confirm'])
    await (isHeld ? expectReturned(id) : expectPaid(id))
  },
)
