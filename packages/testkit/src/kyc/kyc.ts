import { setTimeout as delay } from 'node:timers/promises'
import { countries } from '@tern/contract/countries'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import type { IdentityProvider } from '@tern/providers/verify/port'
import { createSandboxIdentityProvider } from '@tern/providers/verify/sandbox'
import { createTestDatabase } from '../database.ts'
import { generateNationalId } from '../national-ids.ts'
import { startTestSandbox } from '../sandbox.ts'
import { createTestHttp } from '../http/http.ts'
import { newId } from '@tern/server/platform/ids'
import { createRegistry } from '@tern/server/platform/providers/provider-registry'
import { createIdentity, type Identity, type SignedIn } from '@tern/server/features/identity/identity'
import { createTestNotifications } from '../notifications/notifications.ts'
import { createKyc, type KycOptions } from '@tern/server/features/kyc/kyc'
import { kycRoutes } from '@tern/server/features/kyc/kyc.routes'

/** For tests: a form that passes verification. */
export const validForm: VerificationForm = {
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

const createIdNumber = (country = validForm.country) =>
  generateNationalId(countries.some(({ name }) => name === country) ? country : validForm.country)

/** For tests: the same form with an id number not used before. */
export const createForm = (): VerificationForm => ({ ...validForm, idNumber: createIdNumber() })

export type TestKyc = Awaited<ReturnType<typeof startTestKyc>>

/** For tests: the verification feature with accounts, a wallet for each account, and the sandbox's reviewer. */
export async function startTestKyc(secret = Buffer.alloc(32, 7)) {
  let offsetMs = 0
  const now = () => new Date(Date.now() + offsetMs)
  const notifications = createTestNotifications()
  const logged: string[] = []
  const write = (details: object, message: string) => void logged.push(JSON.stringify({ details, message }))
  const log = { info: write, warn: write, error: write }
  const [database, sandbox] = [await createTestDatabase(), await startTestSandbox()]
  const { pool, url: databaseUrl } = database
  const publicUrl = 'http://localhost:3000'
  const identity = await createIdentity({
    ...{ notifications, pool, databaseUrl, secret, secureCookie: false, publicUrl, now, log },
    accountEvents: [
      {
        registered: async (tx, { userId, at }) => {
          await tx.query(
            `insert into wallet (id, user_id, name, base_currency, created_at) values ($1, $2, 'Main wallet', 'USD', $3)`,
            [newId(at), userId, at],
          )
        },
      },
    ],
  })
  const optionsWith = (provider: Omit<IdentityProvider, 'name'>): KycOptions => ({
    ...{ pool, secret, identity, notifications, now, log, publicUrl },
    providers: createRegistry([{ ...provider, name: 'sandbox' }]),
    accountEvents: [
      {
        verified: async (tx, { userId, baseCurrency }) => {
          await tx.query('update wallet set base_currency = $2 where user_id = $1', [userId, baseCurrency])
        },
      },
    ],
  })
  const kyc = createKyc(optionsWith(createSandboxIdentityProvider(sandbox)))
  const http = await createTestHttp({ authenticate: identity.authenticate, pool, databaseUrl }, (api) =>
    kycRoutes(api, kyc),
  )
  return {
    ...{ database, identity, kyc, notifications, logged, now, optionsWith, ...createPeople(identity, http) },
    pass: (ms: number) => void (offsetMs += ms),
    async close() {
      await http.close()
      await identity.close()
      await sandbox.stop()
      await database.drop()
    },
  }
}

/** Creates functions that register people, submit their forms and read their status. */
function createPeople(identity: Identity, http: Awaited<ReturnType<typeof createTestHttp>>) {
  /** Registers a person whose email is not confirmed. */
  const join = (username: string, name?: string) =>
    identity.register({
      email: `${username}@tern.example`,
      username,
      password: 'a sound passphrase',
      name,
      client: { userAgent: 'test', address: '192.0.2.1' },
    })
  const authHeaders = ({ accessToken }: SignedIn) => ({ authorization: `Bearer ${accessToken}` })
  const send = (person: SignedIn, overrides: object = {}, id: number | string = person.user.id) =>
    http.inject({
      ...{ method: 'POST', url: `/api/kyc/${id}/submit`, headers: authHeaders(person) },
      payload: { ...validForm, idNumber: createIdNumber((overrides as { country?: string }).country), ...overrides },
    })
  const status = (person: SignedIn, id: number | string = person.user.id) =>
    http.inject({ method: 'GET', url: `/api/kyc/${id}/status`, headers: authHeaders(person) })
  return {
    ...{ join, send, status },
    async signUp(username: string, name?: string): Promise<SignedIn> {
      const account = await join(username, name)
      await identity.vouchForEmail(BigInt(account.user.id))
      return account
    },
    /** Submits a form, then polls until the decision. */
    async submit(person: SignedIn, overrides: object = {}, id?: number | string) {
      let reply = await send(person, overrides, id)
      while (reply.statusCode === 200 && reply.json().status === 'pending') {
        await delay(20)
        reply = await status(person)
      }
      return reply
    },
    async isVerified(person: SignedIn) {
      const request = { headers: authHeaders(person) }
      return (await identity.authenticate(request as Parameters<Identity['authenticate']>[0])).verified
    },
    loadBaseCurrency: async ({ user }: SignedIn) => (await identity.userProfile(BigInt(user.id))).base_currency,
  }
}
