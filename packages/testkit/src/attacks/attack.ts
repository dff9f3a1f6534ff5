// For tests of attacks: the product with its real risk thresholds, in three processes.

import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { ageDeposits } from '../../../../tools/aging.ts'
import { startTestApp, type TestApp, type TestPerson } from '../app.ts'
import { settleCall } from '../banking.ts'
import { callNode, startNode } from '../nodes.ts'

export const sendTo = (to: TestPerson, amount: string) => ({
  recipient_id: to.id,
  amount,
  source_currency: 'USD' as const,
})

/** Sends dollars; returns the reply or the problem. */
export const send = (
  from: TestPerson,
  to: TestPerson,
  amount: string,
  overrides: object = {},
  key: string = randomUUID(),
) => settleCall(from.call(sendMoney, { body: { ...sendTo(to, amount), ...overrides }, idempotencyKey: key }))

export const readCode = (outcome: object): string => ('code' in outcome ? String(outcome.code) : 'passed')

export const countCodes = (codes: readonly string[]) =>
  Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((candidate) => candidate === code).length]))

/**
 * Starts the product and two more processes of it; `unconfirmedPayments: 'any'` disables the step-up confirmations of
 * payments.
 */
export async function startAttack(unconfirmedPayments: 'as_usual' | 'any' = 'as_usual') {
  const world: TestApp = await startTestApp({ unconfirmedPayments })
  const nodes = await Promise.all([startNode(world), startNode(world)])
  const urls: readonly string[] = [world.url, ...nodes.map(({ url }) => url)]
  return {
    world,
    urls,
    newPerson: (name = 'owner') => world.enroll(name, 'United States'),
    /** Adds money by card, in minor units, and ages it until it can be withdrawn. */
    async fundMature(person: TestPerson, minor: number): Promise<void> {
      await world.fund(person, minor)
      await ageDeposits(world.database.pool, person.id, 15 * 24)
    },
    /**
     * Sends all payments concurrently, distributed over the three processes; returns the number of replies by code,
     * `passed` or that of the refusal.
     */
    sendAll: async (from: TestPerson, payees: readonly TestPerson[], amount: string) => {
      const answers = await Promise.all(
        payees.map((to, index) =>
          callNode(urls[index % urls.length] ?? world.url, from, {
            method: 'POST',
            path: '/payment/transfer',
            body: sendTo(to, amount),
          }),
        ),
      )
      return countCodes(answers.map(({ status, body }) => (status < 300 ? 'passed' : String(body.code))))
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
      await world.close()
    },
  }
}

export type Attack = Awaited<ReturnType<typeof startAttack>>
