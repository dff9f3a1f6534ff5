import type { Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import type { Seal } from '../../../platform/seal.ts'

/** What `createSeal` is called with for them. */
export const retainedIdentityPurpose = 'privacy/retained-identity'

/** How long the law demands that it stays known who a verified customer was (directive (EU) 2015/849, article 40). */
const keptYears = 5

/** When the identity of somebody who leaves now is due to be deleted. */
export function keptUntil(at: Date): Date {
  const until = new Date(at)
  until.setUTCFullYear(until.getUTCFullYear() + keptYears)
  return until
}

/** Seals who somebody was. No page and no endpoint opens it; housekeeping deletes it when it is due. */
export async function retainIdentity(tx: Tx, seal: Seal, userId: bigint, content: object, at: Date): Promise<void> {
  const id = newId(at)
  await insertRow(tx, 'retained_identity', {
    ...{ id, user_id: userId, content: seal.seal(JSON.stringify(content), id) },
    ...{ closed_at: at, due_at: keptUntil(at) },
  })
}

/** What is kept of somebody who has left, for a court or an open case. Undefined when nothing is, or not any more. */
export async function openRetainedIdentity(tx: Tx, seal: Seal, userId: bigint): Promise<unknown> {
  const { rows } = await tx.query<{ id: string; content: Buffer }>(
    'select id, content from retained_identity where user_id = $1',
    [userId],
  )
  const [row] = rows
  return row && (JSON.parse(seal.open(row.content, row.id)) as unknown)
}
