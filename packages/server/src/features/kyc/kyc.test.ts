import { countries } from '@tern/contract/countries'
import { setTimeout as delay } from 'node:timers/promises'
import type { VerificationForm } from '@tern/contract/kyc'
import type { IdentityProvider } from '@tern/providers/kyc/port'
import { createRegistry } from '../../platform/providers/provider-registry.ts'
import { createSandboxIdentity } from '@tern/providers/kyc/sandbox'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../tools/testing/test-database.ts'
import { nationalIdOf } from '../../../../../tools/testing/test-national-ids.ts'
import { startTestSandbox, type TestSandbox } from '../../../../../tools/testing/test-sandbox.ts'
import { newId } from '../../platform/ids.ts'
import { createSeal } from '../../platform/seal.ts'
import { createTestHttp } from '../../platform/http/test-http.ts'
import { createTestNotifications } from '../notifications/test-notifications.ts'
import { createIdentity, type Identity, type SignedIn } from '../identity/identity.ts'
import { createKyc, type Kyc, type KycOptions } from './kyc.ts'
import { kycRoutes } from './kyc.routes.ts'
import { answering, decided, startProvider, verdict } from './test-provider.ts'

const secret = Buffer.alloc(32, 7)
let database: TestDatabase
let sandbox: TestSandbox
let identity: Identity
let kyc: Kyc
let http: Awaited<ReturnType<typeof createTestHttp>>
let offsetMs = 0
const now = () => new Date(Date.now() + offsetMs)
const notifications = createTestNotifications()
const logged: string[] = []
const write = (details: object, message: string) => void logged.push(JSON.stringify({ details, message }))
const log = { info: write, warn: write, error: write }

const kycOptions = (provider: Omit<IdentityProvider, 'name'>): KycOptions => ({
  pool: database.pool,
  secret,
  providers: createRegistry([{ ...provider, name: 'sandbox' }]),
  identity,
  notifications,
  now,
  log,
  publicUrl: 'http://localhost:3000',
  onVerified: async (tx, userId, { baseCurrency }) => {
    await tx.query('update wallet set base_currency = $2 where user_id = $1', [userId, baseCurrency])
  },
})

beforeAll(async () => {
  database = await createTestDatabase()
  sandbox = await startTestSandbox()
  identity = await createIdentity({
    notifications,
    pool: database.pool,
    databaseUrl: database.url,
    secret,
    secureCookie: false,
    publicUrl: 'http://localhost:3000',
    now,
    log,
    onAccountKept: () => Promise.resolve(),
    onRegistered: async (tx, { id }) => {
      await tx.query(
        `insert into wallet (id, user_id, name, base_currency, created_at) values ($1, $2, 'Main wallet', 'USD', $3)`,
        [newId(now()), id, now()],
      )
    },
  })
  kyc = createKyc(kycOptions(createSandboxIdentity(sandbox)))
  const { pool, url: databaseUrl } = database
  http = await createTestHttp({ authenticate: identity.authenticate, pool, databaseUrl }, (api) => kycRoutes(api, kyc))
})

afterAll(async () => {
  await http.close()
  await identity.close()
  await sandbox.stop()
  await database.drop()
})

/** Somebody who has not confirmed their email. */
const join = (username: string, name?: string) =>
  identity.register(
    { email: `${username}@tern.example`, username, password: 'a sound passphrase', name },
    { userAgent: 'test', address: '192.0.2.1' },
  )

async function signUp(username: string, name?: string): Promise<SignedIn> {
  const joined = await join(username, name)
  await identity.vouchForEmail(BigInt(joined.user.id))
  return joined
}

const right: VerificationForm = {
  email: 'marie@tern.example',
  firstName: 'Marie',
  lastName: 'Durand',
  dateOfBirth: '1990-02-28',
  country: 'France',
  nationality: 'Germany',
  idNumber: '2 90 02 75123 456 21',
  documentType: 'passport',
  documentNumber: 'X9K4471PQ',
  issuingCountry: 'France',
  currencyPreference: 'EUR',
  streetAddress: '1 rue de la Paix',
  city: 'Paris',
  state: 'Île-de-France',
  postalCode: '75002',
}

