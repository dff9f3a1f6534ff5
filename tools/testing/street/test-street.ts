// For tests: somebody with street mode, and time that passes for what it holds.

import { randomUUID } from 'node:crypto'
import { sendMoney, settleTransfer, transferStatus } from '@tern/contract/transfers'
import { addStreetPlace, setStreetMode } from '@tern/contract/transfers/street-mode'
import type { TestApp, TestPerson } from '../test-app.ts'
import { confirm, outcomeOf, requirementOf } from '../test-banking.ts'

/** A mode that is on, with a limit of 50, by which it is never night. */
const usual = { is_on: true, limit: '50.00', night_from: 0, night_until: 0, time_zone: 'UTC' }

/** What a test does in the name of somebody; everything answers with the reply or the problem. */
export function streetOf({ database: { pool } }: Pick<TestApp, 'database'>, person: TestPerson) {
  return {
    set: (changed: Partial<typeof usual> = {}, confirmation?: string) =>
      outcomeOf(person.call(setStreetMode, { body: { ...usual, ...changed }, confirmation })),
    addHome: (confirmation?: string) =>
      outcomeOf(person.call(addStreetPlace, { body: { name: 'Home' }, confirmation })),
    send: (to: TestPerson, amount: string, key: string = randomUUID()) => {
      const body = { recipient_id: to.id, amount, source_currency: 'USD' as const }
      return outcomeOf(person.call(sendMoney, { body, idempotencyKey: key }))
    },
    statusOf: (id: string) => person.call(transferStatus, { params: { id } }),
    settle: (id: string, confirmation?: string) =>
      outcomeOf(person.call(settleTransfer, { params: { id }, confirmation })),
    /** Lets a held transfer wait for so long. */
    age: (id: string, minutes: number) =>
      pool.query(
        `update transfer set held_at = held_at - make_interval(mins => $2), held_until = held_until - make_interval(mins => $2)
          where id = $1`,
        [id, minutes],
      ),
    /** Lets so many hours pass for what was chosen. */
    ageChoices: (hours: number) =>
      Promise.all([
        pool.query(
          'update street_setting set valid_from = valid_from - make_interval(hours => $2) where user_id = $1',
          [person.id, hours],
        ),
        pool.query(
          'update street_place set trusted_from = trusted_from - make_interval(hours => $2) where user_id = $1',
          [person.id, hours],
        ),
      ]),
  }
}

export type Street = ReturnType<typeof streetOf>

/** Somebody with 950 dollars, what a test does in their name, and whom a thief would pay from their phone. */
export async function enrollOwner(world: TestApp) {
  const owner = await world.enroll('owner', 'United States')
  const mule = await world.enroll('mule', 'United States')
  await world.fund(owner, 95_000)
  return { owner, mule, street: streetOf(world, owner) }
}

/** The id of a transfer that was made or is held. */
export function idOf(outcome: object): string {
  if (!('transaction_id' in outcome)) throw new Error(`it was refused: ${JSON.stringify(outcome)}`)
  return String(outcome.transaction_id)
}

/** Confirms what a refused call asks for; gives the confirmation. */
export async function prove(world: TestApp, person: TestPerson, refused: unknown): Promise<string> {
  const requirement = requirementOf(refused)
  await confirm(world, person, requirement)
  return requirement.id
}
