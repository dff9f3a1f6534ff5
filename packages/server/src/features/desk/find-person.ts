import type { Queryable } from '../../platform/database/db.ts'
import { isUserNumber } from '../identity/identity.ts'

/** The user number of whoever is named exactly, by user number, username or the whole email; undefined where nobody is. */
export async function findPerson(db: Queryable, typed: string): Promise<bigint | undefined> {
  const who = typed.trim()
  if (/^[1-9]\d{9}$/.test(who)) return isUserNumber(BigInt(who)) ? BigInt(who) : undefined
  const { rows } = await db.query<{ id: bigint }>(
    'select id from app_user where lower(username) = lower($1) or lower(email) = lower($1)',
    [who.replace(/^@/, '')],
  )
  return rows[0]?.id
}