const someNumber = (country = right.country) =>
  nationalIdOf(countries.some(({ name }) => name === country) ? country : right.country)
/** The form with a number that nobody has yet. */
const fresh = (): VerificationForm => ({ ...right, idNumber: someNumber() })
const send = ({ user, accessToken }: SignedIn, more: object = {}, id: number | string = user.id) =>
  http.inject({
    method: 'POST',
    url: `/api/kyc/${id}/submit`,
    headers: { authorization: `Bearer ${accessToken}` },
    payload: { ...right, idNumber: someNumber((more as { country?: string }).country), ...more },
  })
const status = ({ user, accessToken }: SignedIn, id: number | string = user.id) =>
  http.inject({ method: 'GET', url: `/api/kyc/${id}/status`, headers: { authorization: `Bearer ${accessToken}` } })
/** Sends a form and waits for what becomes of it. */
async function submit(person: SignedIn, more: object = {}, id?: number | string) {
  let reply = await send(person, more, id)
  while (reply.statusCode === 200 && reply.json().status === 'pending') {
    await delay(20)
    reply = await status(person)
  }
  return reply
}
const isVerified = async ({ accessToken }: SignedIn) => {
  const request = { headers: { authorization: `Bearer ${accessToken}` } }
  return (await identity.authenticate(request as Parameters<Identity['authenticate']>[0])).verified
}
const baseCurrencyOf = async ({ user }: SignedIn) => (await identity.userProfile(BigInt(user.id))).base_currency
const rowsOf = async (table: string) =>
  (await database.pool.query<Record<string, unknown>>(`select * from ${table}`)).rows

