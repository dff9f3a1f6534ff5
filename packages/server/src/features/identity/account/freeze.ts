import { isConflict, isLockTimeout } from '@tern/ledger/group-commit/failure'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { ConfirmedCaller, ClientInput, IdentityContext, UserAndTime } from '../context.ts'
import { issueLink, consumeLink } from '../mailed-links/mailed-links.ts'
import { alertChange, issueReportLink } from '../mailed-links/security-alerts.ts'
import { notifyUserChanged } from '../sessions/live-sessions.ts'
import type { Client } from '../sessions/sessions.ts'
import { requireStepUp } from '../step-up/step-up.ts'
import { undoDeletion } from '../deletion/deletion.ts'

// No money leaves a frozen account, and none is pulled into it from a saved card or bank account. Everything else
// continues, including incoming payments.

// Each wait ends at the lock timeout. The database ends a suspended transaction within two lock timeouts.
const maxWaits = 4

/**
 * Stops all outgoing money. Needs no step-up, because freezing can only stop money. Once this returns, no movement
 * decided before the freeze can still happen.
 */
export async function freezeAccount(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, client }: { caller: Caller; client: Client },
): Promise<void> {
  await transact(pool, (tx) => freezeInTransaction(ctx, tx, { caller, client }))
  await completeFreeze(ctx, pool, caller.userId)
}

/** Freezes within the caller's transaction. Call `completeFreeze` after its commit. */
export async function freezeInTransaction(
  ctx: IdentityContext,
  tx: Tx,
  { caller, client }: { caller: Pick<Caller, 'userId' | 'sessionId'>; client: Client },
): Promise<void> {
  const at = ctx.realNow()
  if (await setFrozen(ctx, tx, { userId: caller.userId, at }))
    await alertChange(ctx, tx, { ...caller, change: 'account_frozen', client, at })
}

/**
 * Waits for movements in flight that may not have seen the committed freeze. Repeats the wait, because a suspended
 * process holds its locks until the database ends its transaction.
 */
export async function completeFreeze(
  { live }: Pick<IdentityContext, 'live'>,
  pool: pg.Pool,
  userId: bigint,
): Promise<void> {
  live.forgetUser(userId)
  for (let attempts = 1; ; attempts += 1) {
    try {
      await pool.query('select wait_for_movements($1)', [userId])
      return
    } catch (error) {
      const isWorthRepeating = isLockTimeout(error) || isConflict(error)
      if (!isWorthRepeating || attempts === maxWaits) throw error
    }
  }
}

/** Unfreezes an account. Refuses `step_up_required`. */
export async function unfreezeAccount(
  ctx: IdentityContext,
  pool: pg.Pool,
  { caller, confirmation, client }: ConfirmedCaller & ClientInput,
): Promise<void> {
  const { userId } = caller
  await requireStepUp(ctx, pool, { caller, act: { action: 'unfreeze_account', subject: {} }, confirmation })
  await transact(pool, async (tx) => {
    const at = ctx.realNow()
    if (await setFrozen(ctx, tx, { userId, at: null }))
      await alertChange(ctx, tx, { ...caller, change: 'account_unfrozen', client, at })
  })
  ctx.live.forgetUser(userId)
}

/**
 * Freezes an account by its mailed link, in any browser, and cancels a pending deletion. Refuses `link_invalid` after
 * the first use or after 30 days.
 */
export async function freezeByLink(
  ctx: IdentityContext,
  pool: pg.Pool,
  { token, client }: { token: string; client: Client },
): Promise<void> {
  const userId = await transact(pool, async (tx) => {
    const at = ctx.realNow()
    const { userId } = await consumeLink(tx, { purposes: ['freeze_account'], token, at })
    await undoDeletion(ctx, tx, { userId, client, at })
    if (await setFrozen(ctx, tx, { userId, at }))
      await alertChange(ctx, tx, { userId, change: 'account_frozen', client, at })
    return userId
  })
  await completeFreeze(ctx, pool, userId)
  ctx.log.warn({ userId: String(userId) }, 'an account was frozen from a mail')
}

async function issueFreezeLink(
  { publicUrl }: IdentityContext,
  tx: Tx,
  { userId, email, at }: UserAndTime & { email: string },
): Promise<string> {
  const token = await issueLink(tx, { purpose: 'freeze_account', userId, email, at })
  return `${publicUrl}/freeze#token=${token}`
}

/** Issues the links of a mail about outgoing money: one reports "this wasn't me", the other freezes the account. */
export async function moneyAlertLinks(
  ctx: IdentityContext,
  tx: Tx,
  { userId, email }: { userId: bigint; email: string },
): Promise<{ notMe: string; freeze: string }> {
  const at = ctx.realNow()
  return {
    notMe: await issueReportLink(ctx, tx, { userId, email, at }),
    freeze: await issueFreezeLink(ctx, tx, { userId, email, at }),
  }
}

/** Sets or clears the freeze and notifies the user's open pages. False if nothing changed. */
async function setFrozen(
  { notifications }: Pick<IdentityContext, 'notifications'>,
  tx: Tx,
  { userId, at }: { userId: bigint; at: Date | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update app_user set frozen_at = $2 where id = $1 and (frozen_at is null) <> ($2::timestamptz is null)',
    [userId, at],
  )
  if (rowCount !== 1) return false
  await notifyUserChanged(tx, userId)
  await notifications.touch(tx, { userIds: [userId], topic: 'account' })
  return true
}
