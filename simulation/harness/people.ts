import { linkAccount } from '@tern/testkit/payments'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import type { Actor, HomeCurrency } from './actor.ts'
import type { OrderBook } from '../oracle/orders.ts'
import { createRandom } from '../random.ts'
import type { Harness } from './harness.ts'

const atOnce = 4

// Sandbox banks by weight: most orders succeed, and each kind of failure occurs.
const banks = { harbour: 50, shoal: 12, undertow: 12, reef: 13, drift: 13 } as const

/** Runs `work` for each item in order, with `parallel` at a time. */
export async function each<T>(items: readonly T[], parallel: number, work: (item: T, index: number) => Promise<void>) {
  let next = 0
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index)
    }),
  )
}

export interface Residence {
  readonly country: string
  readonly code: string
  readonly currency: HomeCurrency
}

export const residences: readonly Residence[] = [
  { country: 'United States', code: 'US', currency: 'USD' },
  { country: 'Germany', code: 'DE', currency: 'EUR' },
  { country: 'Japan', code: 'JP', currency: 'JPY' },
]

export interface Gathering {
  readonly seed: string
  readonly count: number
  /** Assigned in rotation. */
  readonly residences: readonly Residence[]
  readonly firstDepositMinor: number
  readonly orders: OrderBook
  createActor(person: TestPerson, currency: HomeCurrency): Actor
}

/** Registers people, each with money and a bank account. */
export async function registerPeople(harness: Pick<Harness, 'url' | 'sandboxUrl' | 'operator'>, gathering: Gathering) {
  const { seed, count, firstDepositMinor, orders, createActor } = gathering
  const people: Actor[] = []
  const world = { app: { product: harness.operator }, url: harness.sandboxUrl, sandboxUrl: harness.sandboxUrl }
  await each(Array.from({ length: count }), atOnce, async (_, index) => {
    const residence = gathering.residences[index % gathering.residences.length] as Residence
    const { country, code, currency } = residence
    const person = await enroll(harness.url, `person${index}`, country, { database: harness.operator.pool })
    const actor = createActor(person, currency)
    const { key, paymentId } = await fund(person, firstDepositMinor)
    const source = BigInt(firstDepositMinor)
    const order = { kind: 'deposit', userId: person.id, sourceCurrency: currency, targetCurrency: currency } as const
    orders.note({ ...order, key, source, viaStablecoin: true, pulledFrom: 'card' })
    orders.answer(key, { status: 'accepted', id: paymentId })
    actor.bank = createRandom(seed, 'bank', index).weighed(banks)
    actor.bankAccountId = await linkAccount(world, person, { bank: actor.bank, currency, country: code })
    people[index] = actor
  })
  return people
}
