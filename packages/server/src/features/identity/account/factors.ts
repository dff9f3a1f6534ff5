import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { confirmedSubject } from '../../../platform/subjects.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { SecurityChange } from '../../notifications/notifications.ts'
import type { ConfirmedCaller, ClientInput, IdentityContext } from '../context.ts'
import { guardAttempts } from '../sign-in/login-attempts.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import { requireStepUp } from '../step-up/step-up.ts'
import { bumpCredentialsVersion, loadFactors } from '../sessions/verified-credentials.ts'
import { dropRecoveryCodes, createFirstRecoveryCodes, newRecoveryCodes } from '../factors/recovery-codes.ts'
import type { Client } from '../sessions/sessions.ts'
import { activateTotp, beginTotp, deleteTotp } from '../factors/totp.ts'
import type { AppUserRow } from '../row-types.ts'

interface FactorChange {
  readonly userId: bigint
  readonly sessionId: string
  readonly change: SecurityChange
  readonly client: Client
}

/** Locks the user, to serialize changes of their factors. */
export async function lockFactors(tx: Tx, userId: bigint): Promise<{ email: string }> {
  const { rows } = await tx.query<Pick<AppUserRow, 'email'>>(
    'select email from app_user where id = $1 for no key update',
    [userId],
  )
  return rows[0] ?? refuse('unauthenticated')
}

/** Alerts the user to a new factor. Returns recovery codes with the first factor, else null. */
export async function completeFactorAddition(
  ctx: IdentityContext,
  tx: Tx,
  change: FactorChange,
): Promise<string[] | null> {
  await alertChange(ctx, tx, { ...change, at: ctx.realNow() })
  return createFirstRecoveryCodes(ctx, tx, change.userId)
}

/** Alerts the user to a removed factor, voids pending sign-ins, and drops recovery codes with the last factor. */
export async function completeFactorRemoval(ctx: IdentityContext, tx: Tx, change: FactorChange): Promise<void> {
  await bumpCredentialsVersion(tx, change.userId)
  if (!(await loadFactors(tx, change.userId)).any) await dropRecoveryCodes(tx, change.userId)
  await alertChange(ctx, tx, { ...change, at: ctx.realNow() })
}

/**
 * Creates a secret for an authenticator app. It takes effect with its first code; an earlier app stays valid until
 * then. Refuses `step_up_required`.
 */
export async function startTotp(ctx: IdentityContext, pool: pg.Pool, { caller, confirmation }: ConfirmedCaller) {
  await requireStepUp(ctx, pool, { caller, act: factorAction('add_authenticator'), confirmation })
  return transact(pool, async (tx) => {
    const { email } = await lockFactors(tx, caller.userId)
    return beginTotp(ctx, tx, { id: caller.userId, email })
  })
}

/**
 * Activates the app by its first code. Returns recovery codes with the first factor, else null. Refuses `code_invalid`,
 * `challenge_invalid`, `too_many_attempts`.
 */
export async function confirmTotp(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller: { userId, sessionId }, code, client }: { caller: Caller; code: string; client: Client },
): Promise<string[] | null> {
  const totpSetUp = await guardAttempts(ctx, pool, { account: `authenticator set-up ${userId}` }, () =>
    transact(pool, async (tx) => {
      await lockFactors(tx, userId)
      if (!(await activateTotp(ctx, tx, { userId, sessionId, code }))) return undefined
      return { codes: await completeFactorAddition(ctx, tx, { userId, sessionId, change: 'totp_added', client }) }
    }),
  )
  return totpSetUp ? totpSetUp.codes : refuseField('code_invalid', 'code')
}

/** Removes the authenticator app. Refuses `not_found`, `step_up_required`. */
export async function removeTotp(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, confirmation, client }: ConfirmedCaller & ClientInput,
): Promise<void> {
  const { userId } = caller
  if (!(await loadFactors(pool, userId)).totp) refuse('not_found')
  await requireStepUp(ctx, pool, { caller, act: factorAction('remove_authenticator'), confirmation })
  await transact(pool, async (tx) => {
    await lockFactors(tx, userId)
    if (!(await deleteTotp(tx, userId))) refuse('not_found')
    await completeFactorRemoval(ctx, tx, { ...caller, change: 'totp_removed', client })
  })
}

/** Replaces the ten recovery codes. Refuses `not_found` without a factor, and `step_up_required`. */
export async function renewRecoveryCodes(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, confirmation, client }: ConfirmedCaller & ClientInput,
): Promise<string[]> {
  const { userId } = caller
  if (!(await loadFactors(pool, userId)).any) refuse('not_found')
  await requireStepUp(ctx, pool, { caller, act: factorAction('renew_recovery_codes'), confirmation })
  return transact(pool, async (tx) => {
    await lockFactors(tx, userId)
    if (!(await loadFactors(tx, userId)).any) refuse('not_found')
    await alertChange(ctx, tx, { ...caller, change: 'recovery_codes_renewed', client, at: ctx.realNow() })
    return newRecoveryCodes(ctx, tx, userId)
  })
}

export const factorAction = (change: Parameters<typeof confirmedSubject>[0]) =>
  ({ action: 'change_factors', subject: { change: confirmedSubject(change) } }) as const
