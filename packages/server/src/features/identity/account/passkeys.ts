import type { Passkey } from '@tern/contract/security'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { IdentityContext } from '../context.ts'
import { issueSession, type SignedIn } from '../sign-in/complete-sign-in.ts'
import { factorAct, factorAdded, factorRemoved, lockFactors } from './factors.ts'
import {
  beginRegistration,
  type CeremonyAnswer,
  type CeremonyBegun,
  finishAssertion,
  finishRegistration,
  type NewCredential,
} from '../factors/passkey-ceremonies.ts'
import { requireStepUp } from '../step-up/step-up.ts'
import type { Client } from '../sessions/sessions.ts'

// Passkeys: a sign-in method, a second factor and a step-up method.

interface Row {
  id: string
  name: string
  synced: boolean
  created_at: Date
  last_used_at: Date | null
}

const passkeyFrom = (row: Row): Passkey => ({
  ...row,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

const plainName = 'Passkey'
const mostTransports = 10

/** The user's passkeys, oldest first, or the one of this id. */
export async function readPasskeys(db: Db, userId: bigint, id?: string): Promise<Passkey[]> {
  const { rows } = await db.query<Row>(
    `select id, name, synced, created_at, last_used_at from passkey
      where user_id = $1 and ($2::uuid is null or id = $2) order by created_at`,
    [userId, id ?? null],
  )
  return rows.map(passkeyFrom)
}

const readPasskey = async (db: Db, userId: bigint, id: string): Promise<Passkey> =>
  (await readPasskeys(db, userId, id))[0] ?? refuse('not_found')

/** The id of the new row. Refuses `passkey_invalid` when the credential exists already. */
async function insert(
  tx: Tx,
  { userId, sessionId, name, made, at }: Caller & { name: string; made: NewCredential; at: Date },
): Promise<string> {
  const { credential, credentialBackedUp, credentialDeviceType } = made
  const id = newId(at)
  const row = {
    ...{ id, user_id: userId, session_id: sessionId, name, created_at: at },
    ...{ credential_id: credential.id, public_key: Buffer.from(credential.publicKey), counter: credential.counter },
    transports: knownTransports(credential.transports),
    synced: credentialBackedUp || credentialDeviceType === 'multiDevice',
  }
  const isNew = await insertRow(tx, 'passkey', row, 'on conflict (credential_id) do nothing')
  return isNew ? id : refuse('passkey_invalid')
}

/** Refuses `step_up_required`. */
export async function registrationOptions(
  context: IdentityContext,
  caller: Caller,
  confirmation: string | undefined,
): Promise<CeremonyBegun> {
  const { userId, sessionId } = caller
  await requireStepUp(context, caller, factorAct('add_passkey'), confirmation)
  const { rows } = await context.pool.query<{ email: string }>('select email from app_user where id = $1', [userId])
  const { email } = rows[0] ?? refuse('unauthenticated')
  return beginRegistration(context, { userId, email, sessionId })
}

/** The passkey, and recovery codes with the first factor, else null. Refuses `passkey_invalid`. */
export async function addPasskey(
  context: IdentityContext,
  caller: Caller,
  { name, ...answer }: CeremonyAnswer & { name?: string | undefined },
  client: Client,
): Promise<{ passkey: Passkey; recovery_codes: string[] | null }> {
  const { userId } = caller
  const made = await finishRegistration(context, caller, answer)
  return transact(context.pool, async (tx) => {
    await lockFactors(tx, userId)
    const id = await insert(tx, { ...caller, name: name || plainName, made, at: context.realNow() })
    const codes = await factorAdded(context, tx, { ...caller, change: 'passkey_added', client })
    return { passkey: await readPasskey(tx, userId, id), recovery_codes: codes }
  })
}

/** Refuses `not_found`. */
export async function renamePasskey({ pool }: IdentityContext, { userId }: Caller, id: string, name: string) {
  await pool.query('update passkey set name = $3 where id = $1 and user_id = $2', [id, userId, name])
  return readPasskey(pool, userId, id)
}

/** Refuses `not_found`, `step_up_required`. */
export async function removePasskey(
  context: IdentityContext,
  caller: Caller,
  { id, confirmation, client }: { id: string; confirmation: string | undefined; client: Client },
): Promise<void> {
  const { userId } = caller
  const { name } = await readPasskey(context.pool, userId, id)
  const { action, subject } = factorAct('remove_passkey')
  const act = { action, subject: { ...subject, passkey: name }, hidden: { passkey: id } }
  await requireStepUp(context, caller, act, confirmation)
  await transact(context.pool, async (tx) => {
    await lockFactors(tx, userId)
    const gone = await tx.query('delete from passkey where id = $1 and user_id = $2', [id, userId])
    if (gone.rowCount !== 1) refuse('not_found')
    await factorRemoved(context, tx, { ...caller, change: 'passkey_removed', client })
  })
}

/** Signs in anyone with a passkey for this site. Refuses `passkey_invalid`. */
export async function logInByPasskey(
  context: IdentityContext,
  answer: CeremonyAnswer,
  client: Client,
): Promise<SignedIn> {
  const confirmed = await finishAssertion(context, { purpose: 'sign_in' }, answer, client)
  const arrival = await issueSession(context, confirmed, 'passkey', client)
  if (arrival.status !== 'signed_in') throw new Error('a passkey is two factors, and a third was asked for')
  return arrival
}

/** The browser's hints for reaching the authenticator; only plain words are kept. */
const knownTransports = (told: unknown): string[] =>
  Array.isArray(told)
    ? told
        .filter((word): word is string => typeof word === 'string' && /^[a-z-]{1,20}$/.test(word))
        .slice(0, mostTransports)
    : []
