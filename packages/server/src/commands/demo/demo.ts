import { countries } from '@tern/contract/countries'
import type { CurrencyCode, FiatCode } from '@tern/money/currency'
import { type Money, parseDecimal, toDecimal } from '@tern/money/money'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import { people, type DemoPerson, plainName, type DemoStep, demoSteps } from './demo-story.ts'
import { formatUserPayee, recordProof } from '../../features/risk/risk.ts'
import { createTransfers, deriveRiskMovementId } from '../../features/transfers/transfers.ts'
import { derivedId, wireId } from '../../platform/ids.ts'
import type { Product } from '../../product.ts'
import { Refusal } from '../../platform/refuse.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { findWallet } from '../../features/wallets/wallets.ts'
import type { DemoSeedRow } from '../../platform/row-types.ts'
import type { AppUserRow } from '../../features/identity/row-types.ts'

const dayMs = 24 * 60 * 60_000
const historyDays = 92
const sandboxTimeoutMs = 20_000

/**
 * Fills an empty sandbox with people and months of history through ordinary calls, dated by setting its clock. Keys
 * derive from positions in the list of steps, so an interrupted run resumes without duplicates.
 */
export async function seedDemo(product: Product, sandboxUrl: string, log: FastifyBaseLogger): Promise<void> {
  const clock = product.providers.sandboxClock
  if (!clock) return
  const done = await product.pool.query(`select 1 from demo_seed where finished_at is not null`)
  if (done.rowCount) return
  const seedResult = await product.pool.query<Pick<DemoSeedRow, 'started_at'>>(
    `insert into demo_seed (started_at) values ($1) on conflict (only_one) do update set started_at = demo_seed.started_at
     returning started_at`,
    [new Date()],
  )
  const today = seedResult.rows[0]?.started_at ?? new Date()
  log.info('making the demo accounts and their history')
  try {
    await clock.set(new Date(today.getTime() - historyDays * dayMs))
    const callers = new Map<string, Caller>()
    for (const person of people) callers.set(person.key, await enroll(product, person))
    for (const [index, step] of demoSteps.entries()) {
      await clock.set(computeMoment(step, today))
      await product.exchange.refreshRates()
      await runStep(product, sandboxUrl, callers, step, index)
    }
  } finally {
    await clock.set(new Date())
  }
  // The fictional history must not send notifications.
  await product.pool.query('delete from notification where created_at < $1', [today])
  await product.pool.query('update demo_seed set finished_at = $1', [new Date()])
}

function computeMoment(step: DemoStep, today: Date): Date {
  const day = new Date(today.getTime() - step.daysAgo * dayMs).toISOString().slice(0, 10)
  return new Date(`${day}T${step.hour}:${String(10 + (step.daysAgo % 49))}Z`)
}

const seedClient = { userAgent: 'Tern demo data', address: '127.0.0.1' }

