import { Secret, TOTP } from 'otpauth'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { type CodeVerdict, plainCode } from './one-time-code.ts'
import type { TotpRow } from '../row-types.ts'

// Authenticator app codes: RFC 6238 with SHA-1, 30 seconds, six digits; each valid once.

const stepSeconds = 30
const issuer = 'Tern'
const setupMinutes = 60
const secretBytes = 20

type TotpFields = Pick<TotpRow, 'secret' | 'next_secret' | 'confirmed_at'>

const sealContext = (userId: bigint) => `totp ${userId}`

/** Returns the time step of a valid code, else undefined. */
function findStep({ seals, realNow }: IdentityContext, sealedSecret: Buffer, userId: bigint, enteredCode: string) {
  const code = plainCode(enteredCode)
  if (!/^\d{6}$/.test(code)) return undefined
  const secret = Secret.fromBase32(seals.totp.open(sealedSecret, sealContext(userId)))
  const timestamp = realNow().getTime()
  const stepOffset = new TOTP({ secret, period: stepSeconds }).validate({ token: code, timestamp, window: 1 })
  if (stepOffset === null) return undefined
  return Math.floor(timestamp / 1000 / stepSeconds) + stepOffset // not money: a count of half minutes
}

/** Accepts a code of the current time step or a neighboring one, once. `used`: it or a later code was accepted. */
export async function consumeTotp(
  ctx: IdentityContext,
  db: Db,
  { userId, code }: { userId: bigint; code: string },
): Promise<CodeVerdict> {
  const { rows } = await db.query<TotpFields>(
    'select secret from totp where user_id = $1 and confirmed_at is not null',
    [userId],
  )
  const step = rows[0] && findStep(ctx, rows[0].secret, userId, code)
  if (step === undefined) return 'wrong'
  // Rejects the code and all older ones from now on.
  const update = await db.query(
    'update totp set last_step = $2 where user_id = $1 and confirmed_at is not null and secret = $3 and last_step < $2',
    [userId, step, rows[0]?.secret],
  )
  return update.rowCount === 1 ? 'right' : 'used'
}

/** Stores a pending secret. A confirmed secret stays valid until the first code of the new one. */
export async function beginTotp(
  { seals, realNow }: IdentityContext,
  tx: Tx,
  { id, email }: { id: bigint; email: string },
): Promise<{ secret: string; uri: string }> {
  const secret = new Secret({ size: secretBytes })
  await tx.query(
    `insert into totp as known (user_id, secret, created_at, begun_at) values ($1, $2, $3, $3)
     on conflict (user_id) do update set
       secret = case when known.confirmed_at is null then $2 else known.secret end,
       next_secret = case when known.confirmed_at is null then null else $2 end,
       begun_at = $3`,
    [id, seals.totp.seal(secret.base32, sealContext(id)), realNow()],
  )
  return { secret: secret.base32, uri: new TOTP({ issuer, label: email, secret }).toString() }
}

/**
 * Activates the pending secret; false if `code` does not match it. Refuses `challenge_invalid` unless the setup began
 * within the last hour.
 */
export async function activateTotp(
  ctx: IdentityContext,
  tx: Tx,
  { userId, sessionId, code }: { userId: bigint; sessionId: string; code: string },
): Promise<boolean> {
  const at = ctx.realNow()
  const { rows } = await tx.query<TotpFields>(
    `select secret, next_secret, confirmed_at from totp
      where user_id = $1 and begun_at > $2::timestamptz - make_interval(mins => $3) for update`,
    [userId, at, setupMinutes],
  )
  const sealedSecret = rows[0]?.next_secret ?? rows[0]?.secret ?? refuse('challenge_invalid')
  const step = findStep(ctx, sealedSecret, userId, code)
  if (step === undefined) return false
  await tx.query(
    `update totp set secret = $2, next_secret = null, begun_at = null, confirmed_at = $3, last_step = $4, session_id = $5
      where user_id = $1`,
    [userId, sealedSecret, at, step, sessionId],
  )
  return true
}

/** Removes the app and any pending secret. False if no app was confirmed. */
export async function deleteTotp(tx: Tx, userId: bigint): Promise<boolean> {
  const { rows } = await tx.query<TotpFields>('delete from totp where user_id = $1 returning confirmed_at', [userId])
  return rows[0] !== undefined && rows[0].confirmed_at !== null
}
