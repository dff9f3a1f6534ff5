import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { Alerts } from '../sign-in/sign-in-alerts.ts'
import type { Client } from '../sessions/sessions.ts'

/** Ten codes for the day on which the phone is gone, each good once. */
export interface RecoveryCodes {
  /** Ten new ones, to be shown this once; the old ones are void. */
  renew(tx: Tx, userId: bigint): Promise<string[]>
  /** The same for an account without any; null for one that has some, which stay good. */
  issueFirst(tx: Tx, userId: bigint): Promise<string[] | null>
  /** Whether it was one of theirs and unused. Spends it, and tells its owner by mail; `sessionId` is who used it, if any. */
  spend(code: string, by: { userId: bigint; sessionId?: string | undefined; client: Client }): Promise<boolean>
  drop(tx: Tx, userId: bigint): Promise<void>
}

const codes = 10
const groupLength = 5
// Crockford's base32 leaves out letters that look like others.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const newGroup = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')

/** What was meant by what was typed: spaces and dashes mean nothing, O is a zero, I and L are ones. */
const meant = (typed: string): string =>
  typed
    .toUpperCase()
    .replaceAll(/[\s\u2010-\u2015-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')

export function createRecoveryCodes({
  pool,
  seal,
  alerts,
  realNow,
}: {
  pool: pg.Pool
  seal: Seal
  alerts: Alerts
  realNow: () => Date
}): RecoveryCodes {
  const hashOf = (userId: bigint, code: string) => seal.fingerprint(`recovery code ${userId} ${meant(code)}`)

  async function drop(tx: Tx, userId: bigint): Promise<void> {
    await tx.query('delete from recovery_code where user_id = $1', [userId])
  }

  async function renew(tx: Tx, userId: bigint): Promise<string[]> {
    await drop(tx, userId)
    const fresh = Array.from({ length: codes }, () => `${newGroup()}-${newGroup()}`)
    await tx.query(
      'insert into recovery_code (user_id, hash, created_at) select $1, hash, $3 from unnest($2::bytea[]) as hash',
      [userId, fresh.map((code) => hashOf(userId, code)), realNow()],
    )
    return fresh
  }

  return {
    renew,
    drop,
    async issueFirst(tx, userId) {
      const { rowCount } = await tx.query('select from recovery_code where user_id = $1 and used_at is null limit 1', [
        userId,
      ])
      return rowCount ? null : renew(tx, userId)
    },
    async spend(code, by) {
      const at = realNow()
      const isSpent = await transact(pool, async (tx) => {
        const { rowCount } = await tx.query(
          'update recovery_code set used_at = $3 where user_id = $1 and hash = $2 and used_at is null',
          [by.userId, hashOf(by.userId, code), at],
        )
        if (rowCount !== 1) return false
        await alerts.tellOfChange(tx, { ...by, change: 'recovery_code_used', at })
        return true
      })
      if (isSpent) alerts.deliverSoon()
      return isSpent
    },
  }
}
