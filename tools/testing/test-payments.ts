// Payments of a running test product as a test steers them: accounts at the sandbox's banks, what the sandbox does with a
// payment, and events as the sandbox would send them, or as somebody would forge them.

import { createHmac, randomUUID } from 'node:crypto'
import { paymentStatus } from '@tern/contract/payments'
import { transact } from '../../packages/server/src/platform/database/db.ts'
import { createPayments, type Payments } from '../../packages/server/src/features/payments/payments.ts'
import type { MoneyProvider } from '../../packages/server/src/platform/providers.ts'
import type { RawAnswer, TestApp, TestPerson } from './test-app.ts'

/** Links an account of the person at one of the sandbox's banks, as the provider's pages do, and gives its id. */
export async function linkAccount(
  world: TestApp,
  person: TestPerson,
  { bank = 'harbour', currency = 'USD', country = 'US' } = {},
): Promise<string> {
  const { providers, payments, pool } = world.app.product
  const begun = await providers.money.bank.beginLink({
    linkId: randomUUID(),
    userReference: String(person.id),
    holderName: person.username,
    email: person.email,
    country,
    returnUrl: `${world.url}/deposit`,
    idempotencyKey: randomUUID(),
  })
  if (begun.status !== 'created') throw new Error(`the sandbox links nothing: ${begun.reason}`)
  await fetch(`${world.sandboxUrl}/banks/${begun.sessionId}`, {
    method: 'POST',
    body: new URLSearchParams({ action: 'allow', bank, account: currency }),
    redirect: 'manual',
  })
  const state = await providers.money.bank.lookupLink(begun.sessionId)
  if (state.status !== 'linked') throw new Error(`${bank} is ${state.status}`)
  const added = await transact(pool, (tx) => payments.addBankAccount(tx, BigInt(person.id), state.account))
  if (added.status === 'full') throw new Error(`${person.username} has too many bank accounts`)
  return added.id
}

export interface StoredPayment {
  readonly id: string
  readonly status: string
  readonly session_id: string
  readonly amount_minor: bigint
  readonly currency: string
  readonly capture_id: string | null
  readonly transaction_id: string
}

/** A payment as the database has it. */
export async function storedPayment(world: TestApp, id: string): Promise<StoredPayment> {
  const { rows } = await world.database.pool.query<StoredPayment>('select * from payment where id = $1', [id])
  if (!rows[0]) throw new Error(`there is no payment ${id}`)
  return rows[0]
}

/** Makes the sandbox settle, fail or return a debit, or settle, fail or refund a card payment. */
export async function steer(world: TestApp, paymentId: string, action: string): Promise<void> {
  const { session_id: session } = await storedPayment(world, paymentId)
  const kind = session.startsWith('bd') ? 'debits' : 'payments'
  const answer = await fetch(`${world.sandboxUrl}/api/control/${kind}/${session}/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.sandboxSecret}` },
  })
  if (!answer.ok) throw new Error(`the sandbox does not ${action} ${session}: ${await answer.text()}`)
}

/** Waits until the payment stands so for its owner. */
export async function untilPayment(person: TestPerson, id: string, status: string): Promise<void> {
  const stopAt = Date.now() + 20_000
  for (;;) {
    const now = (await person.call(paymentStatus, { params: { id } })).status
    if (now === status) return
    if (Date.now() > stopAt) throw new Error(`the payment ${id} stays ${now}, not ${status}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 25)
    })
  }
}

/** What the sandbox would post about a payment, with `change` in its data. */
export async function eventAbout(
  world: TestApp,
  paymentId: string,
  type: string,
  change: object = {},
): Promise<string> {
  const { session_id: session, amount_minor: minor, currency } = await storedPayment(world, paymentId)
  const status = type.split('.')[1]
  return JSON.stringify({
    id: randomUUID(),
    type,
    created_at: new Date().toISOString(),
    data: {
      session_id: session,
      status,
      reference: paymentId,
      amount_minor: String(minor),
      currency,
      ...(status === 'paid' ? { capture_id: `cap_${session}` } : {}),
      ...change,
    },
  })
}

/** Delivers an event as the sandbox would; `seconds` shifts the signed time, `secret` and `sent` forge it. */
export function deliver(
  world: TestApp,
  body: string,
  forged: { seconds?: number; secret?: string; sent?: string } = {},
): Promise<RawAnswer> {
  const time = Math.floor(Date.now() / 1000) + (forged.seconds ?? 0)
  const signature = createHmac('sha256', forged.secret ?? world.sandboxSecret)
    .update(`${time}.${body}`)
    .digest('hex')
  return world.raw('POST', '/webhooks/sandbox', {
    body: forged.sent ?? body,
    headers: { 'content-type': 'application/json', 'sandbox-signature': `t=${time},v1=${signature}` },
  })
}

/** The payments of a running product with a provider of which parts are replaced. */
export function paymentsWith(
  world: TestApp,
  {
    card = {},
    bank = {},
    name = 'sandbox',
  }: {
    card?: Partial<MoneyProvider['card']>
    bank?: Partial<MoneyProvider['bank']>
    name?: MoneyProvider['name']
  },
): Payments {
  const { product } = world.app
  const { money } = product.providers
  const provider = { ...money, name, card: { ...money.card, ...card }, bank: { ...money.bank, ...bank } }
  return createPayments({ ...product, provider, publicUrl: world.url, log: { warn() {}, error() {} } })
}

export const callerOf = (person: TestPerson) => ({
  userId: BigInt(person.id),
  sessionId: randomUUID(),
  verified: true,
})
