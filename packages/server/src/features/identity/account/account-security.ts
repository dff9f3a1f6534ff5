import type { DeviceSession, securityOverview } from '@tern/contract/security'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type pg from 'pg'
import { type Db, onlyRow, transact } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import { confirmedSubject } from '../../../platform/subjects.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { ConfirmedCaller, IdentityContext } from '../context.ts'
import { readPasskeys } from './passkeys.ts'
import { deviceName } from '../sessions/devices.ts'
import { revokeOtherAccess } from '../users/account-changes.ts'
import { computeEarliestStart } from '../sessions/session-limits.ts'
import { revokeSession } from '../sessions/sessions.ts'
import { requireStepUp } from '../step-up/step-up.ts'
import type { ExternalIdentityRow, SessionRow } from '../row-types.ts'

type SecurityOverview = Reply<typeof securityOverview>

export async function readOverview(db: Db, userId: bigint): Promise<SecurityOverview> {
  const { rows } = await db.query<Omit<SecurityOverview, 'passkeys' | 'external'>>(
    `select password_hash is not null as has_password, pending_email,
            exists (select from totp where user_id = app_user.id and confirmed_at is not null) as totp,
            (select count(*)::int from recovery_code
              where user_id = app_user.id and used_at is null) as recovery_codes_left
       from app_user where id = $1`,
    [userId],
  )
  const external = await db.query<Pick<ExternalIdentityRow, 'provider' | 'email' | 'linked_at'>>(
    'select provider, email, linked_at from external_identity where user_id = $1 order by linked_at',
    [userId],
  )
  return {
    ...onlyRow(rows),
    passkeys: await readPasskeys(db, userId),
    external: external.rows.map(({ provider, email, linked_at: at }) => ({
      provider,
      email,
      linked_at: at.toISOString(),
    })),
  }
}

type UsableSession = Pick<SessionRow, 'id' | 'user_agent' | 'country' | 'created_at' | 'last_used_at'> &
  Pick<DeviceSession, 'network'>

/**
 * Returns live sessions: the caller's first, then the most recently used. Omits sessions past their lifetime, and other
 * sessions without a valid refresh token.
 */
export async function readSessions(
  { realNow, sessionLimits }: Pick<IdentityContext, 'realNow' | 'sessionLimits'>,
  db: Db,
  { userId, sessionId }: Caller,
): Promise<DeviceSession[]> {
  const at = realNow()
  const { rows } = await db.query<UsableSession>(
    `select id, user_agent, country, address_prefix as network, created_at, last_used_at from session
      where user_id = $1 and revoked_at is null and created_at > $4
        and (id = $2 or exists (select from refresh_token
                                 where session_id = session.id and used_at is null and expires_at > $3))
      order by id = $2 desc, last_used_at desc, id`,
    [userId, sessionId, at, computeEarliestStart(at, sessionLimits)],
  )
  return rows.map((row) => ({
    id: row.id,
    current: row.id === sessionId,
    device: deviceName(row.user_agent),
    country: row.country,
    network: row.network,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
  }))
}

/**
 * Ends one of the caller's sessions at once. Refuses `not_found`, and `step_up_required` for any but the current one.
 */
export async function endSession(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, sessionId, confirmation }: ConfirmedCaller & { sessionId: string },
): Promise<void> {
  const { live, realNow } = ctx
  const ownSessionSql = 'from session where id = $1 and user_id = $2 and revoked_at is null'
  const { rows } = await pool.query<Pick<SessionRow, 'user_agent'>>(`select user_agent ${ownSessionSql}`, [
    sessionId,
    caller.userId,
  ])
  const [session] = rows
  if (!session) refuse('not_found')
  if (sessionId !== caller.sessionId) {
    const subject = { device: deviceName(session.user_agent) }
    const act = { action: 'end_sessions', subject, hidden: { session: sessionId } } as const
    await requireStepUp(ctx, pool, { caller, act, confirmation })
  }
  await transact(pool, async (tx) => {
    if (!(await tx.query(`select ${ownSessionSql}`, [sessionId, caller.userId])).rowCount) refuse('not_found')
    await revokeSession(tx, { sessionId, reason: 'ended_by_owner', at: realNow() })
  })
  live.forgetSession(sessionId)
}

/** Ends all other sessions, pending sign-ins and a pending change of address. Refuses `step_up_required`. */
export async function endOtherSessions(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, confirmation }: ConfirmedCaller,
): Promise<void> {
  const { live, realNow } = ctx
  const { userId, sessionId } = caller
  const subject = { change: confirmedSubject('sign_out_others') }
  await requireStepUp(ctx, pool, { caller, act: { action: 'end_sessions', subject }, confirmation })
  await transact(pool, (tx) => revokeOtherAccess(tx, { userId, sessionId, reason: 'ended_by_owner', at: realNow() }))
  live.forgetUser(userId)
}
