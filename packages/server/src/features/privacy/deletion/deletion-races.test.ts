// Deletion of an account during payments to it, in several processes over one database: each payment is either made
// before the deletion begins, or refused.

import { createRequest } from '@tern/contract/requests/requests'
import { createPayment } from '@tern/contract/payments'
import { sendMoney } from '@tern/contract/transfers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { beginDeletion } from '@tern/testkit/account-deletion'
import { loadFailedChecks } from '@tern/testkit/banking'
import { callNode, startNode, type TestNode } from '@tern/testkit/nodes'
import { Refusal } from '../../../platform/refuse.ts'

const rounds = 24

let world: TestApp
let nodes: readonly TestNode[] = []
let senders: readonly TestPerson[]
beforeAll(async () => {
  world = await startTestApp()
  nodes = await Promise.all([startNode(world), startNode(world)])
  senders = await Promise.all(['ann', 'ben', 'cat'].map((name) => world.enroll(name, 'United States')))
  for (const sender of senders) await world.fund(sender, 50_000)
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await world.close()
})

const readCode = ({ status, body }: { status: number; body: { code?: string } }) =>
  status < 300 ? 'done' : (body.code ?? String(status))

/** Concurrent actions with the leaving user, by one sender per process; each answer calls `onAnswer`. */
const sendAndRequest = (leaver: TestPerson, onAnswer: () => void) =>
  Promise.all(
    senders.map(async (sender, index) => {
      const url = [world.url, ...nodes.map((node) => node.url)][index] ?? world.url
      const call = ({ method, path }: { method: string; path: string }, body: object) =>
        callNode(url, sender, { method, path, body }).then(readCode).finally(onAnswer)
      const sendBody = { recipient_id: leaver.id, amount: '1.00', source_currency: 'USD' }
      const cardBody = { purpose: 'send', method: 'card', recipient_id: leaver.id, amount: '1.00', currency: 'USD' }
      return Promise.all([
        call(sendMoney, sendBody),
        call(sendMoney, { ...sendBody, undo_seconds: 60 }),
        call(createPayment, cardBody),
        call(createRequest, { payer_id: leaver.id, amount: '1.00', currency: 'USD' }),
      ])
    }),
  )

async function requestDeletion({ id }: TestPerson): Promise<string> {
  try {
    await beginDeletion(world, id)
    return 'begun'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

const loadReferences = async ({ id }: TestPerson) => {
  const { rows } = await world.database.pool.query<{ money: bigint; open: bigint }>(
    `select (select coalesce(sum(a.balance), 0) from ledger.account a join wallet w on split_part(a.name, ':', 2) = w.id::text
              where w.user_id = $1) as money,
            (select count(*) from transfer where recipient_id = $1 and state in ('held', 'awaiting_funding'))
              + (select count(*) from payment where recipient_id = $1 and status = 'pending')
              + (select count(*) from payment_request where payer_id = $1 and status = 'open') as open`,
    [id],
  )
  return rows[0]
}

test('an account whose deletion has begun never has money or anything open', async () => {
  const observedStates: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    const leaver = await world.enroll('leaving', 'United States')
    // Milliseconds. In every fourth round the senders start before the deletion, otherwise with it or after it.
    const [sendDelay, leaveDelay] = round % 4 === 3 ? [0, 20] : [(round * 5) % 60, 0]
    const { promise: firstAnswer, resolve: onAnswer } = Promise.withResolvers<void>()
    // In some rounds the deletion waits for the first answer, in others the senders wait for the deletion.
    const deletion = (round % 8 === 7 ? firstAnswer : delay(leaveDelay)).then(() => requestDeletion(leaver))
    const [senderOutcomes, deletionOutcome] = await Promise.all([
      (round % 8 === 5 ? deletion : delay(sendDelay)).then(() => sendAndRequest(leaver, onAnswer)),
      deletion,
    ])
    observedStates.push(deletionOutcome)
    const remainingReferences = await loadReferences(leaver)
    const codes = senderOutcomes.flat()
    if (deletionOutcome === 'begun') {
      expect(remainingReferences).toEqual({ money: 0n, open: 0n })
      // Lookups of many deleted users are rate limited.
      for (const code of codes) expect(code).toMatch(/^(recipient_not_found|rate_limited)$/)
    } else {
      expect(deletionOutcome).toBe('account_not_empty')
      expect(codes).toContain('done')
    }
  }
  // Both outcomes must occur.
  expect(new Set(observedStates)).toEqual(new Set(['begun', 'account_not_empty']))
  expect(await loadFailedChecks(world)).toEqual([])
})
