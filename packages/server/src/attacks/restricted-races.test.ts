// A stolen card's money circulates among mules while each tries to withdraw, through two processes at once.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { ageDeposits } from '../../../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { isFullRun } from '@tern/testkit/length'
import { callNode, startNode, type TestNode } from '@tern/testkit/nodes'
import { linkAccount } from '@tern/testkit/payments'
import { raiseLimits } from '@tern/testkit/people'
import { raiseMovementCounts, restoreMaturityPolicy } from '@tern/testkit/risk'

const rounds = isFullRun ? 200 : 15
// Three mules act in each round: few enough actions per mule that no rate limit refuses first.
const muleCount = 18
/** Unrestricted balance of each mule, in cents. */
const unrestrictedCents = 1_000

let world: TestApp
let node: TestNode
let urls: readonly string[]
let thief: TestPerson
let mules: TestPerson[]
let accounts: string[]

beforeAll(async () => {
  world = await startTestApp({ unconfirmedPayments: 'any' })
  node = await startNode(world)
  urls = [world.url, node.url]
  const { pool } = world.database
  await raiseLimits(pool)
  await raiseMovementCounts(pool)
  await restoreMaturityPolicy(pool)
  thief = await world.enroll('thief', 'United States')
  mules = []
  accounts = []
  for (let n = 0; n < muleCount; n += 1) {
    const mule = await world.enroll(`mule${n}`, 'United States')
    await world.fund(mule, unrestrictedCents)
    await ageDeposits(pool, mule.id, 15 * 24)
    mules.push(mule)
    accounts.push(await linkAccount(world, mule))
  }
  await world.fund(thief, 990_000)
})
afterAll(async () => {
  expect(await loadFailedChecks(world)).toEqual([])
  await node.close()
  await world.close()
})

/** Calls one of the two processes and returns `done` or the code of the refusal. */
async function call(nodeIndex: number, person: TestPerson, path: string, body: object): Promise<string> {
  const { status, body: answer } = await callNode(urls[nodeIndex % 2]!, person, { method: 'POST', path, body })
  return status < 300 ? 'done' : String((answer as { code?: string }).code)
}

const send = (nodeIndex: number, from: TestPerson, to: TestPerson, amount: string) =>
  call(nodeIndex, from, '/payment/transfer', { recipient_id: to.id, amount, source_currency: 'USD' })

test(`rounds by two processes: banks get only what may go there (${rounds})`, async () => {
  let withdrawnCents = 0
  const codes: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const actions = [0, 1, 2].flatMap((offset) => {
      const index = (round * 3 + offset) % muleCount
      const mule = mules[index]!
      const next = mules[(index + 1) % muleCount]!
      const bankAccountId = accounts[index]
      return [
        send(round + index, thief, mule, '12.00'),
        send(round + index + 1, mule, next, '7.00'),
        call(round + index, mule, '/payment/withdraw', { amount: '9.00', currency: 'USD', bankAccountId }).then(
          (code) => {
            codes.push(code)
            if (code === 'done') withdrawnCents += 900
            return 'asked'
          },
        ),
      ]
    })
    await Promise.all(actions)
  }
  expect(withdrawnCents).toBeLessThanOrEqual(unrestrictedCents * muleCount)
  // At least one withdrawal was refused as too early; which ones depends on timing.
  expect(codes).toContain('money_not_mature')
  const { rows } = await world.database.pool.query<{ name: string }>(
    `select a.name from ledger.account a join restricted_money r on r.account_id = a.id and is_restricted(r, now())
      group by a.id having sum(r.minor) > a.balance`,
  )
  expect(rows).toEqual([])
})
