import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import type { KycStatus } from '@tern/contract/kyc'
import type pg from 'pg'
import type { Queryable, Tx } from '../../../platform/database/db.ts'
import { type LiveSessions, notifyUserChanged } from '../sessions/live-sessions.ts'
import * as users from './users.ts'

/** Users as they, others and other features may see them. */
export interface UserDirectory {
  currentUser(userId: bigint): Promise<CurrentUser>
  searchUsers(query: string, exact: boolean): Promise<PublicUser[]>
  /** Refuses `not_found`. */
  userProfile(userId: bigint): Promise<PublicUser>
  usersById(ids: readonly bigint[], db?: Queryable): Promise<Map<bigint, users.KnownUser>>
  /** Verification status, locking the user until the transaction ends. */
  kycStatusForUpdate(tx: Tx, userId: bigint): Promise<KycStatus>
  /** Sets it and tells every process on commit; then call `forgetUser`. */
  setKycStatus(tx: Tx, userId: bigint, status: KycStatus): Promise<void>
  /** Makes the verified name the one shown. */
  setLegalName(tx: Tx, userId: bigint, name: { firstName: string; lastName: string }): Promise<void>
  /** Drops this process's cached sessions of a user: after the commit, before answering. */
  forgetUser(userId: bigint): void
}

export function createUserDirectory({ pool, live }: { pool: pg.Pool; live: LiveSessions }): UserDirectory {
  return {
    currentUser: (userId) => users.readCurrentUser(pool, userId),
    searchUsers: (query, exact) => users.searchUsers(pool, query, exact),
    userProfile: (userId) => users.readProfile(pool, userId),
    usersById: (ids, db = pool) => users.readUsers(db, ids),
    kycStatusForUpdate: users.lockKycStatus,
    async setKycStatus(tx, userId, status) {
      await tx.query('update app_user set kyc_status = $2 where id = $1', [userId, status])
      await notifyUserChanged(tx, userId)
    },
    setLegalName: users.updateLegalName,
    forgetUser: live.forgetUser,
  }
}
