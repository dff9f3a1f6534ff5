import { countries } from '@tern/contract/countries'
import type { FiatCode } from '@tern/money/currency'
import { parseDecimal } from '@tern/money/money'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import { demoAccounts } from './demo-accounts.ts'
import { derivedId, wireId } from './ids.ts'
import type { Product } from './product.ts'
import { Refusal } from './refuse.ts'
import type { Caller } from './serve.ts'

const dayMs = 24 * 60 * 60_000
const historyDays = 92
const creditTimeoutMs = 20_000

interface Person {
  readonly key: string
  readonly email: string
  readonly password: string
  readonly firstName: string
  readonly lastName: string
  readonly country: string
  readonly city: string
  readonly idNumber: string
}

const [ines, lucas] = demoAccounts

const people: readonly Person[] = [
  person('ines', ines.email, ines.password, 'Ines', 'Okafor', 'United States', 'New York', '412-55-7781'),
  person('lucas', lucas.email, lucas.password, 'Lucas', 'Moreau', 'France', 'Lyon', '1 85 05 78006 084 36'),
  extra('grace', 'Grace', 'Tan', 'Singapore', 'Singapore', 'S1234567D'),
  extra('amelia', 'Amelia', 'Hart', 'United Kingdom', 'London', 'QQ123456C'),
  extra('priya', 'Priya', 'Raman', 'India', 'Mumbai', '2345 6789 1238'),
  extra('joao', 'João', 'Siqueira', 'Brazil', 'São Paulo', '529.982.247-25'),
  extra('kenji', 'Kenji', 'Watanabe', 'Japan', 'Tokyo', '1234-5678-9018'),
]

function person(
  key: string,
  email: string,
  password: string,
  firstName: string,
  lastName: string,
  country: string,
  city: string,
  idNumber: string,
): Person {
  return { key, email, password, firstName, lastName, country, city, idNumber }
}

/** Somebody to send to and receive from; nobody is told their password. */
function extra(
  key: string,
  firstName: string,
  lastName: string,
  country: string,
  city: string,
  idNumber: string,
): Person {
  return person(key, `${key}@people.tern.example`, crypto.randomUUID(), firstName, lastName, country, city, idNumber)
}

type Step =
  | { readonly daysAgo: number; readonly hour: string; readonly deposit: string; readonly by: string }
  | {
      readonly daysAgo: number
      readonly hour: string
      readonly send: string
      readonly from: string
      readonly to: string
      readonly note: string
    }
  | {
      readonly daysAgo: number
      readonly hour: string
      readonly exchange: string
      readonly by: string
      readonly into: 'USDT'
    }

const deposit = (daysAgo: number, hour: string, by: string, amount: string): Step => ({
  daysAgo,
  hour,
  by,
  deposit: amount,
})
const send = (daysAgo: number, hour: string, from: string, to: string, amount: string, note: string): Step => ({
  daysAgo,
  hour,
  from,
  to,
  send: amount,
  note,
})

