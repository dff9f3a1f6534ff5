import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { hashSecret, newSecret } from '../secrets.ts'
import { computeEarliestStart, computeSessionEnd, type SessionLimits } from './session-limits.ts'
import { revokeSession } from './sessions.ts'
import type { RefreshTokenRow, SessionRow } from '../row-types.ts'

/** Result of presenting a refresh token. */
export type Rotation =
  | { readonly status: 'rotated'; readonly sessionId: string; readonly userId: bigint; readonly token: string }
  /** A concurrent request with the same token was just answered. */
  | { readonly status: 'in_progress' }
  /** Unknown or expired token, or its session has ended. */
  | { readonly status: 'void' }
  /** Token that was already used, and so may be stolen. The session was ended. */
  | { readonly status: 'reused'; readonly sessionId: string; readonly userId: bigint }

// A repeat within this time was sent in parallel; the browser gets the cookie of the first reply.
const concurrencyWindowMs = 2000
// Time within which a request can be repeated after a lost reply, while the new token is unused.
const repeatMs = 30_000

/** Issues the first token of a new session. */
export async function issueRefreshToken(
  tx: Tx,
  { sessionId, at, limits }: { sessionId: string; at: Date; limits: SessionLimits },
): Promise<string> {
  const token = newSecret()
  await tx.query('insert into refresh_token (hash, session_id, created_at, expires_at) values ($1, $2, $3, $4)', [
    hashSecret(token),
    sessionId,
    at,
    computeSessionEnd(at, at, limits),
  ])
  return token
}

/** Returns the session of a refresh token, without using the token. */
export async function findRefreshTokenSession(db: Db, token: string): Promise<string | undefined> {
  const { rows } = await db.query<Pick<RefreshTokenRow, 'session_id'>>(
    'select session_id from refresh_token where hash = $1',
    [hashSecret(token)],
  )
  return rows[0]?.session_id
}

/**
 * Exchanges a token for a new one by a single conditional update, which only one of several parallel requests passes.
 * `at` is the time the request arrived.
 */
export async function rotateRefreshToken(
  pool: pg.Pool,
  { presentedToken, at, limits }: { presentedToken: string; at: Date; limits: SessionLimits },
): Promise<Rotation> {
  const token = newSecret()
  const { rows } = await pool.query<{ session_id: string; user_id: bigint }>(
    `with spent as (
       update refresh_token set used_at = $2, answered_at = $2, successor = $3
         from session
        where refresh_token.hash = $1 and used_at is null and expires_at > $2
          and session.id = refresh_token.session_id and session.revoked_at is null and session.created_at > $6
       returning session.id as session_id, session.user_id, session.created_at
     ), fresh as (
       insert into refresh_token (hash, session_id, created_at, expires_at)
       select $3, session_id, $2, least($4, created_at + make_interval(days => $5)) from spent
     ), touched as (
       update session set last_used_at = $2 from spent where session.id = spent.session_id
     ), swept as (
       delete from refresh_token using spent
        where refresh_token.session_id = spent.session_id and refresh_token.expires_at <= $2
     )
     select session_id, user_id from spent`,
    [
      hashSecret(presentedToken),
      at,
      hashSecret(token),
      computeSessionEnd(at, at, limits),
      limits.lifetimeDays,
      computeEarliestStart(at, limits),
    ],
  )
  const rotatedToken = rows[0]
  if (rotatedToken)
    return { status: 'rotated', sessionId: rotatedToken.session_id, userId: rotatedToken.user_id, token }
  return transact(pool, (tx) => handleSpentToken(tx, hashSecret(presentedToken), token, { at, limits }))
}

type SpentToken = Pick<RefreshTokenRow, 'session_id' | 'expires_at' | 'used_at' | 'answered_at' | 'successor'> &
  Pick<SessionRow, 'user_id' | 'revoked_at'> & { readonly began_at: Date }

/** Handles an unknown or used token: a parallel request, a repeated one, or theft. */
async function handleSpentToken(
  tx: Tx,
  hash: Buffer,
  token: string,
  { at, limits }: { at: Date; limits: SessionLimits },
): Promise<Rotation> {
  const { rows } = await tx.query<SpentToken>(
    `select session_id, user_id, session.created_at as began_at, revoked_at, expires_at, used_at, answered_at, successor
       from refresh_token join session on session.id = session_id
      where hash = $1 for update of refresh_token`,
    [hash],
  )
  const spentToken = rows[0]
  if (!spentToken || spentToken.revoked_at || spentToken.expires_at <= at || !spentToken.used_at)
    return { status: 'void' }
  const { session_id: sessionId, user_id: userId } = spentToken
  if (spentToken.began_at <= computeEarliestStart(at, limits)) return { status: 'void' }
  if (spentToken.answered_at && at.getTime() < spentToken.answered_at.getTime() + concurrencyWindowMs)
    return { status: 'in_progress' }
  if (
    at.getTime() <= spentToken.used_at.getTime() + repeatMs &&
    (await replaceUnusedToken(tx, spentToken.successor, at))
  ) {
    await tx.query(
      `with fresh as (insert into refresh_token (hash, session_id, created_at, expires_at) values ($2, $4, $3, $5))
       update refresh_token set answered_at = $3, successor = $2 where hash = $1`,
      [hash, hashSecret(token), at, sessionId, computeSessionEnd(at, spentToken.began_at, limits)],
    )
    return { status: 'rotated', sessionId, userId, token }
  }
  await revokeSession(tx, { sessionId, reason: 'refresh_token_reused', at })
  return { status: 'reused', sessionId, userId }
}

// Voids a new token whose reply was lost. If it is presented later, it was stolen. False if it was used before.
async function replaceUnusedToken(tx: Tx, successor: Buffer | null, at: Date): Promise<boolean> {
  if (!successor) return false
  const replaceResult = await tx.query('update refresh_token set used_at = $2 where hash = $1 and used_at is null', [
    successor,
    at,
  ])
  return replaceResult.rowCount === 1
}
