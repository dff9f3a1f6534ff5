// For tests: payments and payment requests of a running product, with linked bank accounts, actions at the sandbox, and
// genuine or forged events.

import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { paymentStatus } from '@tern/contract/payments'
import type { App } from '@tern/server/app'
import { transact } from '@tern/server/platform/database/db'
import type { PaymentContext } from '@tern/server/features/payments/context'
import { money, toDecimal } from '@tern/money/money'
import type { Ratio } from '@tern/money/ratio'
import { splitByShares } from '@tern/money/shares'
import type pg from 'pg'
import { createSingleFlight } from '@tern/server/platform/http/idempotency'
import type { CardProvider, DebitProvider, KeptCard } from '@tern/providers/collect/port'
import type { LinkProvider } from '@tern/providers/link/port'
import type { PayoutProvider } from '@tern/providers/payout/port'
import type { createSandboxMoneyProvider } from '@tern/providers/sandbox-money'
import { storeBankAccount, storeCard } from '@tern/server/features/payments/instruments/instruments'
import { createPayments, type Payments } from '@tern/server/features/payments/payments'
import { createMoneyRegistry } from '@tern/server/platform/providers/money-registry'
import type { RawAnswer, TestApp, TestPerson } from './app.ts'
import { guestPayment, payAsGuest } from '@tern/contract/requests/guest-payments'
import {
  acceptLink,
  declineLink,
  payLink,
  paymentLink,
  priceOfLink,
  quoteForLink,
} from '@tern/contract/requests/payment-links'
import { cancelRequest, createRequest, requestDetails } from '@tern/contract/requests/requests'
import { createSplit } from '@tern/contract/requests/splits'
import type { CallInput } from '@tern/contract/protocol/endpoint'

export type SandboxMoney = ReturnType<typeof createSandboxMoneyProvider>

/** Returns the sandbox as the money provider of a product. */
export function findSandbox({ app }: { app: Pick<App, 'product'> }): SandboxMoney {
  const sandbox = app.product.providers.money.find('sandbox') as SandboxMoney | undefined
  if (!sandbox) throw new Error('the product does not move money at the sandbox')
  return sandbox
}

/** Saves a person's card, as the settlement of a payment does. */
export const saveCard = ({ app: { product } }: TestApp, { id }: TestPerson, card: KeptCard) =>
  transact(product.pool, (tx) => storeCard(tx, { userId: BigInt(id), provider: 'sandbox' }, card, product.now()))

/** Returns the context of the payment functions of a product. */
export const buildContext = ({ app: { product }, url }: TestApp): PaymentContext & { readonly pool: pg.Pool } => ({
  ...product,
  providers: product.providers.money,
  publicUrl: url,
  singleFlight: createSingleFlight(),
  log: silentLog,
})

const silentLog = { warn() {}, error() {} }

/** Links an account at a sandbox bank, as on the provider's pages; returns its id. */
export async function linkAccount(
  world: Pick<TestApp, 'url' | 'sandboxUrl'> & { app: Pick<App, 'product'> },
  person: Pick<TestPerson, 'id' | 'username' | 'email'>,
  { bank = 'harbour', currency = 'USD', country = 'US' } = {},
): Promise<string> {
  const { link: banks } = findSandbox(world)
  const started = await banks.beginLink({
    linkId: randomUUID(),
    userReference: String(person.id),
    holderName: person.username,
    email: person.email,
    country,
    returnUrl: `${world.url}/deposit`,
    returnSecret: randomUUID(),
    idempotencyKey: randomUUID(),
  })
  if (started.status !== 'created') throw new Error(`the sandbox links nothing: ${started.reason}`)
  await fetch(`${world.sandboxUrl}/banks/${started.sessionId}`, {
    method: 'POST',
    body: new URLSearchParams({ action: 'allow', bank, account: currency }),
    redirect: 'manual',
  })
  const state = await banks.lookupLink(started.sessionId)
  if (state.status !== 'linked') throw new Error(`${bank} is ${state.status}`)
  const owner = { userId: BigInt(person.id), provider: 'sandbox' }
  const { product } = world.app
  const added = await transact(product.pool, (tx) => storeBankAccount(tx, owner, state.account, product.now()))
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

export async function loadStoredPayment(world: TestApp, id: string): Promise<StoredPayment> {
  const { rows } = await world.database.pool.query<StoredPayment>('select * from payment where id = $1', [id])
  if (!rows[0]) throw new Error(`there is no payment ${id}`)
  return rows[0]
}

/** Executes an action on a payment, debit or payout at the sandbox. */
export async function callControl(world: TestApp, path: string): Promise<void> {
  const answer = await fetch(`${world.sandboxUrl}/api/control/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.sandboxSecret}` },
  })
  if (!answer.ok) throw new Error(`the sandbox refuses ${path}: ${await answer.text()}`)
}

