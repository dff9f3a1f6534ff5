// For tests: scheduled sends, and workers at any time.

import { randomUUID } from 'node:crypto'
import { createSchedule, type NewSchedule, schedules as listSchedules } from '@tern/contract/schedules/schedules'
import { expect } from 'vitest'
import type { TestApp, TestPerson } from './app.ts'
import { settleCall, readRequirement } from './banking.ts'
import { createTransfers } from '@tern/server/features/transfers/transfers'
import { toLocalDate, localMoment, sendHour } from '@tern/server/features/schedules/local-time'
import { addDays } from '@tern/server/features/schedules/recurrence'
import { createSchedules } from '@tern/server/features/schedules/schedules'

export const zone = 'America/New_York'

export type PriceRequest = Parameters<Product['exchange']['price']>[0]
type Product = TestApp['app']['product']

interface WorkerOverrides {
  readonly exchange?: Partial<Product['exchange']>
  readonly requireStepUp?: Product['identity']['requireStepUp']
  readonly pool?: Product['pool']
}

/** Creates the schedules feature as in another process, with a clock that shows `at`; parts can be replaced. */
export function createWorkerAt(world: TestApp, at: Date, overrides: WorkerOverrides = {}) {
  const { product } = world.app
  const exchange = { ...product.exchange, ...overrides.exchange }
  const requireStepUp = overrides.requireStepUp ?? product.identity.requireStepUp
  const pool = overrides.pool ?? product.pool
  const transfers = createTransfers({ ...product, pool, exchange })
  const errors: object[] = []
  const log = { error: (details: object) => void errors.push(details) }
  const identity = { ...product.identity, requireStepUp }
  const parts = { ...product, pool, exchange, transfers, identity, publicUrl: world.url, now: () => at, log }
  return { ...createSchedules(parts), errors }
}

/** Returns the date in `days` days, in the time zone of the tests' schedules. */
export const dateAfterDays = (world: TestApp, days: number): string =>
  addDays(toLocalDate(world.app.product.now(), zone), days)

/** Returns the time one second after a send on this date falls due, plus `hours`. */
export const dueTime = (date: string, hours = 0): Date =>
  new Date(localMoment(date, sendHour, zone).getTime() + hours * 3_600_000 + 1000)

type OrderOptions = { key?: string; confirmation?: string | undefined }
type TestScheduleTerms = Partial<NewSchedule> & Pick<NewSchedule, 'next_on'>

/** Creates a schedule that sends ten dollars, with a confirmation if given; `terms` change it. */
export const createScheduleOnce = (
  person: TestPerson,
  payee: TestPerson,
  terms: TestScheduleTerms,
  { key = randomUUID(), confirmation }: OrderOptions = {},
) =>
  person.call(createSchedule, {
    body: {
      ...{ recipient_id: payee.id, source_currency: 'USD', target_currency: 'EUR', side: 'source', amount: '10.00' },
      ...{ recurrence: 'once', time_zone: zone },
      ...terms,
    },
    idempotencyKey: key,
    confirmation,
  })

/** Creates a schedule, and confirms the step-up if required. */
export async function createConfirmedSchedule(
  person: TestPerson,
  payee: TestPerson,
  terms: TestScheduleTerms,
  { key = randomUUID() }: OrderOptions = {},
) {
  const firstOutcome = await settleCall(createScheduleOnce(person, payee, terms, { key }))
  if (!('code' in firstOutcome) || firstOutcome.code !== 'step_up_required')
    return createScheduleOnce(person, payee, terms, { key })
  const { id } = readRequirement(firstOutcome)
  await person.confirmAtOnce?.(id)
  return createScheduleOnce(person, payee, terms, { key, confirmation: id })
}

export const createScheduleOutcome = (...input: Parameters<typeof createConfirmedSchedule>) =>
  settleCall(createConfirmedSchedule(...input))

/** Returns the past occurrences of a schedule, oldest first. */
export async function loadOccurrences(person: TestPerson, id: string) {
  const { past } = await person.call(listSchedules, {})
  return past
    .filter(({ schedule_id }) => schedule_id === id)
    .map(({ date, state, reason }) => ({ date, state, reason }))
    .toReversed()
}

/** Runs the due sends of a worker, and expects that it logs no errors. */
export async function runDueSends(worker: ReturnType<typeof createWorkerAt>): Promise<void> {
  await worker.runDue()
  expect(worker.errors).toEqual([])
}
