import { type Db, onlyRow } from '../../../platform/database/db.ts'
import type { Client } from './sessions.ts'

type Account = { readonly email: string } | { readonly userId: bigint }

/**
 * Returns a key for a browser in which a user has signed in to the account; undefined for others. Sign-ins that were
 * reported by a mailed link, or revoked when the mailbox owner proved the address, do not count.
 */
export async function findKnownBrowser(
  db: Db,
  { client: { browser }, ...account }: Account & { client: Client },
): Promise<string | undefined> {
  if (browser === undefined) return undefined
  const { rows } = await db.query<{ known: boolean }>(
    `select exists (
       select from app_user join session on session.user_id = app_user.id
        where (app_user.id = $1 or lower(email) = lower($2)) and device = $3
          and coalesce(revoked_reason, '') not in ('unrecognized', 'address_verified_by_another')) as known`,
    ['userId' in account ? account.userId : null, 'email' in account ? account.email : null, browser],
  )
  return onlyRow(rows).known ? `browser ${browser.toString('hex')}` : undefined
}
