import type { SecondFactor } from '@tern/contract/sign-in'
import type pg from 'pg'

/** The second factors of accounts. */
export interface Factors {
  /** How somebody can prove themself a second time, best first; none when no factor is set up. */
  methodsOf(userId: bigint): Promise<SecondFactor[]>
}

export function createFactors({ pool }: { pool: pg.Pool }): Factors {
  return {
    async methodsOf(userId) {
      const { rows } = await pool.query<{ passkey: boolean; totp: boolean; recovery: boolean }>(
        `select exists (select from passkey where user_id = $1) as passkey,
                exists (select from totp where user_id = $1 and confirmed_at is not null) as totp,
                exists (select from recovery_code where user_id = $1 and used_at is null) as recovery`,
        [userId],
      )
      const { passkey = false, totp = false, recovery = false } = rows[0] ?? {}
      if (!passkey && !totp) return []
      return [
        ...(passkey ? ['passkey' as const] : []),
        ...(totp ? ['totp' as const] : []),
        ...(recovery ? ['recovery_code' as const] : []),
      ]
    },
  }
}
