import type pg from 'pg'
import { type Db, transact } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import {
  type CeremonyAnswer,
  type StartedCeremony,
  ceremonyMs,
  createAssertionOptions,
  createRegistrationOptions,
  readCredentialId,
  type NewCredential,
  readUserHandle,
  verifyAssertion,
  verifyRegistration,
} from '../../../platform/keys/webauthn.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { grantMail } from '../mailed-links/mail-requests.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import type { Client } from '../sessions/sessions.ts'
import type { VerifiedCredentials } from '../sessions/verified-credentials.ts'
import type { PasskeyCeremonyRow, PasskeyRow } from '../row-types.ts'

// Passkey challenges: each valid once, for five minutes, for one purpose and, except at sign-in, for one user.

interface CeremonyScope {
  readonly purpose: 'sign_in' | 'second_factor' | 'step_up' | 'register'
  readonly userId?: bigint
  readonly subject?: string
}

/** Purpose of a challenge and the user who must answer. Without a user, any passkey may answer. */
export interface AssertionScope extends CeremonyScope {
  readonly purpose: 'sign_in' | 'second_factor' | 'step_up'
}

/** User and session that register a passkey. */
interface PasskeyOwner {
  readonly userId: bigint
  readonly sessionId: string
}

type StoredPasskey = Pick<PasskeyRow, 'id' | 'user_id' | 'public_key'> & { readonly version: bigint }

async function readCredentials(db: Db, userId: bigint): Promise<{ id: string; transports: string[] }[]> {
  const { rows } = await db.query<{ id: string; transports: string[] }>(
    'select credential_id as id, transports from passkey where user_id = $1 order by created_at',
    [userId],
  )
  return rows
}

async function addCeremony(
  { realNow }: Pick<IdentityContext, 'realNow'>,
  db: Db,
  { purpose, userId, subject, challenge }: CeremonyScope & { challenge: string },
): Promise<string> {
  const at = realNow()
  const id = newId(at)
  await db.query(
    `with swept as (delete from passkey_ceremony where expires_at < $6)
     insert into passkey_ceremony (id, purpose, challenge, user_id, subject, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, purpose, challenge, userId ?? null, subject ?? null, at, new Date(at.getTime() + ceremonyMs)],
  )
  return id
}

/** Deletes the ceremony and returns its challenge. Refuses `passkey_invalid`. */
async function consumeCeremony(
  { realNow }: Pick<IdentityContext, 'realNow'>,
  db: Db,
  { id, purpose, userId, subject }: CeremonyScope & { id: string },
): Promise<string> {
  const { rows } = await db.query<Pick<PasskeyCeremonyRow, 'challenge'>>(
    `delete from passkey_ceremony where id = $1 and purpose = $2 and user_id is not distinct from $3
        and subject is not distinct from $4 and expires_at > $5 returning challenge`,
    [id, purpose, userId ?? null, subject ?? null, realNow()],
  )
  return rows[0]?.challenge ?? refuse('passkey_invalid')
}

/** Returns the passkey of an answer. It must belong to `userId`, or without one to the user of the answer's handle. */
async function requireAnsweringPasskey(
  { seals }: Pick<IdentityContext, 'seals'>,
  db: Db,
  { response, userId }: { response: CeremonyAnswer['response']; userId: bigint | undefined },
): Promise<StoredPasskey> {
  const { rows } = await db.query<StoredPasskey>(
    `select passkey.id, user_id, public_key, credentials_version as version
       from passkey join app_user on app_user.id = user_id where credential_id = $1`,
    [readCredentialId(response)],
  )
  const storedPasskey = rows[0] ?? refuse('passkey_invalid')
  if (userId !== undefined && storedPasskey.user_id !== userId) refuse('passkey_invalid')
  const handle = readUserHandle(response)
  const isOfOtherUser =
    handle === undefined ? userId === undefined : !listUserHandles(seals, storedPasskey.user_id).includes(handle)
  return isOfOtherUser ? refuse('passkey_invalid') : storedPasskey
}

/**
 * Stores an answer's signature counter. Synced passkeys always send 0; any other counter must increase, or the
 * authenticator may have been copied (WebAuthn, section 7.2). Otherwise refuses `passkey_invalid` and notifies the
 * account holder.
 */
async function updateCounter(
  ctx: IdentityContext,
  pool: pg.Pool,
  { passkey, counter, client }: { passkey: StoredPasskey; counter: number; client: Client },
): Promise<void> {
  const { rowCount } = await pool.query(
    `update passkey set counter = $2, last_used_at = $3
      where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
    [passkey.id, counter, ctx.realNow()],
  )
  if (rowCount !== 1) await refuseCopiedPasskey(ctx, pool, { passkey, client })
}