describe('verification', () => {
  test('updates status, name and base currency for the very next call', async () => {
    const marie = await signUp('marie')
    expect((await status(marie)).json()).toEqual({ status: 'not_started', reasons: [], next_step: null })
    expect(await isVerified(marie)).toBe(false)
    const reply = await submit(marie)
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await isVerified(marie)).toBe(true)
    expect((await status(marie)).json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await identity.currentUser(BigInt(marie.user.id))).toMatchObject({
      kyc_status: 'verified',
      name: 'Marie Durand',
      profile: { first_name: 'Marie' },
    })
    expect(await baseCurrencyOf(marie)).toBe('EUR')
    expect(await identity.searchUsers('marie', false)).toMatchObject([{ name: 'M. D.' }])
  })

  test('replaces the chosen name with the legal one', async () => {
    const person = await signUp('mimi', 'Mimi the Great')
    await submit(person)
    expect(await identity.currentUser(BigInt(person.user.id))).toMatchObject({
      name: 'Marie Durand',
      profile: { first_name: 'Marie' },
    })
  })

  test('happens once', async () => {
    const person = await signUp('once')
    expect((await submit(person)).statusCode).toBe(200)
    const again = await submit(person, { currencyPreference: 'GBP', firstName: 'Other' })
    expect(again.statusCode).toBe(409)
    expect(again.json().code).toBe('already_verified')
    expect(await baseCurrencyOf(person)).toBe('EUR')
  })

  test('can be retried when rejected or incomplete', async () => {
    const person = await signUp('again')
    expect((await submit(person, { lastName: 'Rejected' })).json().status).toBe('rejected')
    const needs = await submit(person, { documentNumber: '0000' })
    expect(needs.json()).toMatchObject({ status: 'needs_information', reasons: [{ field: 'documentNumber' }] })
    expect((await status(person)).json()).toEqual(needs.json())
    expect(await isVerified(person)).toBe(false)
    expect(await baseCurrencyOf(person)).toBe('USD')
    expect((await submit(person)).json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await isVerified(person)).toBe(true)
    const told = notifications.told.filter(({ userId }) => userId === BigInt(person.user.id))
    expect(told.map(({ code, params }) => [code, params])).toEqual(
      ['rejected', 'needs_information', 'verified'].map((result) => ['verification_result', { status: result }]),
    )
  })

  test('in review refuses another form and polls the provider until it decides', async () => {
    const person = await signUp('review')
    expect((await submit(person, { lastName: 'Review' })).json().status).toBe('in_review')
    const another = await submit(person)
    expect([another.statusCode, another.json().code]).toEqual([409, 'verification_running'])
    offsetMs += 31_000
    expect(await kyc.resumePending()).toBe(0)
    expect((await status(person)).json().status).toBe('in_review')
    expect(await isVerified(person)).toBe(false)
    const { provider, references, stop } = await startProvider(() => verdict('verified'))
    const decided = createKyc(kycOptions(provider))
    expect(await decided.resumePending()).toBe(0)
    offsetMs += 31_000
    expect(await decided.resumePending()).toBe(1)
    await stop()
    // By the name that its provider gave it.
    expect(references).toEqual([expect.stringMatching(/^ck_/)])
    expect((await status(person)).json()).toEqual({ status: 'verified', reasons: [], next_step: null })
    expect(await isVerified(person)).toBe(true)
    expect((await identity.currentUser(BigInt(person.user.id))).name).toBe('Marie Review')
  })

  test('can be rejected after review, and then accepts another form', async () => {
    const person = await signUp('doubted')
    await submit(person, { lastName: 'Review' })
    const { provider, stop } = await startProvider(() => verdict('rejected'))
    expect(await createKyc(kycOptions(provider)).resumePending(new Date(now().getTime() + 1))).toBe(1)
    await stop()
    expect((await status(person)).json().status).toBe('rejected')
    expect((await submit(person)).json().status).toBe('verified')
  })

  test('accepts ten forms a minute per person', async () => {
    const [hasty, other] = [await signUp('hasty'), await signUp('unhurried')]
    for (let sent = 0; sent < 10; sent += 1)
      expect((await submit(hasty, { lastName: 'Rejected' })).statusCode).toBe(200)
    const refused = await submit(hasty)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited'])
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/)
    expect((await status(hasty)).json().status).toBe('rejected')
    expect((await submit(other)).json().status).toBe('verified')
  })

  test('is hidden from other people', async () => {
    const [mine, theirs] = [await signUp('mine'), await signUp('theirs')]
    for (const reply of [await submit(mine, {}, theirs.user.id), await status(mine, theirs.user.id)]) {
      expect(reply.statusCode).toBe(404)
      expect(reply.json().code).toBe('not_found')
    }
    expect((await submit(mine, {}, 1)).statusCode).toBe(422)
    expect((await submit({ ...mine, accessToken: 'x' })).statusCode).toBe(401)
    expect((await status({ ...mine, accessToken: 'x' })).statusCode).toBe(401)
    expect((await status(theirs)).json().status).toBe('not_started')
  })

  test.each<[string, object, string?]>([
    ['firstName', { firstName: ' ' }, 'First name is required'],
    ['lastName', { lastName: undefined }, 'Last name is required'],
    ['dateOfBirth', { dateOfBirth: '1990-02-30' }, 'Date of birth is required'],
    ['dateOfBirth', { dateOfBirth: '2999-01-01' }],
    ['country', { country: 'Atlantis' }, 'Country of residence is required'],
    ['nationality', { nationality: '' }, 'Nationality is required'],
    ['idNumber', { idNumber: '' }, 'INSEE is required'],
    ['idNumber', { country: 'United States', idNumber: '123456789' }, 'SSN must be in format XXX-XX-XXXX'],
    ['idNumber', { idNumber: 'x'.repeat(31) }],
    [
      'idNumber',
      { idNumber: '2 90 02 75123 456 22' },
      'No INSEE with this number can exist. Please check it for a wrong digit',
    ],
    ['panCard', { country: 'India', panCard: 'ABC' }, 'PAN card number must be in format ABCDE1234F'],
    [
      'dateOfBirth',
      { dateOfBirth: `${String(new Date().getUTCFullYear() - 17)}-01-01` },
      'You must be at least 18 years old to open a wallet',
    ],
    ['documentType', { documentType: 'library_card' }, 'Document type is required'],
    ['documentType', { documentType: 'nric' }],
    ['documentNumber', { documentNumber: '' }, 'Document number is required'],
    ['currencyPreference', { currencyPreference: 'BTC' }],
    ['streetAddress', { streetAddress: '' }, 'Street address is required'],
    ['city', { city: '\u0007' }],
    ['state', { state: '' }, 'State/Province is required'],
    ['postalCode', { postalCode: '' }, 'Postal code is required'],
    ['email', { email: 'x' }],
  ])('names an invalid %s: %j', async (field, wrong, message) => {
    const person = await (wrongForms ??= signUp('wrong'))
    const reply = await submit(person, wrong)
    expect(reply.statusCode).toBe(422)
    expect(reply.json().errors).toContainEqual(
      expect.objectContaining({
        field,
        code: expect.stringMatching(/^[a-z_]+$/),
        message: message ?? expect.any(String),
      }),
    )
    expect((await status(person)).json().status).toBe('not_started')
  })
  let wrongForms: Promise<SignedIn> | undefined
})

