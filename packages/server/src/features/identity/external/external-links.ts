import type pg from 'pg'
import { transact } from '../../../platform/database/db.ts'
import { confirmedSubject } from '../../../platform/subjects.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { ConfirmedCaller, ClientInput, IdentityContext } from '../context.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import { addIdentity, type ExternalProvider, consumeOfferedLink } from './external-accounts.ts'
import { requireStepUp } from '../step-up/step-up.ts'
import { bumpCredentialsVersion } from '../sessions/verified-credentials.ts'
import type { Client } from '../sessions/sessions.ts'

/**
 * Links the identity behind `link` to the caller's account. Refuses `link_invalid`, and `fresh_sign_in_required` for a
 * session older than `link`.
 */
export async function linkExternalSignIn(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, link, client }: { caller: Caller; link: string; client: Client },
): Promise<void> {
  const at = ctx.realNow()
  await transact(pool, async (tx) => {
    const identity = await consumeOfferedLink(tx, { link, caller, at })
    if (!(await addIdentity(tx, { userId: caller.userId, identity, at }))) refuse('link_invalid')
    await alertChange(ctx, tx, { ...caller, change: 'external_linked', client, at })
  })
}

/** Unlinks the provider. Refuses `not_found`, `step_up_required`. */
export async function unlinkExternalSignIn(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, provider, confirmation, client }: ConfirmedCaller & ClientInput & { provider: ExternalProvider },
): Promise<void> {
  const { realNow } = ctx
  const { userId } = caller
  const identityRowSql = 'from external_identity where user_id = $1 and provider = $2'
  if (!(await pool.query(`select ${identityRowSql}`, [userId, provider])).rowCount) refuse('not_found')
  const subject = { change: confirmedSubject(`disconnect_${provider}`) }
  await requireStepUp(ctx, pool, { caller, act: { action: 'change_factors', subject }, confirmation })
  await transact(pool, async (tx) => {
    await tx.query(`delete ${identityRowSql}`, [userId, provider])
    await bumpCredentialsVersion(tx, userId)
    await alertChange(ctx, tx, { ...caller, change: 'external_unlinked', client, at: realNow() })
  })
}