/** A quarter of a year as it could have been: work paid from abroad, rent shared, family, a few small things. */
const story: readonly Step[] = [
  deposit(91, '08:12', 'grace', '12000.00'),
  deposit(91, '08:40', 'amelia', '4000.00'),
  deposit(91, '09:05', 'kenji', '400000'),
  deposit(90, '08:00', 'ines', '3200.00'),
  deposit(90, '09:30', 'lucas', '2400.00'),
  send(88, '09:15', 'ines', 'lucas', '400.00', 'Rent share, rue Mercière'),
  send(86, '18:42', 'grace', 'ines', '1850.00', 'Design retainer, August'),
  send(83, '21:07', 'ines', 'priya', '150.00', 'For Amma'),
  send(80, '12:20', 'lucas', 'amelia', '86.50', 'Concert tickets'),
  send(77, '16:03', 'ines', 'joao', '320.00', 'Invoice 0219'),
  send(74, '07:51', 'kenji', 'ines', '18000', 'Kyoto deposit back'),
  { daysAgo: 71, hour: '12:33', by: 'ines', exchange: '300.00', into: 'USDT' },
  send(68, '19:30', 'ines', 'amelia', '50.00', 'Birthday'),
  send(66, '10:11', 'grace', 'lucas', '540.00', 'Photographs, spring catalogue'),
  deposit(62, '08:00', 'ines', '1500.00'),
  send(58, '09:15', 'ines', 'lucas', '400.00', 'Rent share, rue Mercière'),
  send(55, '18:40', 'grace', 'ines', '1850.00', 'Design retainer, September'),
  send(52, '21:02', 'ines', 'priya', '150.00', 'For Amma'),
  send(49, '14:25', 'lucas', 'kenji', '120.00', 'Knife, with thanks'),
  send(45, '11:48', 'amelia', 'lucas', '64.00', 'Half of the ferry'),
  send(41, '16:20', 'ines', 'joao', '410.00', 'Invoice 0226'),
  send(37, '20:15', 'ines', 'lucas', '72.40', 'Dinner at Daniel et Denise'),
  deposit(33, '08:00', 'ines', '1500.00'),
  deposit(32, '09:30', 'lucas', '900.00'),
  send(28, '09:15', 'ines', 'lucas', '400.00', 'Rent share, rue Mercière'),
  send(26, '18:40', 'grace', 'ines', '1850.00', 'Design retainer, October'),
  send(23, '21:04', 'ines', 'priya', '150.00', 'For Amma'),
  send(20, '13:37', 'lucas', 'amelia', '45.00', 'Train to Avignon'),
  send(17, '16:20', 'ines', 'joao', '380.00', 'Invoice 0231'),
  send(14, '19:30', 'amelia', 'ines', '39.50', 'Books'),
  send(11, '03:51', 'kenji', 'ines', '13164', 'Workshop fee'),
  send(8, '10:02', 'ines', 'lucas', '120.00', 'Camera strap and film'),
  deposit(5, '08:00', 'ines', '1500.00'),
  send(4, '12:44', 'lucas', 'ines', '58.00', 'Groceries, split'),
  send(2, '21:07', 'ines', 'priya', '150.00', 'For Amma'),
  send(1, '09:15', 'ines', 'lucas', '400.00', 'Rent share, rue Mercière'),
  send(1, '18:42', 'grace', 'ines', '640.00', 'Design retainer, extra day'),
]

/**
 * Fills an empty sandbox with people and a few months of history, made by the same calls as everybody else's and dated
 * by moving the sandbox's clock. Every step carries a key derived from its place, so a start that was cut short goes on
 * where it stopped and doubles nothing.
 */
export async function seedDemo(product: Product, sandboxUrl: string, log: FastifyBaseLogger): Promise<void> {
  const clock = product.providers.sandboxClock
  if (!clock) return
  const done = await product.pool.query(`select 1 from demo_seed where finished_at is not null`)
  if (done.rowCount) return
  const started = await product.pool.query<{ started_at: Date }>(
    `insert into demo_seed (started_at) values ($1) on conflict (only_one) do update set started_at = demo_seed.started_at
     returning started_at`,
    [new Date()],
  )
  const today = started.rows[0]?.started_at ?? new Date()
  log.info('making the demo accounts and their history')
  try {
    await clock.set(new Date(today.getTime() - historyDays * dayMs))
    const callers = new Map<string, Caller>()
    for (const somebody of people) callers.set(somebody.key, await enroll(product, somebody))
    for (const [index, step] of story.entries()) {
      await clock.set(momentOf(step, today))
      await act(product, sandboxUrl, callers, step, index)
    }
  } finally {
    await clock.set(new Date())
  }
  await product.pool.query('update demo_seed set finished_at = $1', [new Date()])
}

function momentOf(step: Step, today: Date): Date {
  const day = new Date(today.getTime() - step.daysAgo * dayMs).toISOString().slice(0, 10)
  return new Date(`${day}T${step.hour}:${String(10 + (step.daysAgo % 49))}Z`)
}

const seedClient = { userAgent: 'Tern demo data', address: '127.0.0.1' }

