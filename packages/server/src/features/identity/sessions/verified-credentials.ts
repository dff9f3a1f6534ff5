import type { Queryable, Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'

/** Whose first proof was right, and the state of their credentials it was right for. */
export interface VerifiedCredentials {
  readonly userId: bigint
  readonly credentialsVersion: bigint
}

/** The present state of somebody's credentials: to be read no later than what the proof is compared with. */
export async function readVerifiedCredentials(db: Queryable, userId: bigint): Promise<VerifiedCredentials> {
  const { rows } = await db.query<{ version: bigint }>(
    'select credentials_version as version from app_user where id = $1',
    [userId],
  )
  return { userId, credentialsVersion: rows[0]?.version ?? refuse('challenge_invalid') }
}

/**
 * Holds off every change of credentials until the transaction ends. Refuses `challenge_invalid` when something was taken
 * away since the proof: whoever still knew the old password when it was replaced must not come in a moment later.
 */
export async function holdCredentials(tx: Tx, { userId, credentialsVersion }: VerifiedCredentials): Promise<void> {
  const { rowCount } = await tx.query(
    'select from app_user where id = $1 and credentials_version = $2 for no key update',
    [userId, credentialsVersion],
  )
  if (rowCount !== 1) refuse('challenge_invalid')
}

/** From now on no proof of before opens a session. */
export async function bumpCredentialsVersion(tx: Tx, userId: bigint): Promise<void> {
  await tx.query('update app_user set credentials_version = credentials_version + 1 where id = $1', [userId])
}
