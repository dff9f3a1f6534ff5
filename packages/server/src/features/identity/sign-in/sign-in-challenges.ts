import type { Db, Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import type { SignInMethod } from './complete-sign-in.ts'
import { lockCredentials, type VerifiedCredentials } from '../sessions/verified-credentials.ts'
import { hashSecret, newSecret } from '../secrets.ts'
import type { SignInChallengeRow } from '../row-types.ts'

const lifetimeMinutes = 10

/** Stores a challenge, which together with a second factor opens a session. */
export async function addChallenge(
  { realNow }: Pick<IdentityContext, 'realNow'>,
  tx: Tx,
  {
    credentials: { userId, credentialsVersion },
    signInMethod,
  }: { credentials: VerifiedCredentials; signInMethod: SignInMethod },
): Promise<{ challenge: string; expiresAt: Date }> {
  const at = realNow()
  const challenge = newSecret()
  const expiresAt = new Date(at.getTime() + lifetimeMinutes * 60_000)
  await tx.query(
    `insert into sign_in_challenge (hash, user_id, sign_in_method, created_at, expires_at, credentials_version)
     values ($1, $2, $3, $4, $5, $6)`,
    [hashSecret(challenge), userId, signInMethod, at, expiresAt, credentialsVersion],
  )
  return { challenge, expiresAt }
}

/** Returns the user of a challenge without using it up. Refuses `challenge_invalid`. */
export async function findChallengeUser(
  { realNow }: Pick<IdentityContext, 'realNow'>,
  db: Db,
  challenge: string,
): Promise<bigint> {
  const { rows } = await db.query<Pick<SignInChallengeRow, 'user_id'>>(
    'select user_id from sign_in_challenge where hash = $1 and used_at is null and expires_at > $2',
    [hashSecret(challenge), realNow()],
  )
  return rows[0]?.user_id ?? refuse('challenge_invalid')
}

/**
 * Uses up a challenge and locks the user's credentials. Refuses `challenge_invalid`, also if the credentials changed
 * since the first factor.
 */
export async function consumeChallenge(
  tx: Tx,
  { challenge, at }: { challenge: string; at: Date },
): Promise<{ userId: bigint; signInMethod: SignInMethod }> {
  const hash = hashSecret(challenge)
  const { rows } = await tx.query<VerifiedCredentials & { signInMethod: SignInMethod }>(
    `select user_id as "userId", credentials_version as "credentialsVersion", sign_in_method as "signInMethod" from sign_in_challenge
      where hash = $1`,
    [hash],
  )
  const { signInMethod, ...credentials } = rows[0] ?? refuse('challenge_invalid')
  // Locks the user before the challenge, like `endAllAccess`, to avoid deadlocks.
  await lockCredentials(tx, credentials)
  const spentChallenge = await tx.query(
    'update sign_in_challenge set used_at = $2 where hash = $1 and used_at is null and expires_at > $2',
    [hash, at],
  )
  return spentChallenge.rowCount === 1 ? { userId: credentials.userId, signInMethod } : refuse('challenge_invalid')
}
