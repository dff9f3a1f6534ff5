import { graceDays } from '@tern/contract/privacy/grace'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { DeletionObstacle, deletionState } from '@tern/contract/privacy/privacy'
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { only, retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { TravelRule } from '../../compliance/compliance.ts'
import { type Client, type Identity, lockToDelete } from '../../identity/identity.ts'
import { type Kyc, readWasVerified } from '../../kyc/kyc.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { Payments } from '../../payments/payments.ts'
import { closeWallet } from '../../wallets/wallets.ts'
import { eraseArrangements } from './erase.ts'
import { hasUntoldCaseSql, readObstacles } from './obstacles.ts'
import { keptUntil, retainIdentity } from './retained-identity.ts'

type IdentityParts = 'beginDeletion' | 'forgetUser' | 'keepAccount' | 'pseudonymise'

export interface DeletionOptions {
  readonly pool: pg.Pool
  readonly identity: Pick<Identity, IdentityParts>
  readonly kyc: Pick<Kyc, 'retire'>
  readonly payments: Pick<Payments, 'removeAllInstruments'>
  readonly notifications: Pick<Notifications, 'mail'>
  readonly travelRule: Pick<TravelRule, 'recordOf'>
  readonly seal: Seal
  readonly publicUrl: string
  readonly now: () => Date
  readonly log: Pick<FastifyBaseLogger, 'error' | 'info'>
}

const dayMs = 86_400_000
const mostAtOnce = 100

/** When an account is deleted whose owner asks for it now. */
const dueFrom = (at: Date): Date => new Date(at.getTime() + graceDays * dayMs)

/** Ends accounts, once nothing is open in them and their owners have had time to come back. */
export function createDeletion(options: DeletionOptions) {
  const { pool, identity, now, log } = options

  /** Begins, and gives when the account is deleted; again, the same time. Refuses `account_not_empty`, `unauthenticated`. */
  async function begin({ userId, sessionId }: Pick<Caller, 'userId' | 'sessionId'>, client: Client): Promise<Date> {
    const dueAt = await retryOnConflict(pool, async (tx) => {
      const leaving = (await lockToDelete(tx, userId)) ?? refuse('unauthenticated')
      if (leaving.deletionDueAt) return leaving.deletionDueAt
      const obstacles = await closeOrObstacles(options, tx, userId)
      if (obstacles.length > 0) refuse('account_not_empty', { extra: { obstacles } })
      const due = dueFrom(now())
      await identity.beginDeletion(tx, { userId, sessionId, client, dueAt: due })
      return due
    })
    identity.forgetUser(userId)
    return dueAt
  }

  /**
   * Deletes an account whose time has come, in one transaction that logins, payments, transfers and requests of it wait for,
   * and that waits for them. What stands against it by then ends the deletion instead, and is told. Undefined when it is not
   * due, or not any more, or waits in silence for the end of a case that its owner is told nothing of.
   */
  async function finish(userId: bigint): Promise<'deleted' | 'stopped' | undefined> {
    const outcome = await retryOnConflict(pool, async (tx) => {
      const leaving = await lockToDelete(tx, userId)
      if (!leaving?.deletionDueAt || leaving.deletionDueAt > now()) return undefined
      const { deletionDueAt: _, ...former } = leaving
      const obstacles = await closeOrObstacles(options, tx, userId)
      if (obstacles.length > 0) return stop(options, tx, userId, former.email, obstacles)
      if (await hasUntoldCase(tx, userId)) return undefined
      return end(options, tx, userId, former)
    })
    if (outcome) {
      identity.forgetUser(userId)
      log.info({ userId: String(userId), outcome }, 'a deletion was due')
    }
    return outcome
  }

  return {
    async state(userId: bigint): Promise<Reply<typeof deletionState>> {
      const at = now()
      const isKept = await readWasVerified(pool, userId)
      return {
        obstacles: await readObstacles(pool, userId, at),
        due_at: dueFrom(at).toISOString(),
        identity_kept_until: isKept ? keptUntil(dueFrom(at)).toISOString() : null,
      }
    },
    begin,
    finish,

    /** Deletes every account whose time has come. One that cannot be deleted now is tried again at the next call. */
    async runDue(): Promise<void> {
      for (const { userId } of await waiting(pool, now())) {
        try {
          await finish(userId)
        } catch (error) {
          log.error({ err: error, userId: String(userId) }, 'an account could not be deleted')
        }
      }
    },
    /** Accounts that wait to be deleted, the next first. */
    waiting: () => waiting(pool),
  }
}

async function hasUntoldCase(tx: Tx, userId: bigint): Promise<boolean> {
  const { rows } = await tx.query<{ has: boolean }>(`select ${hasUntoldCaseSql('$1')} as has`, [userId])
  return only(rows).has
}

/**
 * Accounts that wait to be deleted, or only those whose time has come by `dueBy`; the next first, and behind all others those
 * that a case keeps waiting.
 */
async function waiting(pool: pg.Pool, dueBy?: Date): Promise<{ userId: bigint; dueAt: Date }[]> {
  const { rows } = await pool.query<{ userId: bigint; dueAt: Date }>(
    `select id as "userId", deletion_due_at as "dueAt" from app_user
      where deletion_due_at is not null and ($1::timestamptz is null or deletion_due_at <= $1)
      order by ${hasUntoldCaseSql('app_user.id')}, deletion_due_at, id limit ${String(mostAtOnce)}`,
    [dueBy],
  )
  return rows
}

/** Closes somebody's wallet; what stands against it where that cannot be. The user is locked. */
async function closeOrObstacles(
  { now }: DeletionOptions,
  tx: Tx,
  userId: bigint,
): Promise<readonly DeletionObstacle[]> {
  const obstacles = await readObstacles(tx, userId, now())
  // Once the accounts are closed nothing comes in any more.
  if (obstacles.length > 0 || (await closeWallet(tx, userId))) return obstacles
  const since = await readObstacles(tx, userId, now())
  if (since.length === 0) throw new Error(`the wallet of user ${userId} is not empty, and nothing is in it`)
  return since
}

/** The account stays, open as it was before, and its owner is told why. */
async function stop(
  { identity, notifications, publicUrl }: DeletionOptions,
  tx: Tx,
  userId: bigint,
  email: string,
  obstacles: readonly DeletionObstacle[],
): Promise<'stopped'> {
  await identity.keepAccount(tx, userId)
  const codes = obstacles.map(({ code }) => code)
  await notifications.mail(tx, {
    to: { email, userId },
    template: 'deletion_stopped',
    data: { obstacles: codes, link: `${publicUrl}/login` },
  })
  return 'stopped'
}

async function end(
  options: DeletionOptions,
  tx: Tx,
  userId: bigint,
  former: { readonly email: string },
): Promise<'deleted'> {
  const { identity, kyc, payments, notifications, travelRule, seal, now } = options
  const at = now()
  await notifications.mail(tx, {
    to: { email: former.email },
    template: 'account_deleted',
    data: {
      keptUntil: (await readWasVerified(tx, userId)) ? keptUntil(at).toISOString().slice(0, 10) : undefined,
    },
  })
  await travelRule.recordOf(tx, userId)
  const forms = await kyc.retire(tx, userId, at)
  if (forms.some(({ status }) => status === 'verified')) {
    await retainIdentity(tx, seal, userId, { ...former, forms }, at)
  }
  await payments.removeAllInstruments(tx, userId)
  await eraseArrangements(tx, userId, at)
  await identity.pseudonymise(tx, userId)
  return 'deleted'
}