/** Executes an action on a payment's debit or card payment at the sandbox. */
export async function steer(world: TestApp, paymentId: string, action: string): Promise<void> {
  const { session_id: session } = await loadStoredPayment(world, paymentId)
  const kind = session.startsWith('bd') ? 'debits' : 'payments'
  await callControl(world, `${kind}/${session}/${action}`)
}

/** Waits until the payment has this status for the account holder. */
export async function waitForPayment(person: TestPerson, id: string, status: string): Promise<void> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const now = (await person.call(paymentStatus, { params: { id } })).status
    if (now === status) return
    if (Date.now() > deadline) throw new Error(`the payment ${id} stays ${now}, not ${status}`)
    await delay(25)
  }
}

/** Returns the event that the sandbox would send about a payment; `change` overrides its data. */
export async function eventAbout(
  world: TestApp,
  paymentId: string,
  type: string,
  change: object = {},
): Promise<string> {
  const { session_id: session, amount_minor: minor, currency } = await loadStoredPayment(world, paymentId)
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

/**
 * Delivers an event as the sandbox would. To forge it, `seconds` shifts the signed time, `secret` replaces the secret,
 * and `sent` replaces the body after signing.
 */
export function deliver(
  world: TestApp,
  body: string,
  forgery: { seconds?: number; secret?: string; sent?: string } = {},
): Promise<RawAnswer> {
  const time = Math.floor(Date.now() / 1000) + (forgery.seconds ?? 0)
  const signature = createHmac('sha256', forgery.secret ?? world.sandboxSecret)
    .update(`${time}.${body}`)
    .digest('hex')
  return world.raw('POST', '/webhooks/sandbox', {
    body: forgery.sent ?? body,
    headers: { 'content-type': 'application/json', 'sandbox-signature': `t=${time},v1=${signature}` },
  })
}

interface ProviderOverrides {
  readonly name?: string
  readonly payout?: Partial<PayoutProvider>
  readonly bank?: Partial<LinkProvider & DebitProvider>
  readonly card?: Partial<CardProvider>
  /** Time for which the provider stores the idempotency keys of collections. */
  readonly keysKeptMs?: number
}

/** Creates payments like the product's, with parts of the provider replaced; returns them with the errors they log. */
export function createPaymentsWithErrors(
  world: TestApp,
  { name = 'sandbox', payout = {}, bank = {}, card = {}, keysKeptMs }: ProviderOverrides,
  now = world.app.product.now,
): { payments: Payments; errors: object[] } {
  const money = findSandbox(world)
  const errors: object[] = []
  const provider = {
    ...money,
    name,
    payout: { ...money.payout, ...payout },
    link: { ...money.link, ...bank },
    collect: {
      keysKeptMs: keysKeptMs ?? money.collect.keysKeptMs,
      card: { ...money.collect.card, ...card },
      debit: { ...money.collect.debit, ...bank },
    },
  }
  const log = { warn() {}, error: (details: object) => errors.push(details) }
  const providers = createMoneyRegistry([provider])
  return { payments: createPayments({ ...world.app.product, now, providers, publicUrl: world.url, log }), errors }
}

/** Creates payments like the product's, with parts of the provider replaced. */
export const createPaymentsWith = (world: TestApp, overrides: ProviderOverrides): Payments =>
  createPaymentsWithErrors(world, overrides).payments

export const toCaller = (person: TestPerson) => ({
  userId: BigInt(person.id),
  sessionId: randomUUID(),
  verified: true,
})

type RequestBody = CallInput<typeof createRequest>['body']

/** Requests 20.00 in the person's base currency; `overrides` change the request. */
export const requestMoney = (person: TestPerson, overrides: Partial<RequestBody> = {}, key: string = randomUUID()) =>
  person.call(createRequest, { body: { amount: '20.00', ...overrides }, idempotencyKey: key })

/** Splits 30.00 in the person's base currency equally between them and `payers`; `overrides` change the split. */
export const splitBill = (
  person: TestPerson,
  payers: readonly TestPerson[],
  overrides: Partial<CallInput<typeof createSplit>['body']> = {},
  key: string = randomUUID(),
) => {
  const parts = splitByShares(
    money('USD', 3000n),
    Array.from({ length: payers.length + 1 }, () => 1n),
  ).map(toDecimal)
  const people = payers.map(({ id }, index) => ({ user_id: id, amount: parts[index + 1] ?? '' }))
  const body = { total: '30.00', split_by: 'equal' as const, own: { amount: parts[0] ?? '' }, people, ...overrides }
  return person.call(createSplit, { body, idempotencyKey: key })
}

export const openLink = (person: TestPerson, data: string) => person.call(paymentLink, { params: { data } })
export const loadDetails = (person: TestPerson, id: string) => person.call(requestDetails, { params: { id } })
export const cancel = (person: TestPerson, id: string) => person.call(cancelRequest, { params: { id } })
export const decline = (person: TestPerson, data: string, reason?: string) =>
  person.call(declineLink, { params: { data }, body: reason === undefined ? {} : { reason } })
export const acceptPaymentLink = (person: TestPerson, data: string, on: string) =>
  person.call(acceptLink, { params: { data }, body: { on } })

interface Payment {
  readonly amount?: string
  readonly currency?: 'USD' | 'EUR'
}

export const quote = (person: TestPerson, data: string, { amount, currency = 'USD' }: Payment = {}) =>
  person.call(quoteForLink, {
    params: { data },
    body: { source_currency: currency, ...(amount === undefined ? {} : { amount }) },
  })

export const payWithQuote = (person: TestPerson, data: string, quoteId: string, key: string = randomUUID()) =>
  person.call(payLink, { params: { data }, body: { quote_id: quoteId }, idempotencyKey: key })

type GuestPaymentBody = CallInput<typeof payAsGuest>['body']

/** Starts a payment of a request without an account, at its price in dollars; `overrides` change the payment. */
export async function startGuestPayment(
  person: TestPerson,
  data: string,
  overrides: Partial<GuestPaymentBody> = {},
  key: string = randomUUID(),
) {
  const { currency = 'USD' } = overrides
  const price = await person.call(priceOfLink, { params: { data }, query: { currency } })
  const defaults = { name: 'Gina Guest', email: `${randomUUID()}@example.com`, currency, expected_total: price.total }
  return person.call(payAsGuest, { params: { data }, body: { ...defaults, ...overrides }, idempotencyKey: key })
}

/** Waits until the payment of a guest is paid or failed; returns it. */
export async function waitForReceipt(person: TestPerson, receipt: string) {
  const deadline = Date.now() + 20_000
  for (;;) {
    const payment = await person.call(guestPayment, { params: { receipt } })
    if (payment.state === 'paid' || payment.state === 'failed') return payment
    if (Date.now() > deadline) throw new Error(`the guest's payment stays ${payment.state}`)
    await delay(25)
  }
}

/** Pays a request, or a part of it, at a new quote. */
export async function pay(person: TestPerson, data: string, payment?: Payment) {
  const { quote_id: quoteId } = await quote(person, data, payment)
  return payWithQuote(person, data, quoteId)
}

/** Sets the US dollar values of one whole unit of currencies, at the sandbox and in the product. */
export async function setRates(world: TestApp, usdPerUnit: Readonly<Record<string, Ratio>>): Promise<void> {
  const rates = Object.entries(usdPerUnit).map(([code, { numerator, denominator }]) => [
    code,
    { numerator: String(numerator), denominator: String(denominator) },
  ])
  const answer = await fetch(`${world.sandboxUrl}/api/rates`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${world.sandboxSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ usd_per_unit: Object.fromEntries(rates) }),
  })
  if (!answer.ok) throw new Error(`the sandbox keeps its rates: ${await answer.text()}`)
  await world.app.product.exchange.refreshRates()
}
