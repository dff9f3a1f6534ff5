import type { DeviceSession, securityOverview } from '@tern/contract/security'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type pg from 'pg'
import { only, transact } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { deviceName } from '../sessions/devices.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import { endOtherUse } from './account-changes.ts'
import { revokeSession } from '../sessions/sessions.ts'

type SecurityOverview = Reply<typeof securityOverview>

export interface AccountSecurity {
  securityOverview(userId: bigint): Promise<SecurityOverview>
  /** Usable sessions: the caller's first, then the last used. */
  listSessions(caller: Caller): Promise<DeviceSession[]>
  /** Ends one of the caller's own sessions, at once. Refuses `not_found`. */
  endSession(caller: Caller, sessionId: string): Promise<void>
  /** Ends all other sessions, pending sign-ins and a pending move, at once. */
  endOtherSessions(caller: Caller): Promise<void>
}

export interface AccountSecurityParts {
  readonly pool: pg.Pool
  readonly live: Pick<LiveSessions, 'forgetSession' | 'forgetUser'>
  readonly realNow: () => Date
}

export function createAccountSecurity({ pool, live, realNow }: AccountSecurityParts): AccountSecurity {
  return {
    securityOverview: (userId) => readOverview(pool, userId),
    listSessions: (caller) => readSessions(pool, caller, realNow()),
    async endSession({ userId }, sessionId) {
      await transact(pool, async (tx) => {
        const own = await tx.query('select from session where id = $1 and user_id = $2 and revoked_at is null', [
          sessionId,
          userId,
        ])
        if (!own.rowCount) refuse('not_found')
        await revokeSession(tx, sessionId, 'ended_by_owner', realNow())
      })
      live.forgetSession(sessionId)
    },
    async endOtherSessions({ userId, sessionId }) {
      const others = { userId, sessionId, reason: 'ended_by_owner' as const, at: realNow() }
      await transact(pool, (tx) => endOtherUse(tx, others))
      live.forgetUser(userId)
    },
  }
}

async function readOverview(pool: pg.Pool, userId: bigint): Promise<SecurityOverview> {
  const { rows } = await pool.query<{
    has_password: boolean
    pending_email: string | null
    totp: boolean
    recovery_codes_left: number
  }>(
    `select password_hash is not null as has_password, pending_email,
            exists (select from totp where user_id = app_user.id and confirmed_at is not null) as totp,
            (select count(*)::int from recovery_code
              where user_id = app_user.id and used_at is null) as recovery_codes_left
       from app_user where id = $1`,
    [userId],
  )
  const passkeys = await pool.query<{
    id: string
    name: string
    synced: boolean
    created_at: Date
    last_used_at: Date | null
  }>('select id, name, synced, created_at, last_used_at from passkey where user_id = $1 order by created_at', [userId])
  const external = await pool.query<{ provider: 'google' | 'external'; email: string | null; linked_at: Date }>(
    'select provider, email, linked_at from external_identity where user_id = $1 order by linked_at',
    [userId],
  )
  return {
    ...only(rows),
    passkeys: passkeys.rows.map(({ id, name, synced, created_at, last_used_at }) => ({
      id,
      name,
      synced,
      created_at: created_at.toISOString(),
      last_used_at: last_used_at?.toISOString() ?? null,
    })),
    external: external.rows.map(({ provider, email, linked_at }) => ({
      provider,
      email,
      linked_at: linked_at.toISOString(),
    })),
  }
}

// Sessions with an expired refresh token are unusable, though not ended.
async function readSessions(pool: pg.Pool, { userId, sessionId }: Caller, at: Date): Promise<DeviceSession[]> {
  const { rows } = await pool.query<{
    id: string
    user_agent: string
    country: string | null
    address_prefix: string
    created_at: Date
    last_used_at: Date
  }>(
    `select id, user_agent, country, address_prefix, created_at, last_used_at from session
      where user_id = $1 and revoked_at is null
        and (id = $2 or exists (select from refresh_token
                                 where session_id = session.id and used_at is null and expires_at > $3))
      order by id = $2 desc, last_used_at desc, id`,
    [userId, sessionId, at],
  )
  return rows.map((row) => ({
    id: row.id,
    current: row.id === sessionId,
    device: deviceName(row.user_agent),
    country: row.country,
    network: row.address_prefix,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
  }))
}
