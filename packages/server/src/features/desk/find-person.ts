import { canonicalEmail } from '@tern/contract/protocol/text/email'
import type { Db } from '../../platform/database/db.ts'
import { isUserNumber } from '../identity/identity.ts'
import type { AppUserRow } from '../identity/row-types.ts'

/**
 * Returns the user number for an exact username or email, undefined if there is none. A valid user number is returned
 * without a lookup.
 */
export async function findPerson(db: Db, text: string): Promise<bigint | undefined> {
  const identifier = text.trim()
  if (/^[1-9]\d{9}$/.test(identifier)) return isUserNumber(BigInt(identifier)) ? BigInt(identifier) : undefined
  const { rows } = await db.query<Pick<AppUserRow, 'id'>>(
    'select id from app_user where lower(username) = lower($1) or lower(email) = lower($1)',
    [canonicalEmail(identifier) ?? identifier.replace(/^@/, '')],
  )
  return rows[0]?.id
}
