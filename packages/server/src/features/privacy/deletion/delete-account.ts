import { graceDays } from '@tern/contract/privacy/grace'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { DeletionObstacle, deletionState } from '@tern/contract/privacy/privacy'
import type pg from 'pg'
import { type Db, onlyRow, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import { type Client, lockForDeletion } from '../../identity/identity.ts'
import { hasBeenVerified } from '../../kyc/kyc.ts'
import { closeWallet } from '../../wallets/wallets.ts'
import type { PrivacyContext } from '../context.ts'
import { eraseUserSettings } from './erase.ts'
import { hasSecretCaseSql, readObstacles } from './obstacles.ts'
import { computeRetentionEnd, retainIdentity } from './retained-identity.ts'

const dayMs = 86_400_000
const batchSize = 100

/** Due time of a deletion requested at `at`. */
const computeDueDate = (at: Date): Date => new Date(at.getTime() + graceDays * dayMs)

export interface DeletionCall {
  readonly caller: Pick<Caller, 'userId' | 'sessionId'>
  readonly client: Client
}

export interface ConfirmedDeletionCall extends DeletionCall {
  readonly caller: Caller
  readonly confirmation: string | undefined
}

/** Obstacles to a user's deletion; its due time, and the end of legal retention, if requested now. */
export async function readDeletionState(
  { now }: Pick<PrivacyContext, 'now'>,
  db: Db,
  userId: bigint,
): Promise<Reply<typeof deletionState>> {
  const at = now()
  const isIdentityRetained = await hasBeenVerified(db, userId)
  return {
    obstacles: await readObstacles(db, { userId, at }),
    due_at: computeDueDate(at).toISOString(),
    identity_kept_until: isIdentityRetained ? computeRetentionEnd(computeDueDate(at)).toISOString() : null,
  }
}

/**
 * Begins to delete the caller's account; see `begin`. Refuses `account_not_empty` before requesting a confirmation,
 * `step_up_required`, and `account_not_empty` again if money has arrived since.
 */
export async function confirmAndBegin(
  ctx: PrivacyContext,
  pool: pg.Pool,
  { caller, client, confirmation }: ConfirmedDeletionCall,
): Promise<Date> {
  const obstacles = await readObstacles(pool, { userId: caller.userId, at: ctx.now() })
  if (obstacles.length > 0) refuse('account_not_empty', { extra: { obstacles } })
  const act = { action: 'delete_account', subject: {} } as const
  await ctx.identity.requireStepUp({ caller, act, confirmation })
  return begin(ctx, pool, { caller, client })
}

/**
 * Begins a deletion, unless it has begun, and returns its due time. Refuses `account_not_empty`, `unauthenticated`.
 */
export async function begin(
  ctx: PrivacyContext,
  pool: pg.Pool,
  { caller: { userId, sessionId }, client }: DeletionCall,
): Promise<Date> {
  const dueAt = await retryOnConflict(pool, async (tx) => {
    const account = (await lockForDeletion(tx, userId)) ?? refuse('unauthenticated')
    if (account.deletionDueAt) return account.deletionDueAt
    const obstacles = await closeOrFindObstacles(ctx, tx, userId)
    if (obstacles.length > 0) refuse('account_not_empty', { extra: { obstacles } })
    const due = computeDueDate(ctx.now())
    await ctx.identity.beginDeletion(tx, { userId, sessionId, client, dueAt: due })
    return due
  })
  ctx.identity.forgetUser(userId)
  return dueAt
}

/**
 * Deletes a due account, in one transaction that excludes concurrent logins, payments, transfers and requests of its
 * owner. An obstacle ends the deletion instead, with a mail to the owner. Undefined if the deletion is not due, was
 * undone, or waits silently for a secret case.
 */
export async function finish(
  ctx: PrivacyContext,
  pool: pg.Pool,
  userId: bigint,
): Promise<'deleted' | 'stopped' | undefined> {
  const outcome = await retryOnConflict(pool, async (tx) => {
    const account = await lockForDeletion(tx, userId)
    if (!account?.deletionDueAt || account.deletionDueAt > ctx.now()) return undefined
    const { deletionDueAt: _, ...former } = account
    const obstacles = await closeOrFindObstacles(ctx, tx, userId)
    if (obstacles.length > 0) return cancelDeletion(ctx, tx, { userId, email: former.email, obstacles })
    if (await hasSecretCase(tx, userId)) return undefined
    return deleteAccount(ctx, tx, { userId, former })
  })
  if (outcome) {
    ctx.identity.forgetUser(userId)
    ctx.log.info({ userId: String(userId), outcome }, 'a deletion was due')
  }
  return outcome
}

/** Finishes up to 100 due deletions. Failures are retried at the next call. */
export async function finishDue(ctx: PrivacyContext, pool: pg.Pool): Promise<void> {
  for (const { userId } of await readWaiting(pool, ctx.now())) {
    try {
      await finish(ctx, pool, userId)
    } catch (error) {
      ctx.log.error({ err: error, userId: String(userId) }, 'an account could not be deleted')
    }
  }
}

async function hasSecretCase(tx: Tx, userId: bigint): Promise<boolean> {
  const { rows } = await tx.query<{ has: boolean }>(`select ${hasSecretCaseSql('$1')} as has`, [userId])
  return onlyRow(rows).has
}

/**
 * Up to 100 accounts that wait for deletion, optionally due by `dueUntil`, in order of due time; those with secret
 * cases last.
 */
export async function readWaiting(db: Db, dueUntil?: Date): Promise<{ userId: bigint; dueAt: Date }[]> {
  const { rows } = await db.query<{ userId: bigint; dueAt: Date }>(
    `select id as "userId", deletion_due_at as "dueAt" from app_user
      where deletion_due_at is not null and ($1::timestamptz is null or deletion_due_at <= $1)
      order by ${hasSecretCaseSql('app_user.id')}, deletion_due_at, id limit ${String(batchSize)}`,
    [dueUntil],
  )
  return rows
}

/** Closes the wallet of a locked user, or returns the obstacles. */
async function closeOrFindObstacles(
  { now }: PrivacyContext,
  tx: Tx,
  userId: bigint,
): Promise<readonly DeletionObstacle[]> {
  const obstacles = await readObstacles(tx, { userId, at: now() })
  // Closing fails if money has arrived meanwhile.
  if (obstacles.length > 0 || (await closeWallet(tx, userId))) return obstacles
  const since = await readObstacles(tx, { userId, at: now() })
  if (since.length === 0) throw new Error(`the wallet of user ${userId} is not empty, and nothing is in it`)
  return since
}

/** Cancels a deletion: the account stays open as before, and its owner is mailed the reasons. */
async function cancelDeletion(
  { identity, notifications, publicUrl }: PrivacyContext,
  tx: Tx,
  { userId, email, obstacles }: { userId: bigint; email: string; obstacles: readonly DeletionObstacle[] },
): Promise<'stopped'> {
  await identity.cancelAccountDeletion(tx, userId)
  const codes = obstacles.map(({ code }) => code)
  await notifications.mail(tx, {
    to: { email, userId },
    template: 'deletion_stopped',
    data: { obstacles: codes, link: `${publicUrl}/login` },
  })
  return 'stopped'
}

async function deleteAccount(
  ctx: PrivacyContext,
  tx: Tx,
  { userId, former }: { userId: bigint; former: { readonly email: string } },
): Promise<'deleted'> {
  const { identity, kyc, payments, notifications, travelRule, now } = ctx
  const at = now()
  await notifications.mail(tx, {
    to: { email: former.email },
    template: 'account_deleted',
    data: {
      keptUntil: (await hasBeenVerified(tx, userId)) ? computeRetentionEnd(at).toISOString().slice(0, 10) : undefined,
    },
  })
  await travelRule.recordOf(tx, userId)
  const forms = await kyc.retire(tx, { userId, at })
  if (forms.some(({ status }) => status === 'verified')) {
    await retainIdentity(ctx, tx, { userId, content: { ...former, forms }, at })
  }
  await payments.removeAllInstruments(tx, userId)
  await eraseUserSettings(tx, { userId, at })
  await identity.pseudonymise(tx, userId)
  return 'deleted'
}
