import { randomBytes } from 'node:crypto'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type pg from 'pg'
import type { Queryable } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { Log } from '../log.ts'
import type { VerifiedCredentials } from '../sessions/verified-credentials.ts'

export interface CeremonyBegun {
  readonly ceremony: string
  readonly options: Record<string, unknown>
}

/** The browser's answer, untrusted, and the ceremony it belongs to. */
export interface CeremonyAnswer {
  readonly ceremony: string
  readonly response: Readonly<Record<string, unknown>>
}

interface CeremonyOf {
  readonly purpose: 'sign_in' | 'second_factor' | 'step_up' | 'register'
  readonly userId?: bigint
  readonly subject?: string
}

/** Who must answer and why; without a user, anyone with a passkey. */
export interface AssertionOf extends CeremonyOf {
  readonly purpose: 'sign_in' | 'second_factor' | 'step_up'
}

export type NewCredential = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

/** WebAuthn challenges: single-use, valid five minutes, for one purpose and user. */
export interface PasskeyCeremonies {
  beginRegistration(user: { id: bigint; email: string; sessionId: string }): Promise<CeremonyBegun>
  /** The new credential. Refuses `passkey_invalid`. */
  finishRegistration(user: { id: bigint; sessionId: string }, answer: CeremonyAnswer): Promise<NewCredential>
  beginAssertion(of: AssertionOf, challenge?: Buffer): Promise<CeremonyBegun>
  /** The passkey that answered, with user verification by the device. Refuses `passkey_invalid`. */
  finishAssertion(of: AssertionOf, answer: CeremonyAnswer): Promise<VerifiedCredentials>
}

const ceremonyMinutes = 5
const timeout = ceremonyMinutes * 60_000
const rpName = 'Tern'
// ES256, EdDSA and RS256 (https://www.iana.org/assignments/cose): what authenticators use today.
const algorithms = [-7, -8, -257]
// At most 1023 bytes (WebAuthn, section 4), as base64url.
const isCredentialId = /^[\w-]{1,1364}$/

interface Stored {
  id: string
  user_id: bigint
  public_key: Buffer
  version: bigint
}

interface Parts {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly publicUrl: string
  readonly realNow: () => Date
  readonly log: Log
}

/** Verifies an answer. Everything the library throws is the answer's fault. */
async function verify<T>(verification: () => Promise<T>): Promise<T> {
  try {
    return await verification()
  } catch {
    return refuse('passkey_invalid')
  }
}

async function credentialsOf(db: Queryable, userId: bigint): Promise<{ id: string; transports: string[] }[]> {
  const { rows } = await db.query<{ id: string; transports: string[] }>(
    'select credential_id as id, transports from passkey where user_id = $1 order by created_at',
    [userId],
  )
  return rows
}

