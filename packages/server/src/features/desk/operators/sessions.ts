import { randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { DeskContext, Operator } from '../context.ts'
import { hashToken } from './operators.ts'

const lifetimeMs = 12 * 3_600_000
const idleMs = 30 * 60_000

interface Cookie {
  readonly name: string
  readonly options: CookieSerializeOptions
}

/** Returns the name and options of the desk's session cookie, which customers' sessions do not use. */
export function deskCookie({ deskUrl }: Pick<DeskContext, 'deskUrl'>): Cookie {
  const secure = deskUrl.startsWith('https:')
  return {
    name: secure ? '__Host-desk' : 'desk',
    options: { httpOnly: true, secure, sameSite: 'strict', path: '/' },
  }
}

/** Opens a session and returns its token; only the hash is stored. */
export async function openSession(tx: Tx, operatorId: string, at: Date): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const row = { hash: hashToken(token), operator_id: operatorId, created_at: at, used_at: at }
  await insertRow(tx, 'desk_session', row)
  return token
}

/**
 * Returns the operator of the request's session and marks the session as used unless the call is automatic. Refuses
 * `unauthenticated` without a session, after 12 hours, after 30 minutes without use, and for a disabled operator.
 */
export async function authenticateOperator(
  context: DeskContext,
  db: Db,
  { request, isAutomatic }: { readonly request: FastifyRequest; readonly isAutomatic: boolean },
): Promise<Operator> {
  const { realNow } = context
  const token = request.cookies[deskCookie(context).name]
  if (!token) return refuse('unauthenticated')
  const at = realNow()
  const { rows } = await db.query<Operator>(
    `update desk_session s set used_at = case when $5 then s.used_at else $2 end from desk_operator o
      where s.hash = $1 and o.id = s.operator_id and o.disabled_at is null and s.created_at > $3 and s.used_at > $4
      returning o.id, o.name, o.roles, s.created_at as "signedInAt"`,
    [hashToken(token), at, new Date(at.getTime() - lifetimeMs), new Date(at.getTime() - idleMs), isAutomatic],
  )
  return rows[0] ?? refuse('unauthenticated')
}

export function setSessionCookie(context: DeskContext, reply: FastifyReply, token: string): void {
  const { name, options } = deskCookie(context)
  void reply.setCookie(name, token, options)
}

export async function endSession(
  context: DeskContext,
  db: Db,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<void> {
  const { name, options } = deskCookie(context)
  const token = request.cookies[name]
  if (token) await db.query('delete from desk_session where hash = $1', [hashToken(token)])
  void reply.clearCookie(name, options)
}
