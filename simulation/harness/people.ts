import type { MoneyProvider } from '@tern/providers/money'
import { keepBankAccount } from '../../packages/server/src/features/payments/instruments/instruments.ts'
import { randomUUID } from 'node:crypto'
import { transact } from '../../packages/server/src/platform/database/db.ts'
import { enroll, fund, type TestPerson } from '../../tools/testing/test-people.ts'
import type { Actor, HomeCurrency } from './actor.ts'
import type { OrderBook } from '../oracle/orders.ts'
import { createRandom, type Random } from '../random.ts'
import type { Harness } from './harness.ts'

const atOnce = 4

// Behaviors of the sandbox's banks: most succeed, and each failure occurs.
const banks = { harbour: 50, shoal: 12, undertow: 12, reef: 13, drift: 13 } as const

/** Runs `work` for each item, a few at a time, in order. */
export async function each<T>(items: readonly T[], parallel: number, work: (item: T, index: number) => Promise<void>) {
  let next = 0
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index)
    }),
  )
}

/** A country and its wallet currency. */
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
  /** Assigned in turn. */
  readonly residences: readonly Residence[]
  readonly firstDepositMinor: number
  readonly orders: OrderBook
  /** Creates the person's client. */
  actorOf(person: TestPerson, currency: HomeCurrency): Actor
}

/** Registers people, with money and a bank account each. */
export async function registerPeople(harness: Pick<Harness, 'url' | 'sandboxUrl' | 'operator'>, gathering: Gathering) {
  const { seed, count, firstDepositMinor, orders, actorOf } = gathering
  const people: Actor[] = []
  await each(Array.from({ length: count }), atOnce, async (_, index) => {
    const residence = gathering.residences[index % gathering.residences.length] as Residence
    const { country, currency } = residence
    const person = await enroll(harness.url, `person${index}`, country)
    const actor = actorOf(person, currency)
    const { key, paymentId } = await fund(person, firstDepositMinor)
    const source = BigInt(firstDepositMinor)
    const order = { kind: 'deposit', userId: person.id, sourceCurrency: currency, targetCurrency: currency } as const
    orders.note({ ...order, key, source, viaStablecoin: true, pulledFrom: 'card' })
    orders.answer(key, { status: 'accepted', id: paymentId })
    await linkBank(harness, actor, residence, createRandom(seed, 'bank', index))
    people[index] = actor
  })
  return people
}

/** Links a sandbox bank account as on its pages, without testing the confirmation. */
async function linkBank(
  { operator, sandboxUrl }: Pick<Harness, 'operator' | 'sandboxUrl'>,
  actor: Actor,
  { code }: Residence,
  random: Random,
): Promise<void> {
  const [{ bank }] = operator.providers.money.all as [MoneyProvider]
  const { id, email, username } = actor.person
  const begun = await bank.beginLink({
    linkId: randomUUID(),
    userReference: String(id),
    holderName: username,
    email,
    country: code,
    returnUrl: sandboxUrl,
    idempotencyKey: randomUUID(),
  })
  if (begun.status !== 'created') throw new Error(`no bank account could be linked: ${begun.reason}`)
  const name = random.weighed(banks)
  const body = new URLSearchParams({ action: 'allow', bank: name, account: actor.currency })
  await fetch(`${sandboxUrl}/banks/${begun.sessionId}`, { method: 'POST', body, redirect: 'manual' })
  const link = await bank.lookupLink(begun.sessionId)
  if (link.status !== 'linked') throw new Error(`the bank account is ${link.status}`)
  actor.bank = name
  const owner = { userId: BigInt(id), provider: 'sandbox' }
  const added = await transact(operator.pool, (tx) => keepBankAccount(tx, owner, link.account, operator.now()))
  if (added.status === 'full') throw new Error('nobody has so many bank accounts here')
  actor.bankAccountId = added.id
}