function createCeremonyTable({ pool, realNow }: Pick<Parts, 'pool' | 'realNow'>) {
  return {
    async add(challenge: string, { purpose, userId, subject }: CeremonyOf): Promise<string> {
      const at = realNow()
      const id = newId(at)
      await pool.query(
        `with swept as (delete from passkey_ceremony where expires_at < $6)
         insert into passkey_ceremony (id, purpose, challenge, user_id, subject, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [id, purpose, challenge, userId ?? null, subject ?? null, at, new Date(at.getTime() + timeout)],
      )
      return id
    },

    /** Spends the challenge. Refuses `passkey_invalid`. */
    async take(id: string, { purpose, userId, subject }: CeremonyOf): Promise<string> {
      const { rows } = await pool.query<{ challenge: string }>(
        `delete from passkey_ceremony where id = $1 and purpose = $2 and user_id is not distinct from $3
            and subject is not distinct from $4 and expires_at > $5 returning challenge`,
        [id, purpose, userId ?? null, subject ?? null, realNow()],
      )
      return rows[0]?.challenge ?? refuse('passkey_invalid')
    },
  }
}

/** The passkey named in an answer, if it belongs to `userId` or else the named user. */
async function readAnswering(
  { pool, seal }: Parts,
  response: CeremonyAnswer['response'],
  userId: bigint | undefined,
): Promise<Stored> {
  const { id } = response
  if (typeof id !== 'string' || !isCredentialId.test(id)) return refuse('passkey_invalid')
  const { rows } = await pool.query<Stored>(
    `select passkey.id, user_id, public_key, credentials_version as version
       from passkey join app_user on app_user.id = user_id where credential_id = $1`,
    [id],
  )
  const stored = rows[0] ?? refuse('passkey_invalid')
  if (userId !== undefined && stored.user_id !== userId) refuse('passkey_invalid')
  const inner = response.response as { userHandle?: unknown } | null | undefined
  const handle = inner?.userHandle
  const isTold = typeof handle === 'string' && handle !== ''
  if (isTold ? handle !== userHandleOf(seal, stored.user_id).toString('base64url') : userId === undefined) {
    refuse('passkey_invalid')
  }
  return stored
}

/** Counters only increase; one that does not suggests a cloned authenticator. */
async function advance({ pool, realNow, log }: Parts, passkey: Stored, counter: number): Promise<void> {
  const { rowCount } = await pool.query(
    `update passkey set counter = $2, last_used_at = $3
      where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
    [passkey.id, counter, realNow()],
  )
  if (rowCount === 1) return
  log.warn({ userId: String(passkey.user_id), passkey: passkey.id }, 'a passkey counted backwards: refused')
  refuse('passkey_invalid')
}

// Any holder of the authenticator can read it, so it must not identify the person.
const userHandleOf = (seal: Seal, userId: bigint): Buffer => seal.fingerprint(`user handle ${userId}`)

export function createPasskeyCeremonies(parts: Parts): PasskeyCeremonies {
  const { pool, seal, publicUrl } = parts
  const { hostname: rpID, origin } = new URL(publicUrl)
  const table = createCeremonyTable(parts)
  const registrationOf = (user: { id: bigint; sessionId: string }) =>
    ({ purpose: 'register', userId: user.id, subject: user.sessionId }) as const

  return {
    async beginRegistration(user) {
      const options = await generateRegistrationOptions({
        rpName,
        rpID,
        userName: user.email,
        userID: new Uint8Array(userHandleOf(seal, user.id)),
        timeout,
        excludeCredentials: await credentialsOf(pool, user.id),
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      })
      return { ceremony: await table.add(options.challenge, registrationOf(user)), options: { ...options } }
    },

    async finishRegistration(user, { ceremony, response }) {
      const expectedChallenge = await table.take(ceremony, registrationOf(user))
      const { registrationInfo } = await verify(() =>
        verifyRegistrationResponse({
          response: response as unknown as RegistrationResponseJSON,
          expectedChallenge,
          expectedOrigin: origin,
          expectedRPID: rpID,
          supportedAlgorithmIDs: algorithms,
          requireUserVerification: true,
        }),
      )
      return registrationInfo && registrationInfo.credential.id === response.id
        ? registrationInfo
        : refuse('passkey_invalid')
    },

    async beginAssertion(of, challenge = randomBytes(32)) {
      const options = await generateAuthenticationOptions({
        rpID,
        challenge: new Uint8Array(challenge),
        timeout,
        userVerification: 'required',
        allowCredentials: of.userId === undefined ? [] : await credentialsOf(pool, of.userId),
      })
      return { ceremony: await table.add(options.challenge, of), options: { ...options } }
    },

    async finishAssertion(of, { ceremony, response }) {
      const expectedChallenge = await table.take(ceremony, of)
      const passkey = await readAnswering(parts, response, of.userId)
      const { verified, authenticationInfo } = await verify(() =>
        verifyAuthenticationResponse({
          response: response as unknown as AuthenticationResponseJSON,
          expectedChallenge,
          expectedOrigin: origin,
          expectedRPID: rpID,
          // The counter is compared below, in the statement that updates it.
          credential: { id: String(response.id), publicKey: new Uint8Array(passkey.public_key), counter: 0 },
          requireUserVerification: true,
        }),
      )
      if (!verified) refuse('passkey_invalid')
      await advance(parts, passkey, authenticationInfo.newCounter)
      return { userId: passkey.user_id, credentialsVersion: passkey.version }
    },
  }
}
