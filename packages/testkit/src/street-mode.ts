// For tests: a person with street mode, and shifting the times of held transfers.

import { randomUUID } from 'node:crypto'
import { sendMoney, settleTransfer, transferStatus } from '@tern/contract/transfers'
import { addStreetPlace, setStreetMode } from '@tern/contract/transfers/street-mode'
import type { TestApp, TestPerson } from './app.ts'
import { confirm, settleCall, readRequirement } from './banking.ts'

/** Street mode with a limit of 50 and without night hours. */
const defaultSettings = { is_on: true, limit: '50.00', night_from: 0, night_until: 0, time_zone: 'UTC' }

/** Returns functions that call street mode as this person; each returns the reply or the problem. */
export function createStreetModeClient({ database: { pool } }: Pick<TestApp, 'database'>, person: TestPerson) {
  return {
    set: (changes: Partial<typeof defaultSettings> = {}, confirmation?: string) =>
      settleCall(person.call(setStreetMode, { body: { ...defaultSettings, ...changes }, confirmation })),
    addHome: (confirmation?: string) =>
      settleCall(person.call(addStreetPlace, { body: { name: 'Home' }, confirmation })),
    send: (to: TestPerson, amount: string, key: string = randomUUID()) => {
      const body = { recipient_id: to.id, amount, source_currency: 'USD' as const }
      return settleCall(person.call(sendMoney, { body, idempotencyKey: key }))
    },
    loadStatus: (id: string) => person.call(transferStatus, { params: { id } }),
    settle: (id: string, confirmation?: string) =>
      settleCall(person.call(settleTransfer, { params: { id }, confirmation })),
    /** Moves the times of a held transfer `minutes` into the past. */
    ageTransfer: (id: string, minutes: number) =>
      pool.query(
        `update transfer set held_at = held_at - make_interval(mins => $2), held_until = held_until - make_interval(mins => $2)
          where id = $1`,
        [id, minutes],
      ),
    /** Moves the times of settings and trusted places `hours` into the past. */
    ageSettings: (hours: number) =>
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

export type StreetModeClient = ReturnType<typeof createStreetModeClient>

/** Enrolls an owner with 950 dollars, and a mule whom a thief with the owner's phone would pay. */
export async function enrollOwner(world: TestApp) {
  const owner = await world.enroll('owner', 'United States')
  const mule = await world.enroll('mule', 'United States')
  await world.fund(owner, 95_000)
  return { owner, mule, street: createStreetModeClient(world, owner) }
}

/** Returns the id of a completed or held transfer; throws for a refused one. */
export function readTransferId(outcome: object): string {
  if (!('transaction_id' in outcome)) throw new Error(`it was refused: ${JSON.stringify(outcome)}`)
  return String(outcome.transaction_id)
}

/** Confirms the step-up that a refusal requires; returns the confirmation's id. */
export async function completeStepUp(world: TestApp, person: TestPerson, refusal: unknown): Promise<string> {
  const requirement = readRequirement(refusal)
  await confirm(world, person, requirement)
  return requirement.id
}