async function enroll(product: Product, somebody: Person): Promise<Caller> {
  const { identity, kyc, pool } = product
  const { email, password, firstName, lastName } = somebody
  const username = `${firstName}.${lastName}`.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const known = await pool.query<{ id: bigint }>('select id from app_user where email = $1', [email])
  let userId = known.rows[0]?.id
  if (userId === undefined) {
    const signedIn = await identity.register(
      { email, password, username, name: `${firstName} ${lastName}` },
      seedClient,
    )
    await identity.logOut({ refreshToken: signedIn.refreshToken })
    userId = BigInt(signedIn.user.id)
  }
  const country = countries.find((candidate) => candidate.name === somebody.country)
  if (!country) throw new Error(`${somebody.country} is not supported`)
  try {
    await kyc.submit(userId, {
      email,
      firstName,
      lastName,
      dateOfBirth: '1990-04-12',
      country: country.name,
      nationality: country.name,
      idNumber: somebody.idNumber,
      documentType: 'passport',
      documentNumber: `P${derivedId('document', email).slice(0, 8).toUpperCase()}`,
      issuingCountry: country.name,
      currencyPreference: country.currency,
      streetAddress: '12 Harbour Street',
      city: somebody.city,
      state: somebody.city,
      postalCode: '10001',
      ...(country.extraField === 'panCard' ? { panCard: 'ABCPE1234F' } : {}),
    })
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'already_verified')) throw error
  }
  return { userId, sessionId: derivedId('demo session', email), verified: true }
}

async function act(
  product: Product,
  sandboxUrl: string,
  callers: ReadonlyMap<string, Caller>,
  step: Step,
  index: number,
): Promise<void> {
  const key = derivedId('demo step', String(index))
  const callerOf = (name: string): Caller => {
    const caller = callers.get(name)
    if (!caller) throw new Error(`the story names ${name}, who is not in it`)
    return caller
  }
  if ('deposit' in step) return depositBy(product, sandboxUrl, callerOf(step.by), step.deposit, key)
  if ('exchange' in step) {
    const caller = callerOf(step.by)
    const wallet = await walletOf(product, caller)
    const quote = await product.exchange.quote(
      caller.userId,
      {
        amount: parseDecimal(wallet.baseCurrency, step.exchange),
        side: 'source',
        sourceCurrency: wallet.baseCurrency,
        targetCurrency: step.into,
        useStablecoin: true,
      },
      undefined,
    )
    await product.exchangeMoney(caller, quote.quote_id, key).catch(unlessDoneBefore)
    return
  }
  const from = callerOf(step.from)
  const wallet = await walletOf(product, from)
  await product.sendMoney(
    from,
    {
      recipient_id: wireId(callerOf(step.to).userId),
      amount: step.send,
      source_currency: wallet.baseCurrency,
      description: step.note,
    },
    key,
  )
}

/** A second attempt at an exchange brings a new quote under the old key, which is refused: it has happened. */
function unlessDoneBefore(error: unknown): void {
  if (!(error instanceof Refusal && error.code === 'idempotency_key_reused')) throw error
}

async function walletOf(product: Product, caller: Caller): Promise<{ baseCurrency: FiatCode }> {
  const wallet = await product.wallets.walletOf(caller.userId)
  if (!wallet) throw new Error(`user ${String(caller.userId)} has no wallet`)
  return wallet
}

/** Pays the hosted checkout as a person would, then waits until the provider's event has credited the wallet. */
async function depositBy(
  { payments, wallets }: Product,
  sandboxUrl: string,
  caller: Caller,
  amount: string,
  key: string,
): Promise<void> {
  const wallet = await wallets.walletOf(caller.userId)
  if (!wallet) throw new Error(`user ${String(caller.userId)} has no wallet`)
  const currency = wallet.baseCurrency
  const minor = parseDecimal(currency, amount).minor
  const begun = await payments.depositByCard(caller, { amount: minor, currency: currency.toLowerCase() }, key)
  const session = new URL(begun.redirectUrl).pathname.split('/').at(-1) ?? ''
  const paid = await fetch(`${sandboxUrl}/api/checkout/${session}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ card_number: '4242424242424242', expiry: '12/39', cvc: '123' }),
  })
  if (!paid.ok) throw new Error(`the sandbox took no payment: ${String(paid.status)}`)
  const deadline = performance.now() + creditTimeoutMs
  while ((await payments.status(caller.userId, begun.payment_id)).status !== 'completed') {
    if (performance.now() > deadline) throw new Error('the sandbox sent no event about a paid checkout')
    await delay(10)
  }
}
