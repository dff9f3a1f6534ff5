import type { Passkey } from '@tern/contract/security'
import type pg from 'pg'
import { type Queryable, transact } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { SignInCompletion, SignedIn } from '../sign-in/complete-sign-in.ts'
import { factorAct, type Factors, lockFactors } from './factors.ts'
import type { CeremonyAnswer, CeremonyBegun, NewCredential, PasskeyCeremonies } from './passkey-ceremonies.ts'
import type { StepUp } from '../step-up/step-up.ts'
import type { Client } from '../sessions/sessions.ts'

export interface AddedPasskey {
  readonly passkey: Passkey
  /** With the first factor; null when the account already has codes. */
  readonly recoveryCodes: string[] | null
}

/** Passkeys: a sign-in method, a second factor and a step-up method. */
export interface Passkeys {
  /** Refuses `step_up_required`. */
  registrationOptions(caller: Caller, confirmation: string | undefined): Promise<CeremonyBegun>
  /** Refuses `passkey_invalid`. */
  add(caller: Caller, answer: CeremonyAnswer & { name?: string | undefined }, client: Client): Promise<AddedPasskey>
  /** Refuses `not_found`. */
  rename(caller: Caller, id: string, name: string): Promise<Passkey>
  /** Refuses `not_found`, `step_up_required`. */
  remove(caller: Caller, id: string, confirmation: string | undefined, client: Client): Promise<void>
  signInOptions(): Promise<CeremonyBegun>
  /** Signs in anyone with a passkey for this site. Refuses `passkey_invalid`. */
  logIn(answer: CeremonyAnswer, client: Client): Promise<SignedIn>
}

export interface PasskeyParts {
  readonly pool: pg.Pool
  readonly ceremonies: PasskeyCeremonies
  readonly stepUp: Pick<StepUp, 'require'>
  readonly factors: Pick<Factors, 'added' | 'removed'>
  readonly signInCompletion: SignInCompletion
  readonly realNow: () => Date
}

interface Row {
  id: string
  name: string
  synced: boolean
  created_at: Date
  last_used_at: Date | null
}

const columns = 'id, name, synced, created_at, last_used_at'
const plainName = 'Passkey'
const mostTransports = 10

const passkeyFrom = (row: Row): Passkey => ({
  id: row.id,
  name: row.name,
  synced: row.synced,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
})

/** The new row, or undefined when the credential exists already. */
async function insert(
  db: Queryable,
  {
    userId,
    sessionId,
    name,
    made,
    at,
  }: { userId: bigint; sessionId: string; name: string; made: NewCredential; at: Date },
): Promise<Row | undefined> {
  const { credential, credentialBackedUp, credentialDeviceType } = made
  const { rows } = await db.query<Row>(
    `insert into passkey (id, user_id, credential_id, public_key, counter, transports, name, synced, created_at,
                          session_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (credential_id) do nothing returning ${columns}`,
    [
      newId(at),
      userId,
      credential.id,
      Buffer.from(credential.publicKey),
      credential.counter,
      knownTransports(credential.transports),
      name,
      credentialBackedUp || credentialDeviceType === 'multiDevice',
      at,
      sessionId,
    ],
  )
  return rows[0]
}

export function createPasskeys(parts: PasskeyParts): Passkeys {
  const { pool, ceremonies, stepUp, factors, signInCompletion, realNow } = parts

  async function add(
    { userId, sessionId }: Caller,
    { name, ...answer }: CeremonyAnswer & { name?: string | undefined },
    client: Client,
  ): Promise<AddedPasskey> {
    const made = await ceremonies.finishRegistration({ id: userId, sessionId }, answer)
    return transact(pool, async (tx) => {
      await lockFactors(tx, userId)
      const fresh = { userId, sessionId, name: name || plainName, made, at: realNow() }
      const row = (await insert(tx, fresh)) ?? refuse('passkey_invalid')
      const recoveryCodes = await factors.added(tx, { userId, sessionId, change: 'passkey_added', client })
      return { passkey: passkeyFrom(row), recoveryCodes }
    })
  }

  async function remove(caller: Caller, id: string, confirmation: string | undefined, client: Client): Promise<void> {
    const { userId } = caller
    const { rows } = await pool.query<Row>(`select ${columns} from passkey where id = $1 and user_id = $2`, [
      id,
      userId,
    ])
    const { name } = rows[0] ?? refuse('not_found')
    const act = factorAct('remove_passkey')
    await stepUp.require(
      caller,
      { ...act, subject: { ...act.subject, passkey: name }, hidden: { passkey: id } },
      confirmation,
    )
    await transact(pool, async (tx) => {
      await lockFactors(tx, userId)
      const gone = await tx.query('delete from passkey where id = $1 and user_id = $2', [id, userId])
      if (gone.rowCount !== 1) refuse('not_found')
      await factors.removed(tx, { ...caller, change: 'passkey_removed', client })
    })
  }

  return {
    async registrationOptions(caller, confirmation) {
      const { userId, sessionId } = caller
      await stepUp.require(caller, factorAct('add_passkey'), confirmation)
      const { rows } = await pool.query<{ email: string }>('select email from app_user where id = $1', [userId])
      const { email } = rows[0] ?? refuse('unauthenticated')
      return ceremonies.beginRegistration({ id: userId, email, sessionId })
    },
    add,
    async rename({ userId }, id, name) {
      const { rows } = await pool.query<Row>(
        `update passkey set name = $3 where id = $1 and user_id = $2 returning ${columns}`,
        [id, userId, name],
      )
      return rows[0] ? passkeyFrom(rows[0]) : refuse('not_found')
    },
    remove,
    signInOptions: () => ceremonies.beginAssertion({ purpose: 'sign_in' }),
    async logIn(answer, client) {
      const confirmed = await ceremonies.finishAssertion({ purpose: 'sign_in' }, answer)
      const arrival = await signInCompletion.issueSession(confirmed, 'passkey', client)
      if (arrival.status !== 'signed_in') throw new Error('a passkey is two factors, and a third was asked for')
      return arrival
    },
  }
}

/** The browser's hints for reaching the authenticator; only plain words are kept. */
const knownTransports = (told: unknown): string[] =>
  Array.isArray(told)
    ? told
        .filter((word): word is string => typeof word === 'string' && /^[a-z-]{1,20}$/.test(word))
        .slice(0, mostTransports)
    : []