describe('a national number that somebody else has', () => {
  const country = 'United States'
  const stateOf = async (person: SignedIn) => (await status(person)).json() as { status: string; reasons: object[] }

  test('verifies nobody else, also as a resubmission and when asked again, and does not say whose it is', async () => {
    const idNumber = nationalIdOf(country)
    const [first, second] = [await signUp('first'), await signUp('second')]
    expect((await submit(first, { country, idNumber })).json().status).toBe('verified')
    const inReview = {
      status: 'in_review',
      reasons: [{ field: 'idNumber', code: 'number_in_review', message: 'Our team is checking this number by hand.' }],
      next_step: null,
    }
    expect((await submit(second, { country, idNumber })).json()).toEqual(inReview)
    await kyc.resumePending(new Date(now().getTime() + 1))
    expect((await status(second)).json()).toEqual(inReview)
    expect(await isVerified(second)).toBe(false)
    const elsewhere = await signUp('elsewhere')
    expect((await submit(elsewhere, { country: 'Canada' })).json().status).toBe('verified')
  })

  test('keeps nobody out whose number a rejected form misused', async () => {
    const idNumber = nationalIdOf(country)
    expect((await submit(await signUp('thief'), { country, idNumber, lastName: 'Rejected' })).json().status).toBe(
      'rejected',
    )
    expect((await submit(await signUp('victim'), { country, idNumber })).json().status).toBe('verified')
  })

  test('verifies one, also when the form before is stored while the other is being verified', async () => {
    const form = { ...right, country, idNumber: nationalIdOf(country) }
    const [late, early] = [await signUp('late'), await signUp('early')]
    const { promise: seen, resolve: see } = Promise.withResolvers<void>()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const provider = answering(() => decided('verified'))
    const slow = createKyc({
      ...kycOptions(provider),
      onVerified: () => {
        see()
        return opened
      },
    })
    const first = slow.submit(BigInt(late.user.id), form)
    await seen
    const before = createKyc({ ...kycOptions(provider), now: () => new Date(now().getTime() - 60_000) })
    const second = before.submit(BigInt(early.user.id), form)
    expect(await Promise.race([second, delay(300, 'waits')])).toBe('waits')
    open()
    expect([(await first).status, (await second).status]).toEqual(['verified', 'in_review'])
  })

  test('is found between processes with other secrets first, at the same moment', async () => {
    const pools = [new pg.Pool({ connectionString: database.url }), new pg.Pool({ connectionString: database.url })]
    const older = Buffer.alloc(32, 6)
    for (let round = 0; round < 10; round += 1) {
      const form = { ...right, country, idNumber: nationalIdOf(country) }
      const pair = [await signUp(`twin${round}a`), await signUp(`twin${round}b`)]
      const { promise: together, resolve: meet } = Promise.withResolvers<void>()
      let asked = 0
      const check = async () => {
        asked += 1
        if (asked === pair.length) meet()
        await together
        return decided('verified')
      }
      const submitted = pair.map(({ user }, place) => {
        const ring = (place === 0 ? [secret, older] : [older, secret]) as KycOptions['secret']
        const options = { ...kycOptions(answering(check)), pool: pools[place] as pg.Pool, secret: ring }
        return createKyc(options).submit(BigInt(user.id), form)
      })
      const states = (await Promise.all(submitted)).map((state) => state.status)
      expect(states.toSorted()).toEqual(['in_review', 'verified'])
      expect((await Promise.all(pair.map(stateOf))).map((state) => state.status)).toEqual(states)
    }
    await Promise.all(pools.map((pool) => pool.end()))
    // The other tests know one secret.
    await database.pool.query("update kyc_submission set status = 'rejected' where status = 'in_review'")
  })
})

