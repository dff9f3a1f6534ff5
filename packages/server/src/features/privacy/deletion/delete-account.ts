import type { Reply } from '@tern/contract/protocol/endpoint'
import type { deletionState } from '@tern/contract/privacy/privacy'
import type pg from 'pg'
import { retryOnConflict, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { TravelRule } from '../../compliance/compliance.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Kyc } from '../../kyc/kyc.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { Payments } from '../../payments/payments.ts'
import type { Wallets } from '../../wallets/wallets.ts'
import { eraseArrangements } from './erase.ts'
import { readObstacles } from './obstacles.ts'
import { keptUntil, retainIdentity } from './retained-identity.ts'

export interface DeletionOptions {
  readonly pool: pg.Pool
  readonly identity: Pick<Identity, 'lockToDelete' | 'pseudonymise' | 'forgetUser'>
  readonly kyc: Pick<Kyc, 'retire' | 'wasVerified'>
  readonly wallets: Pick<Wallets, 'close'>
  readonly payments: Pick<Payments, 'removeAllInstruments'>
  readonly notifications: Pick<Notifications, 'mail'>
  readonly travelRule: Pick<TravelRule, 'recordOf'>
  readonly seal: Seal
  readonly now: () => Date
}

/** Ends accounts, once nothing is open in them. */
export function createDeletion(options: DeletionOptions) {
  const { pool, identity, kyc, wallets, payments, notifications, travelRule, seal, now } = options

  /** Refuses `account_not_empty` with what is open. */
  async function requireEmpty(tx: Tx, userId: bigint): Promise<void> {
    const obstacles = await readObstacles(tx, userId, now())
    if (obstacles.length > 0) refuse('account_not_empty', { extra: { obstacles } })
  }

  async function end(tx: Tx, userId: bigint): Promise<void> {
    const former = (await identity.lockToDelete(tx, userId)) ?? refuse('unauthenticated')
    await requireEmpty(tx, userId)
    // What came in since is in the accounts by now, and nothing comes in any more.
    if (!(await wallets.close(tx, userId))) await requireEmpty(tx, userId)
    const at = now()
    await notifications.mail(tx, { email: former.email }, 'account_deleted', {
      keptUntil: (await kyc.wasVerified(tx, userId)) ? keptUntil(at).toISOString().slice(0, 10) : undefined,
    })
    await travelRule.recordOf(tx, userId)
    const forms = await kyc.retire(tx, userId, at)
    if (forms.some(({ status }) => status === 'verified')) {
      await retainIdentity(tx, seal, userId, { ...former, forms }, at)
    }
    await payments.removeAllInstruments(tx, userId)
    await eraseArrangements(tx, userId, at)
    await identity.pseudonymise(tx, userId)
  }

  return {
    async state(userId: bigint): Promise<Reply<typeof deletionState>> {
      const isKept = await kyc.wasVerified(pool, userId)
      return {
        obstacles: await readObstacles(pool, userId, now()),
        identity_kept_until: isKept ? keptUntil(now()).toISOString() : null,
      }
    },

    /**
     * Deletes an account for good, in one transaction that new payments, transfers and requests of it wait for, and that waits
     * for them: what was before refuses it, what comes later is refused. Refuses `account_not_empty`, `unauthenticated`.
     */
    async delete(userId: bigint): Promise<void> {
      await retryOnConflict(pool, (tx) => end(tx, userId))
      identity.forgetUser(userId)
    },
  }
}
