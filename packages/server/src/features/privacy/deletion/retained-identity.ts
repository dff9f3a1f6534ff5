import type pg from 'pg'
import type { UserAndTime } from '../../identity/identity.ts'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { PrivacyContext } from '../context.ts'
import { recordDataAccess } from '../data-access.ts'
import type { RetainedIdentityRow } from '../row-types.ts'

export const retainedIdentityPurpose = 'privacy/retained-identity'

/** Years for which the identity of a verified customer must be retained (directive (EU) 2015/849, article 40). */
const retentionYears = 5

/** Deletion date of an identity retained since `at`. */
export function computeRetentionEnd(at: Date): Date {
  const until = new Date(at)
  until.setUTCFullYear(until.getUTCFullYear() + retentionYears)
  return until
}

/** Seals and stores a user's identity. Only `readRetained` opens it; housekeeping deletes it when due. */
export async function retainIdentity(
  { seal }: Pick<PrivacyContext, 'seal'>,
  tx: Tx,
  { userId, content, at }: UserAndTime & { content: object },
): Promise<void> {
  const id = newId(at)
  await insertRow(tx, 'retained_identity', {
    id,
    user_id: userId,
    content: seal.seal(JSON.stringify(content), id),
    closed_at: at,
    due_at: computeRetentionEnd(at),
  })
}

/** The retained identity of a former user, for a court or an open case. Records the access. Refuses `not_found`. */
export async function readRetained(
  { seal, now }: Pick<PrivacyContext, 'seal' | 'now'>,
  pool: pg.Pool,
  { userId, operator }: { userId: bigint; operator: string },
): Promise<unknown> {
  return transact(pool, async (tx) => {
    const { rows } = await tx.query<Pick<RetainedIdentityRow, 'id' | 'content'>>(
      'select id, content from retained_identity where user_id = $1',
      [userId],
    )
    const { id, content } = rows[0] ?? refuse('not_found')
    const access = { userId, role: 'operator', operator, purpose: 'retained_identity', at: now() } as const
    await recordDataAccess(tx, { ...access, what: ['identity', 'numbers'] })
    return JSON.parse(seal.open(content, id)) as unknown
  })
}
