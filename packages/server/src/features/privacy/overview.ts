import type { DataCategory, HeldData, privacyOverview } from '@tern/contract/privacy/privacy'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Db } from '../../platform/database/db.ts'
import { readMailChoices } from '../notifications/notifications.ts'
import { readConsents } from './consents/consents.ts'
import { readCorrections } from './corrections.ts'
import { categories, readableTables } from './held/held-tables.ts'

/** SQL: count and earliest time of a user's entries per table. */
const countsSql = readableTables
  .map(
    ({ category, rows, since }) =>
      `select '${category}' as category, count(*) as entries, ${since ? `min(${since})` : 'null::timestamptz'} as since ${rows}`,
  )
  .join('\nunion all\n')

/** Data held about a user, for all categories, including empty ones. */
async function readHeld(db: Db, userId: bigint): Promise<HeldData[]> {
  const { rows } = await db.query<{ category: DataCategory; entries: number; since: Date | null }>(
    `select category, sum(entries)::int as entries, min(since) as since from (${countsSql}) as held group by category`,
    [userId],
  )
  const countsByCategory = new Map(rows.map((row) => [row.category, row]))
  return (Object.keys(categories) as DataCategory[]).map((category) => {
    const { entries = 0, since = null } = countsByCategory.get(category) ?? {}
    return Object.assign({ category, entries, since: since?.toISOString() ?? null }, categories[category])
  })
}

export async function readOverview(db: Db, userId: bigint): Promise<Reply<typeof privacyOverview>> {
  const [storedCategories, chosen, corrections] = await Promise.all([
    readHeld(db, userId),
    readMailChoices(db, userId),
    readCorrections(db, userId),
  ])
  return { held: storedCategories, consents: await readConsents(db, { userId, chosen }), corrections }
}