describe('without an answer', () => {
  test('verification stays pending until the provider can be polled', async () => {
    let isUp = false
    const { provider, references, stop } = await startProvider(() => (isUp ? verdict('verified') : undefined))
    const person = await signUp('patient')
    const patient = createKyc(kycOptions(provider))
    const userId = BigInt(person.user.id)
    expect(await patient.submit(userId, fresh())).toEqual({ status: 'pending', reasons: [], nextStep: null })
    expect(await patient.status(userId)).toEqual({ status: 'pending', reasons: [], nextStep: null })
    expect(await isVerified(person)).toBe(false)
    // Too recent: the first answer may still arrive.
    expect(await patient.resumePending()).toBe(0)
    expect(references).toHaveLength(1)
    offsetMs += 31_000
    expect(await patient.resumePending()).toBe(0)
    isUp = true
    offsetMs += 31_000
    expect(await patient.resumePending()).toBe(1)
    expect(await patient.resumePending()).toBe(0)
    expect(new Set(references).size).toBe(1)
    expect(await patient.status(userId)).toEqual({ status: 'verified', reasons: [], nextStep: null })
    expect(await isVerified(person)).toBe(true)
    expect(await baseCurrencyOf(person)).toBe('EUR')
    await stop()
  })

  test.each([
    ['an error', { code: 500, body: '{}' }],
    ['something that is no JSON', { code: 200, body: 'verified!' }],
    ['a verdict nobody knows', verdict('splendid')],
    ['a refusal', { code: 422, body: JSON.stringify({ error: { code: 'invalid', message: 'no' } }) }],
  ])('%s verifies nobody', async (_what, answer) => {
    const { provider, stop } = await startProvider(() => answer)
    const person = await signUp(`unsure${Math.trunc(performance.now() * 1000)}`)
    expect((await createKyc(kycOptions(provider)).submit(BigInt(person.user.id), fresh())).status).toBe('pending')
    expect(await isVerified(person)).toBe(false)
    await stop()
  })

  test('refuses another form while one is pending; only the first verdict counts', async () => {
    const person = await signUp('newer')
    const userId = BigInt(person.user.id)
    const { promise: answered, resolve: answerLate } = Promise.withResolvers<void>()
    const late = answering(() => answered.then(() => decided('verified')))
    const older = createKyc(kycOptions(late)).submit(userId, fresh())
    await expect.poll(async () => (await kyc.status(userId)).status).toBe('pending')
    const another = await submit(person, { lastName: 'Rejected' })
    expect([another.statusCode, another.json().code]).toEqual([409, 'verification_running'])
    const { provider: faster, stop } = await startProvider(() => verdict('rejected'))
    await createKyc(kycOptions(faster)).resumePending(new Date(now().getTime() + 1))
    await stop()
    answerLate()
    expect((await older).status).toBe('rejected')
    expect(await isVerified(person)).toBe(false)
  })

  test('undecryptable forms, however many, do not delay others', async () => {
    const { provider: silent, stop } = await startProvider(() => undefined)
    const person = await signUp('patient2')
    await createKyc(kycOptions(silent)).submit(BigInt(person.user.id), fresh())
    await stop()
    await database.pool.query(
      `insert into app_user (id, email, username, kyc_status, created_at, email_verified_at)
       select 3000000000 + n, 'broken' || n, 'broken' || n, 'pending', $1, $1 from generate_series(1, 60) n`,
      [now()],
    )
    await database.pool.query(
      `insert into kyc_submission (id, user_id, status, first_name, last_name, date_of_birth, country, nationality, email,
         document_type, currency_preference, street_address, city, state, postal_code, numbers, submitted_at, last_polled_at, provider)
       select gen_random_uuid(), 3000000000 + n, 'pending', '', '', '1990-01-01', '', '', '', 'passport', 'EUR',
         '', '', '', '', '\\x00', $1::timestamptz, $1::timestamptz - interval '1 day', 'sandbox' from generate_series(1, 60) n`,
      [now()],
    )
    offsetMs += 31_000
    for (let asked = 0; asked < 2; asked += 1) await kyc.resumePending()
    await expect.poll(async () => (await kyc.status(BigInt(person.user.id))).status).toBe('verified')
    expect(logged.filter((line) => line.includes('an identity check could not be resumed'))).toHaveLength(60)
    await database.pool.query('delete from kyc_submission where user_id between 3000000001 and 3000000060')
    await database.pool.query('delete from screening_person where user_id between 3000000001 and 3000000060')
    await database.pool.query('delete from app_user where id between 3000000001 and 3000000060')
  })

  test('many concurrent forms produce one verdict and one name', async () => {
    const person = await signUp('eager')
    const replies = await Promise.all(Array.from({ length: 10 }, (_, i) => submit(person, { firstName: `Eager${i}` })))
    const counts = replies.map((reply) => reply.statusCode)
    expect(counts.every((code) => code === 200 || code === 409)).toBe(true)
    expect((await status(person)).json().status).toBe('verified')
    const { rows } = await database.pool.query(
      `select first_name from kyc_submission where user_id = $1 and status = 'verified'`,
      [person.user.id],
    )
    expect(rows).toHaveLength(1)
    expect((await identity.currentUser(BigInt(person.user.id))).profile.first_name).toBe(rows[0]?.first_name)
  })

  test('the provider is called outside any transaction', async () => {
    let openTransactions = -1
    const watching = answering(async () => {
      const { rows } = await database.pool.query<{ n: bigint }>(
        `select count(*) as n from pg_stat_activity where datname = current_database() and state like 'idle in trans%'`,
      )
      openTransactions = Number(rows[0]?.n)
      return decided('rejected')
    })
    const person = await signUp('outside')
    await createKyc(kycOptions(watching)).submit(BigInt(person.user.id), fresh())
    expect(openTransactions).toBe(0)
  })

  test('a failure while verifying someone changes nothing about them', async () => {
    const person = await signUp('fault')
    const broken = createKyc({
      ...kycOptions(answering(() => decided('verified'))),
      onVerified: () => Promise.reject(new Error('the wallet is not there')),
    })
    await expect(broken.submit(BigInt(person.user.id), fresh())).rejects.toThrow('the wallet is not there')
    expect((await status(person)).json().status).toBe('pending')
    expect((await identity.currentUser(BigInt(person.user.id))).name).toBeNull()
    await createKyc(kycOptions(answering(() => decided('verified')))).resumePending(new Date(now().getTime() + 1))
    expect((await status(person)).json().status).toBe('verified')
  })
})

