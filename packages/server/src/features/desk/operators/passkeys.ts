import type pg from 'pg'
import { type Db, transact } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import {
  type CeremonyAnswer,
  type StartedCeremony,
  ceremonyMs,
  createAssertionOptions,
  createRegistrationOptions,
  readCredentialId,
  readUserHandle,
  verifyAssertion,
  verifyRegistration,
} from '../../../platform/keys/webauthn.ts'
import type { DeskContext, Operator } from '../context.ts'
import { writeLine } from '../log.ts'
import { hashToken } from './operators.ts'
import { openSession } from './sessions.ts'
import type { DeskCeremonyRow, DeskEnrolmentRow, DeskOperatorRow, DeskPasskeyRow } from '../row-types.ts'

// Passkeys of operators, bound to the desk's own origin and separate from customers' passkeys. Each challenge is used
// once.

const relyingParty = ({ deskUrl }: DeskContext) => ({ name: 'Tern desk', url: deskUrl })

const userHandle = (operatorId: string): Buffer => Buffer.from(operatorId.replaceAll('-', ''), 'hex')

async function addCeremony(
  { realNow }: DeskContext,
  db: Db,
  { challenge, enrolment }: { readonly challenge: string; readonly enrolment: Buffer | null },
): Promise<string> {
  const at = realNow()
  const id = newId(at)
  const row = { id, challenge, enrolment_hash: enrolment, expires_at: new Date(at.getTime() + ceremonyMs) }
  await insertRow(db, 'desk_ceremony', row)
  return id
}

/** Deletes a valid challenge and returns it. Refuses `passkey_invalid`. */
async function consumeCeremony(
  { realNow }: DeskContext,
  db: Db,
  { id, enrolment }: { readonly id: string; readonly enrolment: Buffer | null },
): Promise<string> {
  const { rows } = await db.query<Pick<DeskCeremonyRow, 'challenge'>>(
    `delete from desk_ceremony where id = $1 and enrolment_hash is not distinct from $2 and expires_at > $3
      returning challenge`,
    [id, enrolment, realNow()],
  )
  return rows[0]?.challenge ?? refuse('passkey_invalid')
}

type Enrolment = Pick<DeskOperatorRow, 'name'> & Pick<DeskEnrolmentRow, 'replaces'> & { readonly operatorId: string }

/** Returns the operator of a valid link, by the hash of its token. Refuses `link_invalid`. */
async function readEnrolment(db: Db, hash: Buffer, at: Date): Promise<Enrolment> {
  const { rows } = await db.query<Enrolment>(
    `select operator_id as "operatorId", name, replaces from desk_enrolment e join desk_operator o on o.id = operator_id
      where hash = $1 and expires_at > $2 and disabled_at is null`,
    [hash, at],
  )
  return rows[0] ?? refuse('link_invalid')
}

/** Returns WebAuthn options to create a passkey. Refuses `link_invalid`. */
export async function beginEnrolment(
  context: DeskContext,
  db: Db,
  token: string,
): Promise<StartedCeremony & { name: string }> {
  const hash = hashToken(token)
  const { operatorId, name } = await readEnrolment(db, hash, context.realNow())
  const { rows } = await db.query<{ id: string; transports: string[] }>(
    'select credential_id as id, transports from desk_passkey where operator_id = $1',
    [operatorId],
  )
  const options = await createRegistrationOptions({
    party: relyingParty(context),
    userName: name,
    handle: userHandle(operatorId),
    excludes: rows,
    residentKey: 'required',
  })
  return {
    name,
    ceremony: await addCeremony(context, db, { challenge: options.challenge, enrolment: hash }),
    options: { ...options },
  }
}

