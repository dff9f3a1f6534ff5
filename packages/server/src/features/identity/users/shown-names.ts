import type { Db } from '../../../platform/database/db.ts'

/** Records that the viewer was shown the owner's full name; a repeated call keeps the first time. */
export async function recordShownName(
  db: Db,
  { viewerId, ownerId, at }: { readonly viewerId: bigint; readonly ownerId: bigint; readonly at: Date },
): Promise<void> {
  await db.query('insert into shown_name values ($1, $2, $3) on conflict do nothing', [viewerId, ownerId, at])
}

/** SQL condition: the viewer was shown the owner's present full name at or before a time. */
export const wasShownSql = (viewer: string, owner: string, at: string): string =>
  `exists (select from shown_name where viewer_id = ${viewer} and owner_id = ${owner} and shown_at <= ${at})`
