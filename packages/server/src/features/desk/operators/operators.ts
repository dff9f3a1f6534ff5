import { createHash, randomBytes } from 'node:crypto'
import type { Operator as OperatorView } from '@tern/contract/desk/operators'
import type { DeskRole } from '@tern/contract/desk/roles'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DeskContext } from '../context.ts'
import { type Actor, writeLine } from '../log.ts'
import { OperatorAccountError, lockByName } from './lock-operator.ts'
import { linkOwnAccount } from './own-accounts.ts'
import type { DeskOperatorRow } from '../row-types.ts'

// Operators of the desk. Only server commands add them.

const linkMinutes = 15

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

interface NewOperator {
  readonly name: string
  readonly roles: readonly DeskRole[]
  /** User numbers, usernames or emails of the operator's own customer accounts. */
  readonly accounts: readonly string[]
  readonly actor: Actor
}

/**
 * Adds an operator with links to their own customer accounts, and returns the link for their first passkey. The log
 * states if they have no account. Throws OperatorAccountError for a name in use or an unknown account.
 */
export function addOperator(
  context: DeskContext,
  pool: pg.Pool,
  { name, roles, accounts, actor }: NewOperator,
): Promise<string> {
  return transact(pool, async (tx) => {
    const at = context.realNow()
    const id = newId(at)
    const row = { id, name, roles: [...new Set(roles)], created_at: at }
    if (!(await insertRow(tx, 'desk_operator', row, 'on conflict do nothing'))) {
      throw new OperatorAccountError(`There is already an operator called ${name}.`)
    }
    const link = await createEnrolmentLink(context, tx, { operatorId: id, replaces: false, at })
    await writeLine(tx, actor, { act: 'operator_added', subject: id, after: roles.join(' ') }, at)
    for (const identifier of accounts) await linkOwnAccount(tx, { operatorId: id, identifier, actor, at })
    if (accounts.length === 0) await writeLine(tx, actor, { act: 'no_account_stated', subject: id }, at)
    return link
  })
}

/**
 * Returns a single-use link for another passkey and voids earlier links. With `replaces`, that passkey replaces all
 * others and ends the operator's sessions. Throws OperatorAccountError for an unknown or disabled name.
 */
export function linkOperator(
  context: DeskContext,
  pool: pg.Pool,
  { name, replaces, actor }: { name: string; replaces: boolean; actor: Actor },
): Promise<string> {
  return transact(pool, async (tx) => {
    const at = context.realNow()
    const { id } = await lockByName(tx, name)
    const link = await createEnrolmentLink(context, tx, { operatorId: id, replaces, at })
    await writeLine(tx, actor, { act: 'link_made', subject: id }, at)
    return link
  })
}

async function createEnrolmentLink(
  { deskUrl }: DeskContext,
  tx: Tx,
  { operatorId, replaces, at }: { readonly operatorId: string; readonly replaces: boolean; readonly at: Date },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await tx.query('delete from desk_enrolment where operator_id = $1', [operatorId])
  await insertRow(tx, 'desk_enrolment', {
    hash: hashToken(token),
    operator_id: operatorId,
    replaces,
    expires_at: new Date(at.getTime() + linkMinutes * 60_000),
  })
  // In the fragment, which browsers do not send to servers.
  return `${deskUrl}/desk/enroll#${token}`
}

/**
 * Returns whether this is the only enabled lead. Locks all leads, so that two cannot disable each other concurrently.
 */
async function isLastLead(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await tx.query<Pick<DeskOperatorRow, 'id'>>(
    `select id from desk_operator where disabled_at is null and 'lead' = any(roles) order by id for update`,
  )
  return rows.length === 1 && rows[0]?.id === id
}

/**
 * Changes an operator's roles. Throws OperatorAccountError for an unknown or disabled name; refuses `desk_last_lead`.
 */
export function changeRoles(
  context: DeskContext,
  pool: pg.Pool,
  { name, roles, actor }: { name: string; roles: readonly DeskRole[]; actor: Actor },
): Promise<void> {
  return transact(pool, async (tx) => {
    const { id, roles: previousRoles } = await lockByName(tx, name)
    if (!roles.includes('lead') && (await isLastLead(tx, id))) refuse('desk_last_lead')
    await tx.query('update desk_operator set roles = $2 where id = $1', [id, [...new Set(roles)]])
    const line = { act: 'roles_changed', subject: id, before: previousRoles.join(' '), after: roles.join(' ') } as const
    await writeLine(tx, actor, line, context.realNow())
  })
}

/**
 * Disables an operator permanently. Throws OperatorAccountError for an unknown or disabled name; refuses
 * `desk_last_lead`.
 */
export function disableByName(
  context: DeskContext,
  pool: pg.Pool,
  { name, reason, actor }: { name: string; reason: string; actor: Actor },
): Promise<void> {
  return transact(pool, async (tx) => disableRow(context, tx, { id: (await lockByName(tx, name)).id, reason, actor }))
}

interface DisablingRequest {
  readonly id: string
  readonly reason: string
  readonly actor: Actor
}

/** Disables an operator permanently. Refuses `not_found`, `desk_last_lead`. */
export function disableOperator(
  context: DeskContext,
  pool: pg.Pool,
  { id, reason, actor }: DisablingRequest,
): Promise<void> {
  return transact(pool, async (tx) => {
    const operatorRows = await tx.query('select from desk_operator where id = $1 and disabled_at is null', [id])
    if (operatorRows.rowCount === 0) refuse('not_found')
    await disableRow(context, tx, { id, reason, actor })
  })
}

async function disableRow({ realNow }: DeskContext, tx: Tx, { id, reason, actor }: DisablingRequest): Promise<void> {
  if (await isLastLead(tx, id)) refuse('desk_last_lead')
  const at = realNow()
  const { rowCount } = await tx.query(
    'update desk_operator set disabled_at = $2 where id = $1 and disabled_at is null',
    [id, at],
  )
  if (rowCount === 0) refuse('not_found')
  for (const table of ['desk_session', 'desk_enrolment', 'desk_passkey']) {
    await tx.query(`delete from ${table} where operator_id = $1`, [id])
  }
  await tx.query('update desk_item set claimed_by = null where claimed_by = $1', [id])
  await writeLine(tx, actor, { act: 'operator_disabled', subject: id, reason }, at)
}

/** Returns all operators, disabled ones included, oldest first. */
export async function listOperators(db: Db): Promise<OperatorView[]> {
  const { rows } = await db.query<DeskOperatorRow & { passkeys: bigint; last_used_at: Date | null }>(
    `select o.*, count(p.id) as passkeys, max(p.last_used_at) as last_used_at
       from desk_operator o left join desk_passkey p on p.operator_id = o.id group by o.id order by o.created_at, o.id`,
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    roles: [...row.roles],
    created_at: row.created_at.toISOString(),
    disabled_at: row.disabled_at?.toISOString() ?? null,
    passkeys: Number(row.passkeys), // not money: a count
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }))
}

/** Returns an enabled operator by name. Refuses `not_found`. */
export async function findOperator(
  db: Db,
  name: string,
): Promise<{ id: string; name: string; roles: readonly DeskRole[] }> {
  const { rows } = await db.query<DeskOperatorRow>(
    'select * from desk_operator where lower(name) = lower($1) and disabled_at is null',
    [name],
  )
  return rows[0] ?? refuse('not_found')
}