describe('a form of somebody who has not confirmed their email', () => {
  const waiting = { status: 'pending', reasons: [], next_step: 'confirm_email' }

  test('waits, is told nobody, and is handed over once they have, by whoever looks first, once', async () => {
    const person = await join('unconfirmed')
    const userId = BigInt(person.user.id)
    let created = 0
    const provider = answering(async () => {
      created += 1
      await delay(50)
      return decided('verified')
    })
    const processes = [createKyc(kycOptions(provider)), createKyc(kycOptions(provider))]
    const [one, two] = processes as [Kyc, Kyc]
    expect(await one.submit(userId, fresh())).toEqual({ status: 'pending', reasons: [], nextStep: 'confirm_email' })
    expect((await status(person)).json()).toEqual(waiting)
    expect((await send(person)).json().code).toBe('verification_running')
    offsetMs += 31_000
    expect(await one.resumePending()).toBe(0)
    expect(created, 'nobody was told').toBe(0)
    await identity.vouchForEmail(userId)
    const { rows } = await database.pool.query<{ id: string }>(
      `select payload ->> 'submissionId' as id from graphile_worker._private_jobs
        where key = 'begin_verification ' || (select id from kyc_submission where user_id = $1)`,
      [person.user.id],
    )
    const [{ id }] = rows as [{ id: string }]
    await Promise.all([one.begin(id), two.begin(id), one.status(userId), two.status(userId), one.resumePending()])
    expect(created).toBe(1)
    expect((await status(person)).json()).toMatchObject({ status: 'verified', next_step: null })
    expect(await isVerified(person)).toBe(true)
    await one.begin(id)
    expect(created).toBe(1)
  })

  test('is handed over by the worker where the job was lost', async () => {
    const person = await join('jobless')
    const userId = BigInt(person.user.id)
    const working = createKyc(kycOptions(answering(() => decided('verified'))))
    await working.submit(userId, fresh())
    await database.pool.query('update app_user set email_verified_at = now() where id = $1', [person.user.id])
    await database.pool.query(`delete from graphile_worker._private_jobs where key like 'begin_verification%'`)
    expect(await working.resumePending()).toBe(0)
    offsetMs += 31_000
    expect(await working.resumePending()).toBeGreaterThan(0)
    expect((await working.status(userId)).status).toBe('verified')
  })
})