/** Adds the passkey and deletes the link. Refuses `link_invalid`, `passkey_invalid`. */
export async function finishEnrolment(
  context: DeskContext,
  pool: pg.Pool,
  { token, ceremony, response }: CeremonyAnswer & { token: string },
): Promise<void> {
  const { realNow } = context
  const hash = hashToken(token)
  const expectedChallenge = await consumeCeremony(context, pool, { id: ceremony, enrolment: hash })
  const { credential } = await verifyRegistration({ party: relyingParty(context), response, expectedChallenge })
  await transact(pool, async (tx) => {
    const at = realNow()
    const { operatorId, name, replaces } = await readEnrolment(tx, hash, at)
    // Only one of several concurrent requests deletes the link.
    const { rowCount } = await tx.query('delete from desk_enrolment where hash = $1', [hash])
    if (rowCount === 0) refuse('link_invalid')
    if (replaces) {
      for (const table of ['desk_session', 'desk_passkey']) {
        await tx.query(`delete from ${table} where operator_id = $1`, [operatorId])
      }
    }
    const row = {
      id: newId(at),
      operator_id: operatorId,
      credential_id: credential.id,
      created_at: at,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
    }
    if (!(await insertRow(tx, 'desk_passkey', row, 'on conflict do nothing'))) refuse('passkey_invalid')
    await writeLine(tx, { id: operatorId, name }, { act: 'passkey_added', subject: operatorId }, at)
  })
}

/** Returns WebAuthn options to sign in. They list no credentials: the device offers its passkeys. */
export async function beginSignIn(context: DeskContext, db: Db): Promise<StartedCeremony> {
  const options = await createAssertionOptions({ party: relyingParty(context) })
  const ceremony = await addCeremony(context, db, { challenge: options.challenge, enrolment: null })
  return { ceremony, options: { ...options } }
}

type KnownPasskey = Pick<DeskPasskeyRow, 'id'> &
  Pick<DeskOperatorRow, 'name' | 'roles'> & {
    readonly operatorId: string
    readonly publicKey: Buffer
  }

/** Verifies the answer and opens a session for the operator of the passkey. Refuses `passkey_invalid`. */
export async function finishSignIn(
  context: DeskContext,
  pool: pg.Pool,
  { ceremony, response }: CeremonyAnswer,
): Promise<{ operator: Operator; token: string }> {
  const { realNow, log } = context
  const expectedChallenge = await consumeCeremony(context, pool, { id: ceremony, enrolment: null })
  const passkey = await requirePasskey(pool, response)
  const { publicKey } = passkey
  const counter = await verifyAssertion({ party: relyingParty(context), response, expectedChallenge, publicKey })
  return transact(pool, async (tx) => {
    const at = realNow()
    const { operatorId, name, roles } = passkey
    // Locks the operator, so that they cannot be disabled concurrently.
    const operatorResult = await tx.query('select from desk_operator where id = $1 and disabled_at is null for share', [
      operatorId,
    ])
    const { rowCount } = await tx.query(
      `update desk_passkey set counter = $2, last_used_at = $3 where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
      [passkey.id, counter, at],
    )
    if (rowCount === 0) {
      log.warn({ operatorId, passkey: passkey.id }, 'a passkey of the desk counted backwards: refused')
      refuse('passkey_invalid', { reason: 'passkey_counted_back' })
    }
    if (operatorResult.rowCount === 0) refuse('passkey_invalid')
    const token = await openSession(tx, operatorId, at)
    await writeLine(tx, { id: operatorId, name }, { act: 'signed_in' }, at)
    return { operator: { id: operatorId, name, roles, signedInAt: at }, token }
  })
}

/**
 * Returns the passkey with the answer's credential id. Refuses `passkey_invalid` unless its operator is enabled and
 * matches the user handle.
 */
async function requirePasskey(db: Db, response: CeremonyAnswer['response']): Promise<KnownPasskey> {
  const { rows } = await db.query<KnownPasskey>(
    `select p.id, o.id as "operatorId", name, roles, public_key as "publicKey"
       from desk_passkey p join desk_operator o on o.id = operator_id where credential_id = $1 and disabled_at is null`,
    [readCredentialId(response)],
  )
  const passkeyRow = rows[0] ?? refuse('passkey_invalid')
  return readUserHandle(response) === userHandle(passkeyRow.operatorId).toString('base64url')
    ? passkeyRow
    : refuse('passkey_invalid')
}