/** Refuses `passkey_invalid` and notifies the account holder, at most once an hour. */
async function refuseCopiedPasskey(
  ctx: IdentityContext,
  pool: pg.Pool,
  { passkey, client }: { passkey: StoredPasskey; client: Client },
): Promise<never> {
  const userId = passkey.user_id
  ctx.log.warn({ userId: String(userId), passkey: passkey.id }, 'a passkey counted backwards: refused')
  await transact(pool, async (tx) => {
    if (!(await grantMail(ctx, tx, { kind: 'passkey_copied', email: String(userId), max: 1 }))) return
    await alertChange(ctx, tx, { userId, change: 'passkey_copied', client, at: ctx.realNow() })
  })
  return refuse('passkey_invalid', { reason: 'passkey_counted_back' })
}

// The handle must not identify the person, because any holder of the authenticator can read it.
const userHandleText = (userId: bigint): string => `user handle ${userId}`

/** User handles under every secret of the key ring, since passkeys outlive a change of the secret. */
const listUserHandles = (seals: IdentityContext['seals'], userId: bigint): string[] =>
  seals.passkey.fingerprints(userHandleText(userId)).map((handle) => handle.toString('base64url'))

const relyingParty = ({ publicUrl }: IdentityContext) => ({ name: 'Tern', url: publicUrl })

const registrationBinding = ({ userId, sessionId }: PasskeyOwner) =>
  ({ purpose: 'register', userId, subject: sessionId }) as const

export async function beginRegistration(
  ctx: IdentityContext,
  db: Db,
  user: PasskeyOwner & { email: string },
): Promise<StartedCeremony> {
  const options = await createRegistrationOptions({
    party: relyingParty(ctx),
    userName: user.email,
    handle: ctx.seals.passkey.fingerprint(userHandleText(user.userId)),
    excludes: await readCredentials(db, user.userId),
    residentKey: 'preferred',
  })
  const ceremony = await addCeremony(ctx, db, { ...registrationBinding(user), challenge: options.challenge })
  return { ceremony, options: { ...options } }
}

/** Verifies a registration and returns the new credential. Refuses `passkey_invalid`. */
export async function finishRegistration(
  ctx: IdentityContext,
  db: Db,
  { user, ceremony, response }: CeremonyAnswer & { user: PasskeyOwner },
): Promise<NewCredential> {
  const expectedChallenge = await consumeCeremony(ctx, db, { ...registrationBinding(user), id: ceremony })
  return verifyRegistration({ party: relyingParty(ctx), response, expectedChallenge })
}

export async function beginAssertion(
  ctx: IdentityContext,
  db: Db,
  { scope, challenge }: { scope: AssertionScope; challenge?: Buffer },
): Promise<StartedCeremony> {
  const allowedCredentials = scope.userId === undefined ? [] : await readCredentials(db, scope.userId)
  const options = await createAssertionOptions({ party: relyingParty(ctx), allows: allowedCredentials, challenge })
  const ceremony = await addCeremony(ctx, db, { ...scope, challenge: options.challenge })
  return { ceremony, options: { ...options } }
}

/**
 * Verifies an answer and returns the user of its passkey. The device must have verified the user. Refuses
 * `passkey_invalid`.
 */
export async function finishAssertion(
  ctx: IdentityContext,
  pool: pg.Pool,
  { scope, ceremony, response, client }: CeremonyAnswer & { scope: AssertionScope; client: Client },
): Promise<VerifiedCredentials> {
  const expectedChallenge = await consumeCeremony(ctx, pool, { ...scope, id: ceremony })
  const passkey = await requireAnsweringPasskey(ctx, pool, { response, userId: scope.userId })
  const publicKey = passkey.public_key
  const counter = await verifyAssertion({ party: relyingParty(ctx), response, expectedChallenge, publicKey })
  await updateCounter(ctx, pool, { passkey, counter, client })
  return { userId: passkey.user_id, credentialsVersion: passkey.version }
}
