import type { Topic } from '@tern/contract/events'
import type { Db, Tx } from '../database/db.ts'

/** Topic that has changed; `version` changes with each further change. */
export interface ChangedTopic {
  readonly topic: Topic
  readonly version: string
}

/** Records, in the transaction of a change, that a list of each user changed. The caller wakes their streams. */
export async function recordTopicChange(tx: Tx, userIds: readonly bigint[], topic: Topic): Promise<void> {
  await tx.query(
    'insert into changed_topic (user_id, topic) select distinct unnest($1::bigint[]), $2 on conflict do nothing',
    [userIds, topic],
  )
}

/**
 * Returns the topics of a user that changed in transactions with id `xid` or higher, and those that changed since
 * `atMs`, in milliseconds since 1970 by the database's clock.
 */
export async function readTopicsSince(
  db: Db,
  userId: bigint,
  { xid, atMs }: { xid: bigint; atMs: number | undefined },
): Promise<ChangedTopic[]> {
  const { rows } = await db.query<ChangedTopic>(
    // A later commit may have a lower transaction id, so the version covers all ids.
    `select topic, md5(string_agg(xid::text, ' ' order by xid)) as version from (
       select topic, xid from changed_topic where user_id = $1 and xid >= $2::text::xid8
       union
       select topic, xid from changed_topic where user_id = $1 and changed_at >= to_timestamp($3 / 1000.0)) as changed
      group by topic order by topic`,
    [userId, String(xid), atMs],
  )
  return rows
}
