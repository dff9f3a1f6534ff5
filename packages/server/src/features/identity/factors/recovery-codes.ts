import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import type { IdentityContext } from '../context.ts'
import { alertChange } from '../mailed-links/security-alerts.ts'
import type { Client } from '../sessions/sessions.ts'
import { type CodeVerdict, plainCode } from './one-time-code.ts'

// Ten single-use codes that replace a lost app or passkey, at sign-in and in step-up.

const codeCount = 10
const groupLength = 5
// Crockford's base32 alphabet, which omits ambiguous letters.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const newGroup = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Removes spaces and dashes; reads O as 0, I and L as 1. */
const normalize = (codeText: string): string =>
  plainCode(codeText).toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')

const hashInput = (userId: bigint, code: string): string => `recovery code ${userId} ${normalize(code)}`

export async function dropRecoveryCodes(tx: Tx, userId: bigint): Promise<void> {
  await tx.query('delete from recovery_code where user_id = $1', [userId])
}

/** Replaces the account's codes with ten new ones. Only their keyed hashes are stored. */
export async function newRecoveryCodes(ctx: IdentityContext, tx: Tx, userId: bigint): Promise<string[]> {
  await dropRecoveryCodes(tx, userId)
  const newCodes = Array.from({ length: codeCount }, () => `${newGroup()}-${newGroup()}`)
  await tx.query(
    'insert into recovery_code (user_id, hash, created_at) select $1, hash, $3 from unnest($2::bytea[]) as hash',
    [userId, newCodes.map((code) => ctx.seals.recoveryCode.fingerprint(hashInput(userId, code))), ctx.realNow()],
  )
  return newCodes
}

/** Issues codes for an account without unused ones; otherwise returns null. */
export async function createFirstRecoveryCodes(ctx: IdentityContext, tx: Tx, userId: bigint): Promise<string[] | null> {
  const unusedCodeSql = 'select from recovery_code where user_id = $1 and used_at is null limit 1'
  return (await tx.query(unusedCodeSql, [userId])).rowCount ? null : newRecoveryCodes(ctx, tx, userId)
}

/** Checks a code, marks a right one as used, and alerts the account holder. */
export const consumeRecoveryCode = (
  ctx: IdentityContext,
  pool: pg.Pool,
  { code, ...by }: { code: string; userId: bigint; sessionId?: string | undefined; client: Client },
): Promise<CodeVerdict> =>
  transact(pool, async (tx) => {
    const at = ctx.realNow()
    const keys = [by.userId, ctx.seals.recoveryCode.fingerprints(hashInput(by.userId, code))]
    const { rowCount } = await tx.query(
      'update recovery_code set used_at = $3 where user_id = $1 and hash = any($2::bytea[]) and used_at is null',
      [...keys, at],
    )
    if (rowCount !== 1) {
      const usedCode = await tx.query('select from recovery_code where user_id = $1 and hash = any($2::bytea[])', keys)
      return usedCode.rowCount ? 'used' : 'wrong'
    }
    await alertChange(ctx, tx, { ...by, change: 'recovery_code_used', at })
    return 'right'
  })
