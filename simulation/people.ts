import { randomUUID } from 'node:crypto'
import { transact } from '../packages/server/src/db.ts'
import { enroll, fund } from '../tools/test-people.ts'
import { type Citizen, createCitizen } from './citizen.ts'
import { createRandom, type Random } from './random.ts'
import type { Stage } from './stage.ts'

const atOnce = 4
const firstDepositMinor = 4000

// What the sandbox's banks are known for: most are good, and each way of failing is there.
const banks = { harbour: 50, shoal: 12, undertow: 12, reef: 13, drift: 13 } as const

/** Runs `work` for each item, a few at a time, in order of their beginning. */
export async function each<T>(items: readonly T[], parallel: number, work: (item: T, index: number) => Promise<void>) {
  let next = 0
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index)
    }),
  )
}

/** Signs people up in two countries, gives each some money and a bank account; half keep dollars, half euros. */
export async function gatherPeople(stage: Stage, seed: string, count: number): Promise<Citizen[]> {
  const people: Citizen[] = []
  await each(Array.from({ length: count }), atOnce, async (_, index) => {
    const isAmerican = index % 2 === 0
    const person = await enroll(stage.url, `person${index}`, isAmerican ? 'United States' : 'Germany')
    const citizen = createCitizen(stage.url, person, isAmerican ? 'USD' : 'EUR')
    await fund(person, firstDepositMinor)
    await linkBank(stage, citizen, createRandom(seed, 'bank', index))
    people[index] = citizen
  })
  return people
}

/** Links an account at one of the sandbox's banks, as on its pages; the confirmation before that is not what is tried here. */
async function linkBank({ operator, sandboxUrl }: Stage, citizen: Citizen, random: Random): Promise<void> {
  const { bank } = operator.providers.money
  const { id, email, username } = citizen.person
  const begun = await bank.beginLink({
    linkId: randomUUID(),
    userReference: String(id),
    holderName: username,
    email,
    country: citizen.currency === 'USD' ? 'US' : 'DE',
    returnUrl: sandboxUrl,
    idempotencyKey: randomUUID(),
  })
  if (begun.status !== 'created') throw new Error(`no bank account could be linked: ${begun.reason}`)
  const name = random.weighed(banks)
  const body = new URLSearchParams({ action: 'allow', bank: name, account: citizen.currency })
  await fetch(`${sandboxUrl}/banks/${begun.sessionId}`, { method: 'POST', body, redirect: 'manual' })
  const link = await bank.lookupLink(begun.sessionId)
  if (link.status !== 'linked') throw new Error(`the bank account is ${link.status}`)
  citizen.bank = name
  const added = await transact(operator.pool, (tx) => operator.payments.addBankAccount(tx, BigInt(id), link.account))
  if (added.status === 'full') throw new Error('nobody has so many bank accounts here')
  citizen.bankAccountId = added.id
}
