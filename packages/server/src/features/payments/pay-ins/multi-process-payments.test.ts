// Payments in several processes over one database: each process respects the decisions of the others.

import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createQuote } from '@tern/contract/exchange'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ageSends } from '../../../../../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks } from '@tern/testkit/banking'
import { callNode, startNode, type TestNode } from '@tern/testkit/nodes'
import { isFullRun } from '@tern/testkit/length'
import { linkAccount } from '@tern/testkit/payments'

// Below the limit of thirty payments per user and minute.
const roundsPerPerson = isFullRun ? 25 : 3
const rounds = 8 * roundsPerPerson

let world: TestApp
let nodes: readonly TestNode[] = []
let urls: readonly string[]

beforeAll(async () => {
  world = await startTestApp()
  nodes = await Promise.all([startNode(world), startNode(world)])
  urls = [world.url, ...nodes.map(({ url }) => url)]
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await world.close()
})

const post = (url: string, person: TestPerson, path: string, body: object, key?: string) =>
  callNode(url, person, { method: 'POST', path, body, ...(key ? { key } : {}) })

const readCode = ({ status, body }: { status: number; body: { code?: string } }): string =>
  status < 300 ? 'passed' : String(body.code)

const compareStrings = (a: string, b: string): number => a.localeCompare(b, 'en')

test.each([2, 3])(`a quote moves money once, in any process: ${rounds} times in %i processes`, async (processes) => {
  const payee = await world.enroll('payee', 'United States')
  const senders: TestPerson[] = []
  for (let index = 0; index < rounds / roundsPerPerson; index += 1) {
    const sender = await world.enroll('sender', 'United States')
    await world.fund(sender, 10_000)
    senders.push(sender)
  }
  const violations: string[] = []
  await Promise.all(
    senders.map(async (sender, senderIndex) => {
      for (let round = 0; round < roundsPerPerson; round += 1) {
        const { quote_id: quoteId } = await sender.call(createQuote, {
          body: {
            source_currency: 'USD',
            target_currency: 'USD',
            amount: '1.00',
            side: 'source',
            recipient_id: payee.id,
          },
        })
        const chooseUrl = (offset: number) => urls[(senderIndex + round + offset) % processes]!
        const fromWallet = { recipient_id: payee.id, amount: '1.00', source_currency: 'USD', quote_id: quoteId }
        const cardBody = {
          amount: 100,
          currency: 'usd',
          recipientId: String(payee.id),
          paymentSource: 'card',
          quote_id: quoteId,
        }
        const codes = (
          await Promise.all([
            post(chooseUrl(0), sender, '/payment/transfer', fromWallet),
            post(chooseUrl(1), sender, '/payment/direct-payment', cardBody),
          ])
        ).map(readCode)
        const isExpected = codes.filter((code) => code === 'passed').length === 1 && codes.includes('quote_used')
        if (!isExpected) violations.push(codes.join(' and '))
      }
    }),
  )
  expect(violations).toEqual([])
  expect(await loadFailedChecks(world)).toEqual([])
})

/** Two users who have sent each other small amounts, so that they need no confirmation from the next day on. */
async function createFriends(): Promise<{ sender: TestPerson; donor: TestPerson }> {
  const [sender, donor] = [await world.enroll('poor', 'United States'), await world.enroll('donor', 'United States')]
  await world.fund(donor, 20_000)
  await pay(donor, sender, '1.00')
  await pay(sender, donor, '0.10')
  return { sender, donor }
}

async function pay(from: TestPerson, to: TestPerson, amount: string): Promise<void> {
  const body = { recipient_id: to.id, amount, source_currency: 'USD' }
  expect(await post(world.url, from, '/payment/transfer', body).then(readCode)).toBe('passed')
}

test.each([2, 3])(
  `a refused key stays refused, also for a request that hung: ${rounds} times in %i processes`,
  async (processes) => {
    const pairs = await Promise.all(Array.from({ length: rounds / roundsPerPerson }, createFriends))
    await ageSends(world.database.pool)
    const violations: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const { sender, donor } = pairs[round % pairs.length]!
      const suspendedNode = nodes[round % (processes - 1)]!
      const otherUrl = processes === 2 ? world.url : nodes[(round + 1) % 2]!.url
      const key = randomUUID()
      const body = { recipient_id: donor.id, amount: '2.00', source_currency: 'USD' }
      const first = post(suspendedNode.url, sender, '/payment/transfer', body, key)
      await delay(randomInt(0, 6))
      suspendedNode.child.kill('SIGSTOP')
      const refusedAnswer = await post(otherUrl, sender, '/payment/transfer', body, key)
      await pay(donor, sender, '2.00')
      suspendedNode.child.kill('SIGCONT')
      const answers = [refusedAnswer, await first, await post(otherUrl, sender, '/payment/transfer', body, key)].map(
        readCode,
      )
      if (answers.some((code) => code !== 'insufficient_funds')) violations.push(answers.join())
      await pay(sender, donor, '1.95')
    }
    expect(violations).toEqual([])
    expect(await loadFailedChecks(world)).toEqual([])
  },
)

test('three processes share the allowance for unconfirmed sends to a new payee', async () => {
  for (let round = 0; round < 4; round += 1) {
    const sender = await world.enroll('sender', 'United States')
    await world.fund(sender, 50_000)
    const payee = await world.enroll('payee', 'United States')
    const body = { recipient_id: payee.id, amount: '100.00', source_currency: 'USD' }
    const cardBody = { recipientId: String(payee.id), amount: 10_000, currency: 'usd', paymentSource: 'card' }
    const codes = await Promise.all([
      ...urls.map((url) => post(url, sender, '/payment/transfer', body)),
      ...urls.map((url) => post(url, sender, '/payment/direct-payment', cardBody)),
    ])
    expect(codes.map(readCode).toSorted(compareStrings), `round ${round}`).toEqual([
      'passed',
      ...Array.from({ length: 5 }, () => 'step_up_required'),
    ])
  }
})

test('three processes share the allowance for unconfirmed withdrawals to a new account', async () => {
  for (let round = 0; round < 4; round += 1) {
    const person = await world.enroll('person', 'United States')
    await world.fund(person, 50_000)
    const bankAccountId = await linkAccount(world, person)
    const body = { amount: '95.00', currency: 'USD', bankAccountId }
    const codes = await Promise.all(urls.map((url) => post(url, person, '/payment/withdraw', body)))
    expect(codes.map(readCode).toSorted(compareStrings), `round ${round}`).toEqual([
      'passed',
      'step_up_required',
      'step_up_required',
    ])
  }
})
