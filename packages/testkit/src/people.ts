// For tests: people who register, verify and add money by card, like real users. Tests in a single process verify them
// immediately (kyc/ready-verdict.ts).

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient } from '@tern/contract/protocol/client'
import { countries } from '@tern/contract/countries'
import { register } from '@tern/contract/identity'
import { kycStatus } from '@tern/contract/kyc'
import { submitKyc, type VerificationForm, verificationForm } from '@tern/contract/kyc/verification-form'
import { depositByCard, paymentStatus } from '@tern/contract/payments'
import { type Transaction, transactionsOfUser } from '@tern/contract/transactions'
import { type Wallet, walletOfUser } from '@tern/contract/wallets'
import pg from 'pg'
import { generateNationalId } from './national-ids.ts'
import { raiseMovementCounts } from './risk.ts'

/** Signed-in person with an API client. */
export interface TestPerson {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly password: string
  readonly token: string
  /** Verified identity number; empty if not verified. */
  readonly idNumber: string
  readonly call: Client['call']
  wallet(): Promise<Wallet>
  /** Returns the newest transactions. */
  transactions(): Promise<Transaction[]>
  /** Confirms a step-up without proof; only for people registered by a test app. */
  confirmAtOnce?(id: string): Promise<unknown>
}

export interface EnrollOptions {
  readonly displayName?: string
  readonly localName?: string
  /** Database in which to confirm the email; defaults to the database of the end-to-end tests. */
  readonly database?: Database | string | undefined
  /** Submits the form and returns the resulting status. By default uses the API and waits for the reviewer. */
  readonly verify?: Verify | undefined
}

type Verify = (userId: number, form: VerificationForm, call: Client['call']) => Promise<string>

interface Database {
  query(sql: string, values: unknown[]): Promise<unknown>
}

/** Marks an email as confirmed, as if the mailed link had been followed. */
export async function confirmEmail(
  userId: number,
  database: Database | string = process.env.E2E_DATABASE_URL ?? '',
): Promise<void> {
  if (typeof database !== 'string') {
    await database.query('update app_user set email_verified_at = now() where id = $1', [userId])
    return
  }
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    await confirmEmail(userId, client)
  } finally {
    await client.end()
  }
}

/** Submits a form through the API, and polls until the identity check has ended. */
const verifyThroughApi: Verify = async (userId, form, call) => {
  const params = { id: String(userId) }
  const deadline = Date.now() + 60_000
  let { status } = await call(submitKyc, { params, body: form })
  while (status === 'pending' && Date.now() < deadline) {
    await delay(15)
    status = (await call(kycStatus, { params })).status
  }
  return status
}

/** Replaces digits and underscores, which names must not contain: "racer2" becomes "racerc". */
const spellDigits = (name: string): string =>
  name.replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit))).replaceAll('_', ' ')

/**
 * Registers a person with an empty wallet, verified as a resident of `country` unless it is null. `url`: address of the
 * product. `displayName` becomes the first name, `name` part of the username.
 */
export async function enroll(
  url: string,
  name: string,
  country: string | null,
  { displayName = name, localName, database, verify = verifyThroughApi }: EnrollOptions = {},
): Promise<TestPerson> {
  const session: { token?: string } = {}
  const { call } = createClient({ baseUrl: `${url}/api`, accessToken: () => session.token, timeoutMs: 20_000 })
  const username = `${name}.${randomBytes(4).toString('hex')}`
  const email = `${username}@example.com`
  const password = `${randomUUID()}-Aa1`
  const { id, access_token: token } = await call(register, { body: { email, username, password, name: displayName } })
  session.token = token
  const known = countries.find((candidate) => candidate.name === country)
  const idNumber = known ? generateNationalId(known.name) : ''
  if (known) {
    await confirmEmail(id, database)
    const form = verificationForm.parse({
      email,
      firstName: spellDigits(displayName),
      lastName: 'Tester',
      ...(localName === undefined ? {} : { localName }),
      dateOfBirth: '1990-02-03',
      country: known.name,
      nationality: known.name,
      idNumber,
      documentType: 'passport',
      documentNumber: 'P1234567',
      currencyPreference: known.currency,
      streetAddress: '1 Main Street',
      city: 'Springfield',
      state: 'Somewhere',
      postalCode: '12345',
    })
    const status = await verify(id, form, call)
    if (status !== 'verified') throw new Error(`${username} is ${status}`)
  }
  const wallet = () => call(walletOfUser, { params: { userId: String(id) } })
  const transactions = async () => (await call(transactionsOfUser, { params: { userId: String(id) } })).transactions
  return { id, username, email, password, token, idNumber, call, wallet, transactions }
}

/** Raises the limits of verified people on amounts and numbers of payments, as an operator can. */
export async function raiseLimits(ownerDb: { query(sql: string): Promise<unknown> }): Promise<void> {
  await ownerDb.query(
    `update limit_policy set max_usd_minor = 100000000000 where verification_state = 'verified' and max_usd_minor is not null`,
  )
  await raiseMovementCounts(ownerDb)
}

/** Pays on the hosted checkout at `redirectUrl`, by default with a card that succeeds. */
export async function payCheckout(redirectUrl: string, card = '4242424242424242'): Promise<void> {
  const checkout = new URL(redirectUrl)
  const paid = await fetch(`${checkout.origin}/api${checkout.pathname}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ card_number: card, expiry: '12/39', cvc: '123' }),
  })
  if (!paid.ok) throw new Error(`the sandbox refused the card: ${await paid.text()}`)
}

/**
 * Adds `minor` units of the person's base currency by card and waits until they arrive. Returns the payment's id and
 * idempotency key.
 */
export async function fund(person: TestPerson, minor: number): Promise<{ key: string; paymentId: string }> {
  const { base_currency: currency } = await person.wallet()
  const key = randomUUID()
  const { payment_id: id, redirectUrl } = await person.call(depositByCard, {
    body: { amount: minor, currency: currency.toLowerCase(), userId: person.id, depositToWallet: true },
    idempotencyKey: key,
  })
  if (redirectUrl === null) throw new Error('a deposit leads to no checkout')
  await payCheckout(redirectUrl)
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const { status } = await person.call(paymentStatus, { params: { id } })
    if (status === 'completed') return { key, paymentId: id }
    if (status === 'failed') break
    await delay(25)
  }
  throw new Error(`the deposit ${id} did not arrive`)
}
