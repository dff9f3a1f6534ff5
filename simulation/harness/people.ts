import { linkAccount } from '@tern/testkit/payments'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import type { Actor, HomeCurrency } from './actor.ts'
import type { OrderBook } from '../oracle/orders.ts'
import { createRandom } from '../random.ts'
import type { Harness } from './harness.ts'

const maxConcurrency = 4

// Weights of the sandbox's banks, with which most orders succeed and each kind of failure occurs.
const banks = { harbour: 50, shoal: 12, undertow: 12, reef: 13, drift: 13 } as const

/** Runs `action` for each item, `concurrency` at a time. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  action: (item: T, index: number) => Promise<void>,
) {
  let next = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let index = next++; index < items.length; index = next++) await action(items[index] as T, index)
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

export interface RegistrationOptions {
  readonly seed: string
  readonly count: number
  /** Assigned to people in rotation. */
  readonly residences: readonly Residence[]
  readonly firstDepositMinor: number
  readonly orders: OrderBook
  createActor(person: TestPerson, currency: HomeCurrency): Actor
}

/** Registers people, each with money and a bank account. */
export async function registerPeople(
  harness: Pick<Harness, 'url' | 'sandboxUrl' | 'operator'>,
  options: RegistrationOptions,
) {
  const { seed, count, firstDepositMinor, orders, createActor } = options
  const people: Actor[] = []
  const world = { app: { product: harness.operator }, url: harness.sandboxUrl, sandboxUrl: harness.sandboxUrl }
  await forEachConcurrently(Array.from({ length: count }), maxConcurrency, async (_, index) => {
    const residence = options.residences[index % options.residences.length] as Residence
    const { country, code, currency } = residence
    const person = await enroll(harness.url, `person${index}`, country, { database: harness.operator.pool })
    const actor = createActor(person, currency)
    const { key, paymentId } = await fund(person, firstDepositMinor)
    const source = BigInt(firstDepositMinor)
    const order = { kind: 'deposit', userId: person.id, sourceCurrency: currency, targetCurrency: currency } as const
    orders.record({ ...order, key, source, viaStablecoin: true, externalSource: 'card' })
    orders.answer(key, { status: 'accepted', id: paymentId })
    actor.bank = createRandom(seed, 'bank', index).pickWeighted(banks)
    actor.bankAccountId = await linkAccount(world, person, { bank: actor.bank, currency, country: code })
    people[index] = actor
  })
  return people
}
