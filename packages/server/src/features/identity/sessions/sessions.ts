import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { UserAndTime } from '../context.ts'
import { newId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { findCountry } from './geoip.ts'
import { bumpCredentialsVersion } from './verified-credentials.ts'
import { notifyUserChanged, sessionChannel, sessionNotice } from './live-sessions.ts'
import type { SessionRow } from '../row-types.ts'

export interface Client {
  readonly userAgent: string
  readonly address: string
  /** SHA-256 of the browser cookie; undefined without one. */
  readonly browser?: Buffer | undefined
}

const longestUserAgent = 300

/** Identifies a device by its cookie, else by its user agent. */
export const identifyDevice = ({ browser, userAgent }: Client): Buffer =>
  browser ?? createHash('sha256').update(`agent ${userAgent}`).digest()

export async function openSession(
  tx: Tx,
  { userId, signInMethod, client, at }: UserAndTime & { signInMethod: string; client: Client },
): Promise<string> {
  const id = newId(at)
  await tx.query(
    `insert into session (id, user_id, created_at, last_used_at, user_agent, address_prefix, sign_in_method, device, country)
     values ($1, $2, $3, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      userId,
      at,
      client.userAgent.slice(0, longestUserAgent),
      addressPrefix(client.address),
      signInMethod,
      identifyDevice(client),
      findCountry(client.address) ?? null,
    ],
  )
  return id
}

export type RevokedReason =
  | 'account_deleted'
  | 'address_verified_by_another'
  | 'deletion_begun'
  | 'ended_by_operator'
  | 'ended_by_owner'
  | 'logged_out'
  | 'password_changed'
  | 'password_reset'
  | 'refresh_token_reused'
  | 'reported_unrecognized'
  | 'too_many_sessions'
  | 'unrecognized'

/** Ends a session and notifies every process on commit. */
export async function revokeSession(
  tx: Tx,
  { sessionId, reason, at }: { sessionId: string; reason: RevokedReason; at: Date },
): Promise<void> {
  await tx.query('update session set revoked_at = $2, revoked_reason = $3 where id = $1 and revoked_at is null', [
    sessionId,
    at,
    reason,
  ])
  await tx.query('select pg_notify($1, $2)', [sessionChannel, sessionNotice(sessionId)])
}

/**
 * Marks a session as reported by its user, also if it ended before. Its browser and place no longer count as familiar.
 * The caller ends the user's sessions in the same transaction, which notifies every process.
 */
export async function markUnrecognized(
  tx: Tx,
  { userId, sessionId, at }: UserAndTime & { sessionId: string },
): Promise<void> {
  const reason: RevokedReason = 'unrecognized'
  await tx.query(
    `update session set revoked_at = coalesce(revoked_at, $3), revoked_reason = $4 where id = $2 and user_id = $1`,
    [userId, sessionId, at, reason],
  )
}

/** Ends a user's sessions except `exceptSessionId`, and voids pending sign-ins. Notifies every process on commit. */
export async function revokeUserSessions(
  tx: Tx,
  { userId, reason, at, exceptSessionId }: UserAndTime & { reason: RevokedReason; exceptSessionId?: string },
): Promise<void> {
  await bumpCredentialsVersion(tx, userId)
  await tx.query(
    `update session set revoked_at = $2, revoked_reason = $3
      where user_id = $1 and revoked_at is null and id is distinct from $4::uuid`,
    [userId, at, reason, exceptSessionId ?? null],
  )
  await notifyUserChanged(tx, userId)
}

/**
 * Ends a user's least recently used sessions beyond `max`, but never `sessionId`. Returns the ids of the ended ones.
 * Serializes concurrent sign-ins of a user.
 */
export async function endSurplusSessions(
  tx: Tx,
  { userId, sessionId, at, max }: UserAndTime & { sessionId: string; max: number },
): Promise<string[]> {
  await tx.query('select from app_user where id = $1 for no key update', [userId])
  const { rows } = await tx.query<Pick<SessionRow, 'id'>>(
    `select id from session
      where user_id = $1 and id <> $2 and revoked_at is null
        and exists (select from refresh_token
                     where session_id = session.id and used_at is null and expires_at > $3)
      order by last_used_at desc, id desc offset $4`,
    [userId, sessionId, at, max - 1],
  )
  for (const { id } of rows) await revokeSession(tx, { sessionId: id, reason: 'too_many_sessions', at })
  return rows.map(({ id }) => id)
}

/** Returns the network of an address: the first 24 bits of IPv4, 48 of IPv6. Empty for other texts. */
export function addressPrefix(address: string): string {
  const v4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i.exec(address)
  if (v4) return `${v4[1]}.0/24`
  if (!isIPv6(address)) return ''
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? []
  const headGroups = head === '' ? [] : head.split(':')
  const tailGroups = tail === '' ? [] : tail.split(':')
  const isShortened = address.includes('::')
  const zeros = isShortened ? Array<string>(Math.max(0, 8 - headGroups.length - tailGroups.length)).fill('0') : []
  const groups = [...headGroups, ...zeros, ...tailGroups]
    .slice(0, 3)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
  return `${groups.join(':')}::/48`
}
