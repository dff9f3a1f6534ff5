import { randomBytes } from 'node:crypto'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  type VerifiedAuthenticationResponse,
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type pg from 'pg'
import type { Queryable } from '../../db.ts'
import { newId } from '../../ids.ts'
import { refuse } from '../../refuse.ts'
import type { Seal } from '../../seal.ts'
import type { Log } from './log.ts'

export interface CeremonyBegun {
  readonly ceremony: string
  /** What the browser's WebAuthn call takes. */
  readonly options: Record<string, unknown>
}

/** What came back: the ceremony it answers, and what the browser made, of which nothing is believed. */
export interface CeremonyAnswer {
  readonly ceremony: string
  readonly response: Readonly<Record<string, unknown>>
}

type AssertionPurpose = 'sign_in' | 'second_factor' | 'proof'

/** Whose answer is awaited and for what; without a user it is whoever has a passkey for this site. */
export interface AssertionOf {
  readonly purpose: AssertionPurpose
  readonly userId?: bigint
  readonly subject?: string
}

export type NewCredential = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

/** Challenges of WebAuthn, each good once, within five minutes, for one purpose and user. */
export interface PasskeyCeremonies {
  beginRegistration(user: { id: bigint; email: string; sessionId: string }): Promise<CeremonyBegun>
  /** The new credential. Refuses `passkey_invalid`. */
  finishRegistration(user: { id: bigint; sessionId: string }, answer: CeremonyAnswer): Promise<NewCredential>
  beginAssertion(of: AssertionOf, challenge?: Buffer): Promise<CeremonyBegun>
  /** Whose passkey answered, with the device's check of its user. Refuses `passkey_invalid`. */
  finishAssertion(of: AssertionOf, answer: CeremonyAnswer): Promise<bigint>
}

const ceremonyMinutes = 5
const timeout = ceremonyMinutes * 60_000
const rpName = 'Tern'
// ES256, EdDSA and RS256 (https://www.iana.org/assignments/cose): what authenticators make today.
const algorithms = [-7, -8, -257]
// At most 1023 bytes (WebAuthn, section 4), as base64url.
const isCredentialId = /^[\w-]{1,1364}$/

interface Stored {
  id: string
  user_id: bigint
  public_key: Buffer
}

interface Parts {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly publicUrl: string
  readonly realNow: () => Date
  readonly log: Log
}

/** What the library says of an answer; whatever it stumbles over is the answer's fault, since that is all it reads. */
async function judged<T>(verification: () => Promise<T>): Promise<T> {
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

export function createPasskeyCeremonies({ pool, seal, publicUrl, realNow, log }: Parts): PasskeyCeremonies {
  const { hostname: rpID, origin } = new URL(publicUrl)
  // An authenticator tells it to whoever holds it, so it says nothing about the person.
  const userHandleOf = (userId: bigint) => seal.fingerprint(`user handle ${userId}`)

  async function begin(purpose: string, challenge: string, userId?: bigint, subject?: string): Promise<string> {
    const at = realNow()
    const id = newId(at)
    await pool.query(
      `with swept as (delete from passkey_ceremony where expires_at < $6)
       insert into passkey_ceremony (id, purpose, challenge, user_id, subject, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, purpose, challenge, userId ?? null, subject ?? null, at, new Date(at.getTime() + timeout)],
    )
    return id
  }

  /** Takes the challenge of a ceremony away, so that nothing answers it twice. */
  async function take(id: string, purpose: string, userId?: bigint, subject?: string): Promise<string> {
    const { rows } = await pool.query<{ challenge: string }>(
      `delete from passkey_ceremony where id = $1 and purpose = $2 and user_id is not distinct from $3
          and subject is not distinct from $4 and expires_at > $5 returning challenge`,
      [id, purpose, userId ?? null, subject ?? null, realNow()],
    )
    return rows[0]?.challenge ?? refuse('passkey_invalid')
  }

  /** The passkey an answer names, if it belongs to `userId` or, when nobody is known yet, to whom the answer says. */
  async function passkeyOf(response: CeremonyAnswer['response'], userId: bigint | undefined): Promise<Stored> {
    const { id } = response
    if (typeof id !== 'string' || !isCredentialId.test(id)) return refuse('passkey_invalid')
    const { rows } = await pool.query<Stored>('select id, user_id, public_key from passkey where credential_id = $1', [
      id,
    ])
    const stored = rows[0] ?? refuse('passkey_invalid')
    if (userId !== undefined && stored.user_id !== userId) refuse('passkey_invalid')
    const inner = response.response as { userHandle?: unknown } | null | undefined
    const handle = inner?.userHandle
    const isTold = typeof handle === 'string' && handle !== ''
    if (isTold ? handle !== userHandleOf(stored.user_id).toString('base64url') : userId === undefined) {
      refuse('passkey_invalid')
    }
    return stored
  }

  /** Counters only go up: one that does not may be the mark of a copied authenticator. */
  async function advance(passkey: Stored, { newCounter }: VerifiedAuthenticationResponse['authenticationInfo']) {
    const { rowCount } = await pool.query(
      `update passkey set counter = $2, last_used_at = $3
        where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
      [passkey.id, newCounter, realNow()],
    )
    if (rowCount === 1) return
    log.warn({ userId: String(passkey.user_id), passkey: passkey.id }, 'a passkey counted backwards: refused')
    refuse('passkey_invalid')
  }

  return {
    async beginRegistration({ id, email, sessionId }) {
      const options = await generateRegistrationOptions({
        rpName,
        rpID,
        userName: email,
        userID: new Uint8Array(userHandleOf(id)),
        timeout,
        excludeCredentials: await credentialsOf(pool, id),
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      })
      return { ceremony: await begin('register', options.challenge, id, sessionId), options: { ...options } }
    },

    async finishRegistration({ id, sessionId }, { ceremony, response }) {
      const expectedChallenge = await take(ceremony, 'register', id, sessionId)
      const { registrationInfo } = await judged(() =>
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

    async beginAssertion({ purpose, userId, subject }, challenge = randomBytes(32)) {
      const options = await generateAuthenticationOptions({
        rpID,
        challenge: new Uint8Array(challenge),
        timeout,
        userVerification: 'required',
        allowCredentials: userId === undefined ? [] : await credentialsOf(pool, userId),
      })
      return { ceremony: await begin(purpose, options.challenge, userId, subject), options: { ...options } }
    },

    async finishAssertion({ purpose, userId, subject }, { ceremony, response }) {
      const expectedChallenge = await take(ceremony, purpose, userId, subject)
      const passkey = await passkeyOf(response, userId)
      const { verified, authenticationInfo } = await judged(() =>
        verifyAuthenticationResponse({
          response: response as unknown as AuthenticationResponseJSON,
          expectedChallenge,
          expectedOrigin: origin,
          expectedRPID: rpID,
          // Its counter is compared below, where the comparison and the new value are one statement.
          credential: { id: String(response.id), publicKey: new Uint8Array(passkey.public_key), counter: 0 },
          requireUserVerification: true,
        }),
      )
      if (!verified) refuse('passkey_invalid')
      await advance(passkey, authenticationInfo)
      return passkey.user_id
    },
  }
}
