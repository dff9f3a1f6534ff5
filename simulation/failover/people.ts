// People of a run: those whose sends are watched, and those who place orders for later.

import { randomUUID } from 'node:crypto'
import { sendMoney } from '@tern/contract/transfers'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { createActor, type Watch } from '../harness/actor.ts'
import type { Harness } from '../long/harness.ts'

const fundedMinor = 10_000_000

export interface Couple {
  readonly sender: TestPerson
  readonly recipient: TestPerson
}

/** Enrolls pairs of a sender with money and a recipient, who has been paid before. */
export async function enrollCouples({ urls, pool }: Harness): Promise<readonly Couple[]> {
  const names = [
    ['alice', 'bruno'],
    ['clara', 'david'],
    ['emily', 'frank'],
  ] as const
  const enrolled = (name: string) => enroll(urls[0], name, 'United States', { database: pool })
  const couples = names.map(async ([senderName, recipientName]) => {
    const couple = { sender: await enrolled(senderName), recipient: await enrolled(recipientName) }
    await fund(couple.sender, fundedMinor)
    const body = { recipient_id: couple.recipient.id, amount: '1.00', source_currency: 'USD' } as const
    await couple.sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
    return couple
  })
  // Without this, so many payments would exceed the daily number of free ones.
  await pool.query('update fee_policy set free_movements_per_day = 1000000')
  return Promise.all(couples)
}

/** Creates a function that makes a person an actor at these apps. */
export const toActor =
  (urls: readonly string[], watch: Watch = () => {}) =>
  (person: TestPerson) =>
    createActor(urls, person, 'USD', { repeatAfterMs: () => 4000, timeoutMs: 20_000, maxPauseMs: 1000, watch })

/** Returns the time of product and sandbox. */
export async function readProductTime(sandboxUrl: string): Promise<Date> {
  const { offsetMs } = (await (await fetch(`${sandboxUrl}/api/clock`)).json()) as { offsetMs: number }
  return new Date(Date.now() + offsetMs)
}
