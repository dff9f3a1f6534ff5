import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import type { Seal } from '../../../platform/seal.ts'
import type { Alerts } from '../sign-in/sign-in-alerts.ts'
import type { Client } from '../sessions/sessions.ts'

/** Ten single-use codes for when the other factors are lost. */
export interface RecoveryCodes {
  /** Issues ten codes, shown only now, and voids the old ones. */
  renew(tx: Tx, userId: bigint): Promise<string[]>
  /** The same for an account without codes; null otherwise. */
  issueFirst(tx: Tx, userId: bigint): Promise<string[] | null>
  /** Spends an unused code of this user and mails them, else false. `sessionId`: the session using it, if any. */
  spend(code: string, by: { userId: bigint; sessionId?: string | undefined; client: Client }): Promise<boolean>
  drop(tx: Tx, userId: bigint): Promise<void>
}

const codes = 10
const groupLength = 5
// Crockford's base32 leaves out ambiguous letters.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const newGroup = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Ignores spaces and dashes; reads O as 0, I and L as 1. */
const normalize = (typed: string): string =>
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
  const hashOf = (userId: bigint, code: string) => seal.fingerprint(`recovery code ${userId} ${normalize(code)}`)

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
      return transact(pool, async (tx) => {
        const { rowCount } = await tx.query(
          'update recovery_code set used_at = $3 where user_id = $1 and hash = $2 and used_at is null',
          [by.userId, hashOf(by.userId, code), at],
        )
        if (rowCount !== 1) return false
        await alerts.alertChange(tx, { ...by, change: 'recovery_code_used', at })
        return true
      })
    },
  }
}