async function enroll(product: Product, person: DemoPerson): Promise<Caller> {
  const { identity, kyc, pool } = product
  const { email, password, firstName, lastName } = person
  const username = plainName(`${firstName}.${lastName}`)
  const existingUsers = await pool.query<Pick<AppUserRow, 'id'>>('select id from app_user where email = $1', [email])
  let userId = existingUsers.rows[0]?.id
  if (userId === undefined) {
    const signedIn = await identity.register({
      email,
      password,
      username,
      name: `${firstName} ${lastName}`,
      client: seedClient,
    })
    await identity.logOut({ refreshToken: signedIn.refreshToken })
    userId = BigInt(signedIn.user.id)
  }
  await identity.vouchForEmail(userId)
  const country = countries.find((candidate) => candidate.name === person.country)
  if (!country) throw new Error(`${person.country} is not supported`)
  try {
    await kyc.submit({
      userId,
      form: {
        email,
        firstName,
        lastName,
        dateOfBirth: '1990-04-12',
        country: country.name,
        nationality: country.name,
        idNumber: person.idNumber,
        documentType: 'passport',
        documentNumber: `P${derivedId('document', email).slice(0, 8).toUpperCase()}`,
        issuingCountry: country.name,
        currencyPreference: country.currency,
        streetAddress: '12 Harbour Street',
        city: person.city,
        state: person.city,
        postalCode: '10001',
        ...(country.extraField === 'panCard' ? { panCard: 'ABCPE1234F' } : {}),
      },
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // An interrupted run has already started the verification.
    if (error.code !== 'verification_running' && error.code !== 'already_verified') throw error
  }
  await waitUntilVerified(product, userId)
  return { userId, sessionId: derivedId('demo session', email), verified: true }
}

/** Waits until the sandbox has verified the person. */
async function waitUntilVerified({ kyc }: Product, userId: bigint): Promise<void> {
  const deadline = performance.now() + sandboxTimeoutMs
  while ((await kyc.status(userId)).status !== 'verified') {
    if (performance.now() > deadline) throw new Error('the sandbox did not verify a demo account')
    await delay(10)
  }
}

async function runStep(
  product: Product,
  sandboxUrl: string,
  callers: ReadonlyMap<string, Caller>,
  step: DemoStep,
  index: number,
): Promise<void> {
  const key = derivedId('demo step', String(index))
  const requireCaller = (name: string): Caller => {
    const caller = callers.get(name)
    if (!caller) throw new Error(`the story names ${name}, who is not in it`)
    return caller
  }
  const caller = requireCaller(step.by)
  const { baseCurrency } = await loadWallet(product, caller)
  const amount = parseDecimal(baseCurrency, step.amount)
  switch (step.kind) {
    case 'deposit':
      return runDeposit(product, sandboxUrl, caller, amount, key)
    case 'exchange':
      return runExchange(product, caller, amount, step.into, key)
    case 'send':
      await sendWithProof(product, caller, {
        recipient: requireCaller(step.to),
        amount,
        description: step.note,
        key,
      })
  }
}

interface DemoSend {
  readonly recipient: Caller
  readonly amount: Money
  readonly description: string
  readonly key: string
}

/**
 * Sends with a recorded confirmation: demo people have no factor to confirm with, and their sends must not use up the
 * allowance for unconfirmed payments.
 */
async function sendWithProof(
  product: Product,
  caller: Caller,
  { recipient, amount, description, key }: DemoSend,
): Promise<void> {
  // Transaction monitoring must not open cases for these sends.
  const monitoring = { judge: async () => ({ largeFromUsdMinor: undefined, isLowRisk: false }) }
  const provenAt = new Date()
  const transfers = createTransfers({ ...product, monitoring })
  await recordProof(product.pool, {
    candidate: {
      movementId: deriveRiskMovementId('wallet', caller.userId, key),
      userId: caller.userId,
      kind: 'transfer',
      payee: { id: formatUserPayee(recipient.userId), userId: recipient.userId },
      amount,
      source: 'wallet',
      usdMinor: product.exchange.usdMinorOf(amount),
    },
    provenAt,
    at: product.now(),
  })
  const request = {
    recipient_id: wireId(recipient.userId),
    amount: toDecimal(amount),
    source_currency: amount.currency,
    description,
  }
  await transfers.sendScheduled({ sender: caller, request, idempotencyKey: key, isConfirmed: true })
}

async function runExchange(
  product: Product,
  caller: Caller,
  amount: Money,
  targetCurrency: CurrencyCode,
  key: string,
): Promise<void> {
  const quote = await product.exchange.quote({
    userId: caller.userId,
    request: { amount, side: 'source', sourceCurrency: amount.currency, targetCurrency, useStablecoin: true },
    recipientId: undefined,
  })
  await product.transfers
    .exchangeMoney({ caller, quoteId: quote.quote_id, idempotencyKey: key })
    .catch(ignoreAlreadyDone)
}

/**
 * Ignores the refusal of a repeated exchange: its quote is new, but the exchange under this key has already happened.
 */
function ignoreAlreadyDone(error: unknown): void {
  if (!(error instanceof Refusal && error.code === 'idempotency_key_reused')) throw error
}

async function loadWallet(product: Product, caller: Caller): Promise<{ baseCurrency: FiatCode }> {
  const wallet = await findWallet(product.pool, caller.userId)
  if (!wallet) throw new Error(`user ${String(caller.userId)} has no wallet`)
  return wallet
}

/** Pays the hosted checkout, then waits for the provider's event to credit the wallet. */
async function runDeposit(
  { payments }: Product,
  sandboxUrl: string,
  caller: Caller,
  amount: Money,
  key: string,
): Promise<void> {
  const payment = { amount: amount.minor, currency: amount.currency.toLowerCase() }
  const deposit = await payments.depositByCard({ caller, body: payment, idempotencyKey: key })
  // Null if an interrupted run has already paid it.
  if (deposit.redirectUrl !== null) await payCheckout(sandboxUrl, deposit.redirectUrl)
  const deadline = performance.now() + sandboxTimeoutMs
  while ((await payments.status({ userId: caller.userId, paymentId: deposit.payment_id })).status !== 'completed') {
    if (performance.now() > deadline) throw new Error('the sandbox sent no event about a paid checkout')
    await delay(10)
  }
}

async function payCheckout(sandboxUrl: string, checkoutUrl: string): Promise<void> {
  const session = new URL(checkoutUrl).pathname.split('/').at(-1) ?? ''
  const payResponse = await fetch(`${sandboxUrl}/api/checkout/${session}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ card_number: '4242424242424242', expiry: '12/39', cvc: '123' }),
  })
  if (!payResponse.ok) throw new Error(`the sandbox took no payment: ${String(payResponse.status)}`)
}
