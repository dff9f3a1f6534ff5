import type { SecondFactor } from '@tern/contract/sign-in'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'

/** User who passed the first factor, with the credentials version at that time. */
export interface VerifiedCredentials {
  readonly userId: bigint
  readonly credentialsVersion: bigint
}

/** Reads the current credentials version. Call it no later than the credentials are read, to detect later changes. */
export async function readVerifiedCredentials(db: Db, userId: bigint): Promise<VerifiedCredentials> {
  const { rows } = await db.query<{ version: bigint }>(
    'select credentials_version as version from app_user where id = $1',
    [userId],
  )
  return { userId, credentialsVersion: rows[0]?.version ?? refuse('challenge_invalid') }
}

/**
 * Locks a user's credentials until the transaction ends. Refuses `challenge_invalid` if their version has changed since
 * the first factor, so that a replaced password opens no session.
 */
export async function lockCredentials(tx: Tx, { userId, credentialsVersion }: VerifiedCredentials): Promise<void> {
  const { rowCount } = await tx.query(
    'select from app_user where id = $1 and credentials_version = $2 for no key update',
    [userId, credentialsVersion],
  )
  if (rowCount !== 1) refuse('challenge_invalid')
}

/** Voids pending sign-ins: first factors passed before this open no session. */
export async function bumpCredentialsVersion(tx: Tx, userId: bigint): Promise<void> {
  await tx.query('update app_user set credentials_version = credentials_version + 1 where id = $1', [userId])
}

export async function loadFactors(db: Db, userId: bigint) {
  const { rows } = await db.query<{ passkey: boolean; totp: boolean; recovery: boolean }>(
    `select exists (select from passkey where user_id = $1) as passkey,
            exists (select from totp where user_id = $1 and confirmed_at is not null) as totp,
            exists (select from recovery_code where user_id = $1 and used_at is null) as recovery`,
    [userId],
  )
  const { passkey = false, totp = false, recovery = false } = rows[0] ?? {}
  return { passkey, totp, recovery, any: passkey || totp }
}

/** Returns the available second factors, preferred ones first; empty if none is set up. */
export async function loadSecondFactors(db: Db, userId: bigint): Promise<SecondFactor[]> {
  const { passkey, totp, recovery, any } = await loadFactors(db, userId)
  if (!any) return []
  return [
    ...(passkey ? ['passkey' as const] : []),
    ...(totp ? ['totp' as const] : []),
    ...(recovery ? ['recovery_code' as const] : []),
  ]
}