describe('personal numbers', () => {
  const numbers = {
    idNumber: '078-05-1120',
    documentNumber: 'PASS7391846',
    panCard: 'ABCPE1234F',
    medicareNumber: '2123 45670 1',
  }
  const plain = ['078-05-1120', '078051120', 'PASS7391846', '7391846', 'ABCPE1234F', '2123 45670 1', '2123456701']

  test('are not in plain text in the database or log, and can be decrypted with the secret', async () => {
    const person = await signUp('secretive')
    await submit(person, { ...numbers, country: 'United States' })
    const { rows: tables } = await database.pool.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    )
    expect(tables.length).toBeGreaterThan(7)
    for (const { name } of tables) {
      for (const row of await rowsOf(name)) {
        const text = Object.values(row)
          .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value, asText)))
          .join('\n')
        for (const number of plain) expect(text, `${name} contains ${number}`).not.toContain(number)
      }
    }
    for (const number of plain) expect(logged.join('\n')).not.toContain(number)
    const { rows } = await database.pool.query<{ id: string; numbers: Buffer }>(
      'select id, numbers from kyc_submission where user_id = $1',
      [person.user.id],
    )
    expect(JSON.parse(createSeal(secret, 'kyc/numbers').open(rows[0]!.numbers, rows[0]!.id))).toEqual(numbers)
  })
  const asText = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

  test('are removed from provider refusals before logging', async () => {
    const message = `No such document: ${numbers.documentNumber}`
    const { provider, stop } = await startProvider(() => ({
      code: 422,
      body: JSON.stringify({ error: { code: 'invalid', message } }),
    }))
    const person = await signUp('repeated')
    await createKyc(kycOptions(provider)).submit(BigInt(person.user.id), { ...right, ...numbers })
    expect(logged.at(-1)).toContain('No such document: …')
    expect(logged.join('\n')).not.toContain(numbers.documentNumber)
    await stop()
  })

  test('can be compared and recognized by their last characters', async () => {
    const [one, two, other] = [await signUp('one'), await signUp('two'), await signUp('other')]
    await submit(one, { idNumber: '290-02-7512', country: 'United States' })
    await submit(two, { idNumber: '290-02-7512', country: 'United States', documentNumber: '0000' })
    await submit(other, { idNumber: '290-027-515', country: 'Canada' })
    const { rows } = await database.pool.query<{
      user_id: bigint
      fingerprint: Buffer
      last_characters: string
      kind: string
    }>(
      `select user_id, kind, fingerprint, last_characters from kyc_number join kyc_submission on id = submission_id
        where user_id = any($1)`,
      [[one, two, other].map(({ user }) => user.id)],
    )
    const of = ({ user }: SignedIn, kind: string) =>
      rows.find((row) => row.user_id === BigInt(user.id) && row.kind === kind)!
    expect(of(one, 'idNumber').fingerprint.equals(of(two, 'idNumber').fingerprint)).toBe(true)
    expect(of(one, 'idNumber').fingerprint.equals(of(other, 'idNumber').fingerprint)).toBe(false)
    expect(of(one, 'idNumber').last_characters).toBe('7512')
    // Four characters of a four-character number would be all of it.
    expect(of(two, 'documentNumber').last_characters).toBe('00')
  })
})
