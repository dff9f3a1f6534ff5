import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server'
import { type Db, transact } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import { loadWebauthn } from '../../../platform/keys/webauthn.ts'
import type { IdentityContext } from '../context.ts'
import { grantMail } from '../mailed-links/mail-requests.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import type { Client } from '../sessions/sessions.ts'
import type { VerifiedCredentials } from '../sessions/verified-credentials.ts'

// WebAuthn challenges: single-use, valid five minutes, for one purpose and user.

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

/** Whoever adds a passkey, and in which session. */
interface Registering {
  readonly userId: bigint
  readonly sessionId: string
}

export type NewCredential = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

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

/** Verifies an answer. Everything the library throws is the answer's fault. */
async function verify<T>(verification: () => Promise<T>): Promise<T> {
  try {
    return await verification()
  } catch {
    return refuse('passkey_invalid')
  }
}

async function credentialsOf(db: Db, userId: bigint): Promise<{ id: string; transports: string[] }[]> {
  const { rows } = await db.query<{ id: string; transports: string[] }>(
    'select credential_id as id, transports from passkey where user_id = $1 order by created_at',
    [userId],
  )
  return rows
}

async function addCeremony(
  { pool, realNow }: IdentityContext,
  challenge: string,
  { purpose, userId, subject }: CeremonyOf,
): Promise<string> {
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

/** Spends the challenge. Refuses `passkey_invalid`. */
async function takeCeremony(
  { pool, realNow }: IdentityContext,
  id: string,
  { purpose, userId, subject }: CeremonyOf,
): Promise<string> {
  const { rows } = await pool.query<{ challenge: string }>(
    `delete from passkey_ceremony where id = $1 and purpose = $2 and user_id is not distinct from $3
        and subject is not distinct from $4 and expires_at > $5 returning challenge`,
    [id, purpose, userId ?? null, subject ?? null, realNow()],
  )
  return rows[0]?.challenge ?? refuse('passkey_invalid')
}

/** The passkey named in an answer, if it belongs to `userId` or else the named user. */
async function readAnswering(
  { pool, seals }: IdentityContext,
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
  if (isTold ? !userHandlesOf(seals, stored.user_id).includes(handle) : userId === undefined) {
    refuse('passkey_invalid')
  }
  return stored
}

/**
 * Stores the counter of an answer. Counters only increase, and synced passkeys always send 0; one that falls back suggests a copied
 * authenticator (WebAuthn, section 7.2). Its answer is refused `passkey_invalid`, and the account holder is notified.
 */
async function advance(context: IdentityContext, passkey: Stored, counter: number, client: Client): Promise<void> {
  const { rowCount } = await context.pool.query(
    `update passkey set counter = $2, last_used_at = $3
      where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
    [passkey.id, counter, context.realNow()],
  )
  if (rowCount !== 1) await refuseCopied(context, passkey, client)
}

/** Notifies once an hour, since a copy can be tried any number of times. Refuses `passkey_invalid`. */
async function refuseCopied(context: IdentityContext, passkey: Stored, client: Client): Promise<never> {
  const { pool, realNow, log } = context
  const userId = passkey.user_id
  log.warn({ userId: String(userId), passkey: passkey.id }, 'a passkey counted backwards: refused')
  await transact(pool, async (tx) => {
    if (!(await grantMail(context, tx, { kind: 'passkey_copied', email: String(userId), most: 1 }))) return
    await alertChange(context, tx, { userId, change: 'passkey_copied', client, at: realNow() })
  })
  return refuse('passkey_invalid', { reason: 'passkey_counted_back' })
}

// Any holder of the authenticator can read it, so it must not identify the person.
const handled = (userId: bigint): string => `user handle ${userId}`

/** All handles that passkeys of this user may have been made with. */
const userHandlesOf = (seals: IdentityContext['seals'], userId: bigint): string[] =>
  seals.passkey.fingerprints(handled(userId)).map((handle) => handle.toString('base64url'))

const relyingPartyOf = ({ publicUrl }: IdentityContext) => {
  const { hostname: rpID, origin } = new URL(publicUrl)
  return { rpID, origin }
}

const registrationOf = ({ userId, sessionId }: Registering) =>
  ({ purpose: 'register', userId, subject: sessionId }) as const

export async function beginRegistration(
  context: IdentityContext,
  user: Registering & { email: string },
): Promise<CeremonyBegun> {
  const { generateRegistrationOptions } = await loadWebauthn()
  const options = await generateRegistrationOptions({
    rpName,
    rpID: relyingPartyOf(context).rpID,
    userName: user.email,
    userID: new Uint8Array(context.seals.passkey.fingerprint(handled(user.userId))),
    timeout,
    excludeCredentials: await credentialsOf(context.pool, user.userId),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  })
  const ceremony = await addCeremony(context, options.challenge, registrationOf(user))
  return { ceremony, options: { ...options } }
}

/** The new credential. Refuses `passkey_invalid`. */
export async function finishRegistration(
  context: IdentityContext,
  user: Registering,
  { ceremony, response }: CeremonyAnswer,
): Promise<NewCredential> {
  const { rpID, origin } = relyingPartyOf(context)
  const expectedChallenge = await takeCeremony(context, ceremony, registrationOf(user))
  const { verifyRegistrationResponse } = await loadWebauthn()
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
}

export async function beginAssertion(
  context: IdentityContext,
  of: AssertionOf,
  challenge = randomBytes(32),
): Promise<CeremonyBegun> {
  const { generateAuthenticationOptions } = await loadWebauthn()
  const options = await generateAuthenticationOptions({
    rpID: relyingPartyOf(context).rpID,
    challenge: new Uint8Array(challenge),
    timeout,
    userVerification: 'required',
    allowCredentials: of.userId === undefined ? [] : await credentialsOf(context.pool, of.userId),
  })
  return { ceremony: await addCeremony(context, options.challenge, of), options: { ...options } }
}

/** The passkey that answered, with user verification by the device. Refuses `passkey_invalid`. */
export async function finishAssertion(
  context: IdentityContext,
  of: AssertionOf,
  { ceremony, response }: CeremonyAnswer,
  client: Client,
): Promise<VerifiedCredentials> {
  const { rpID, origin } = relyingPartyOf(context)
  const expectedChallenge = await takeCeremony(context, ceremony, of)
  const passkey = await readAnswering(context, response, of.userId)
  const { verifyAuthenticationResponse } = await loadWebauthn()
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
  await advance(context, passkey, authenticationInfo.newCounter, client)
  return { userId: passkey.user_id, credentialsVersion: passkey.version }
}
