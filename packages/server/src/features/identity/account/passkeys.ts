import type { Passkey } from '@tern/contract/security'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import type { CeremonyAnswer, StartedCeremony, NewCredential } from '../../../platform/keys/webauthn.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { ConfirmedCaller, ClientInput, IdentityContext } from '../context.ts'
import { issueSession, type SignedIn } from '../sign-in/complete-sign-in.ts'
import { factorAction, completeFactorAddition, completeFactorRemoval, lockFactors } from './factors.ts'
import { beginRegistration, finishAssertion, finishRegistration } from '../factors/passkey-ceremonies.ts'
import { requireStepUp } from '../step-up/step-up.ts'
import type { Client } from '../sessions/sessions.ts'
import type { AppUserRow, PasskeyRow } from '../row-types.ts'

// Passkeys, for sign-in, as a second factor and for step-up.

type PasskeyFields = Pick<PasskeyRow, 'id' | 'name' | 'synced' | 'created_at' | 'last_used_at'>

const toPasskey = (row: PasskeyFields): Passkey => ({
  ...row,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

const defaultName = 'Passkey'
const maxTransports = 10

/** Returns the user's passkeys, oldest first; with `id`, at most that one. */
export async function readPasskeys(db: Db, userId: bigint, id?: string): Promise<Passkey[]> {
  const { rows } = await db.query<PasskeyFields>(
    `select id, name, synced, created_at, last_used_at from passkey
      where user_id = $1 and ($2::uuid is null or id = $2) order by created_at`,
    [userId, id ?? null],
  )
  return rows.map(toPasskey)
}

const readPasskey = async (db: Db, userId: bigint, id: string): Promise<Passkey> =>
  (await readPasskeys(db, userId, id))[0] ?? refuse('not_found')

/** Inserts a passkey and returns its id. Refuses `passkey_invalid` if the credential exists already. */
async function insertPasskey(
  tx: Tx,
  { userId, sessionId, name, newCredential, at }: Caller & { name: string; newCredential: NewCredential; at: Date },
): Promise<string> {
  const { credential, credentialBackedUp, credentialDeviceType } = newCredential
  const id = newId(at)
  const row = {
    ...{ id, user_id: userId, session_id: sessionId, name, created_at: at },
    ...{ credential_id: credential.id, public_key: Buffer.from(credential.publicKey), counter: credential.counter },
    transports: filterTransports(credential.transports),
    synced: credentialBackedUp || credentialDeviceType === 'multiDevice',
  }
  const isNew = await insertRow(tx, 'passkey', row, 'on conflict (credential_id) do nothing')
  return isNew ? id : refuse('passkey_invalid')
}

/** Begins registering a passkey. Refuses `step_up_required`. */
export async function registrationOptions(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, confirmation }: ConfirmedCaller,
): Promise<StartedCeremony> {
  const { userId, sessionId } = caller
  await requireStepUp(ctx, pool, { caller, act: factorAction('add_passkey'), confirmation })
  const { rows } = await pool.query<Pick<AppUserRow, 'email'>>('select email from app_user where id = $1', [userId])
  const { email } = rows[0] ?? refuse('unauthenticated')
  return beginRegistration(ctx, pool, { userId, email, sessionId })
}

/** Adds a passkey. Returns recovery codes with the first factor, else null. Refuses `passkey_invalid`. */
export async function addPasskey(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, name, client, ...answer }: CeremonyAnswer & { caller: Caller; name?: string | undefined; client: Client },
): Promise<{ passkey: Passkey; recovery_codes: string[] | null }> {
  const { userId } = caller
  const newCredential = await finishRegistration(ctx, pool, { ...answer, user: caller })
  return transact(pool, async (tx) => {
    await lockFactors(tx, userId)
    const id = await insertPasskey(tx, { ...caller, name: name || defaultName, newCredential, at: ctx.realNow() })
    const codes = await completeFactorAddition(ctx, tx, { ...caller, change: 'passkey_added', client })
    return { passkey: await readPasskey(tx, userId, id), recovery_codes: codes }
  })
}

export async function renamePasskey(db: Db, { userId, id, name }: { userId: bigint; id: string; name: string }) {
  await db.query('update passkey set name = $3 where id = $1 and user_id = $2', [id, userId, name])
  return readPasskey(db, userId, id)
}

/** Removes a passkey. Refuses `not_found`, `step_up_required`. */
export async function removePasskey(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, id, confirmation, client }: ConfirmedCaller & ClientInput & { id: string },
): Promise<void> {
  const { userId } = caller
  const { name } = await readPasskey(pool, userId, id)
  const { action, subject } = factorAction('remove_passkey')
  const act = { action, subject: { ...subject, passkey: name }, hidden: { passkey: id } }
  await requireStepUp(ctx, pool, { caller, act, confirmation })
  await transact(pool, async (tx) => {
    await lockFactors(tx, userId)
    const deletion = await tx.query('delete from passkey where id = $1 and user_id = $2', [id, userId])
    if (deletion.rowCount !== 1) refuse('not_found')
    await completeFactorRemoval(ctx, tx, { ...caller, change: 'passkey_removed', client })
  })
}

/** Signs in by passkey alone. Refuses `passkey_invalid`. */
export async function logInByPasskey(
  ctx: IdentityContext,
  pool: pg.Pool,
  { client, ...answer }: CeremonyAnswer & { client: Client },
): Promise<SignedIn> {
  const credentials = await finishAssertion(ctx, pool, { ...answer, scope: { purpose: 'sign_in' }, client })
  const outcome = await issueSession(ctx, pool, { credentials, signInMethod: 'passkey', client })
  if (outcome.status !== 'signed_in') throw new Error('a passkey is two factors, and a third was asked for')
  return outcome
}

/** Keeps the well-formed transport hints of a browser. */
const filterTransports = (transports: unknown): string[] =>
  Array.isArray(transports)
    ? transports
        .filter((word): word is string => typeof word === 'string' && /^[a-z-]{1,20}$/.test(word))
        .slice(0, maxTransports)
    : []
