import type { SecondFactor } from '@tern/contract/sign-in'
import type pg from 'pg'
import { type Queryable, transact, type Tx } from '../../../platform/database/db.ts'
import { confirmed } from '../../../platform/subjects.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { SecurityChange } from '../../notifications/notifications.ts'
import type { Alerts } from '../sign-in/sign-in-alerts.ts'
import type { LoginAttempts } from '../sign-in/login-attempts.ts'
import type { StepUp } from '../step-up/step-up.ts'
import { bumpCredentialsVersion } from '../sessions/verified-credentials.ts'
import type { RecoveryCodes } from './recovery-codes.ts'
import type { Client } from '../sessions/sessions.ts'
import type { Totp } from './totp.ts'

export interface Factors {
  /** The second factors available, best first; empty when none is set up. */
  methodsOf(userId: bigint, db?: Queryable): Promise<SecondFactor[]>
  /**
   * A secret for an authenticator app, effective from its first code; until then an earlier app stays valid. Refuses
   * `step_up_required`.
   */
  startTotp(caller: Caller, confirmation: string | undefined): Promise<{ secret: string; uri: string }>
  /**
   * Returns recovery codes with the first factor, else null. Refuses `code_invalid`, `challenge_invalid`,
   * `too_many_attempts`.
   */
  confirmTotp(caller: Caller, code: string, client: Client): Promise<string[] | null>
  /** Refuses `not_found`, `step_up_required`. */
  removeTotp(caller: Caller, confirmation: string | undefined, client: Client): Promise<void>
  /** Replaces the ten codes. Refuses `not_found` without a factor, `step_up_required`. */
  renewRecoveryCodes(caller: Caller, confirmation: string | undefined, client: Client): Promise<string[]>
  /** Call in the transaction that adds a factor: mails the user, and returns recovery codes with the first. */
  added(tx: Tx, change: FactorChange): Promise<string[] | null>
  /** Call in the transaction that removes a factor: mails the user, and drops recovery codes with the last. */
  removed(tx: Tx, change: FactorChange): Promise<void>
}

export interface FactorChange {
  readonly userId: bigint
  readonly sessionId: string
  readonly change: SecurityChange
  readonly client: Client
}

export interface FactorParts {
  readonly pool: pg.Pool
  readonly totp: Totp
  readonly recoveryCodes: RecoveryCodes
  readonly stepUp: Pick<StepUp, 'require'>
  readonly attempts: LoginAttempts
  readonly alerts: Alerts
  readonly realNow: () => Date
}

/** Locks the user's factors, so that concurrent changes see each other. */
export async function lockFactors(tx: Tx, userId: bigint): Promise<{ email: string }> {
  const { rows } = await tx.query<{ email: string }>('select email from app_user where id = $1 for no key update', [
    userId,
  ])
  return rows[0] ?? refuse('unauthenticated')
}

async function factorsOf(db: Queryable, userId: bigint) {
  const { rows } = await db.query<{ passkey: boolean; totp: boolean; recovery: boolean }>(
    `select exists (select from passkey where user_id = $1) as passkey,
            exists (select from totp where user_id = $1 and confirmed_at is not null) as totp,
            exists (select from recovery_code where user_id = $1 and used_at is null) as recovery`,
    [userId],
  )
  const { passkey = false, totp = false, recovery = false } = rows[0] ?? {}
  return { passkey, totp, recovery, any: passkey || totp }
}

async function methodsOf(db: Queryable, userId: bigint): Promise<SecondFactor[]> {
  const { passkey, totp, recovery, any } = await factorsOf(db, userId)
  if (!any) return []
  return [
    ...(passkey ? ['passkey' as const] : []),
    ...(totp ? ['totp' as const] : []),
    ...(recovery ? ['recovery_code' as const] : []),
  ]
}

export function createFactors(parts: FactorParts): Factors {
  const { pool, totp, recoveryCodes, stepUp, attempts, alerts, realNow } = parts

  async function added(tx: Tx, change: FactorChange): Promise<string[] | null> {
    await alerts.alertChange(tx, { ...change, at: realNow() })
    return recoveryCodes.issueFirst(tx, change.userId)
  }

  async function removed(tx: Tx, change: FactorChange): Promise<void> {
    await bumpCredentialsVersion(tx, change.userId)
    if (!(await factorsOf(tx, change.userId)).any) await recoveryCodes.drop(tx, change.userId)
    await alerts.alertChange(tx, { ...change, at: realNow() })
  }

  async function confirmTotp({ userId, sessionId }: Caller, code: string, client: Client): Promise<string[] | null> {
    const done = await attempts.guard(`authenticator set-up ${userId}`, () =>
      transact(pool, async (tx) => {
        await lockFactors(tx, userId)
        if (!(await totp.confirm(tx, { userId, sessionId }, code))) return undefined
        return { codes: await added(tx, { userId, sessionId, change: 'totp_added', client }) }
      }),
    )
    if (!done) return refuseField('code_invalid', 'code')
    return done.codes
  }

  async function removeTotp(caller: Caller, confirmation: string | undefined, client: Client): Promise<void> {
    const { userId } = caller
    if (!(await factorsOf(pool, userId)).totp) refuse('not_found')
    await stepUp.require(caller, factorAct('remove_authenticator'), confirmation)
    await transact(pool, async (tx) => {
      await lockFactors(tx, userId)
      if (!(await totp.remove(tx, userId))) refuse('not_found')
      await removed(tx, { ...caller, change: 'totp_removed', client })
    })
  }

  async function renewRecoveryCodes(
    caller: Caller,
    confirmation: string | undefined,
    client: Client,
  ): Promise<string[]> {
    const { userId } = caller
    if (!(await factorsOf(pool, userId)).any) refuse('not_found')
    await stepUp.require(caller, factorAct('renew_recovery_codes'), confirmation)
    return transact(pool, async (tx) => {
      await lockFactors(tx, userId)
      if (!(await factorsOf(tx, userId)).any) refuse('not_found')
      await alerts.alertChange(tx, { ...caller, change: 'recovery_codes_renewed', client, at: realNow() })
      return recoveryCodes.renew(tx, userId)
    })
  }

  return {
    methodsOf: (userId, db = pool) => methodsOf(db, userId),
    async startTotp(caller, confirmation) {
      await stepUp.require(caller, factorAct('add_authenticator'), confirmation)
      return transact(pool, async (tx) => {
        const { email } = await lockFactors(tx, caller.userId)
        return totp.begin(tx, { id: caller.userId, email })
      })
    },
    confirmTotp,
    removeTotp,
    renewRecoveryCodes,
    added,
    removed,
  }
}

/** A factor change to confirm. */
export const factorAct = (change: Parameters<typeof confirmed>[0]) =>
  ({ action: 'change_factors', subject: { change: confirmed(change) } }) as const
