import type pg from 'pg'

type Db = Pick<pg.ClientBase, 'query'>

const rowsAtOnce = 20_000

/** Returns whether the database was restored into another cluster and has not been adopted there. */
export async function isRestoredDatabase(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ other: boolean }>(
    `select exists (select from database_cluster, pg_control_system() as here
                     where database_cluster.identifier <> here.system_identifier) as other`,
  )
  return rows[0]?.other === true
}

/**
 * Adopts a database restored into another cluster, whose transaction ids may be lower. Event streams would report rows
 * with higher ids as new, so those rows get an id older than all others. Run by the owner without concurrent writes;
 * resumable.
 */
export async function adoptCluster(db: Db): Promise<void> {
  if (!(await isRestoredDatabase(db))) return
  const { rows } = await db.query<{ next: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as next')
  for (let from = rows[0]?.next; from !== undefined;) {
    const changed: pg.QueryResult<{ last: string }> = await db.query(
      `with ahead as (
         select user_id, id, xid from transaction where xid >= $1::text::xid8 order by xid limit ${String(rowsAtOnce)}
       ), changed as (
         update transaction as t set xid = '3'::xid8 from ahead where t.user_id = ahead.user_id and t.id = ahead.id
         returning ahead.xid
       )
       select xid::text as last from changed order by xid desc limit 1`,
      [from],
    )
    from = changed.rows[0]?.last
  }
  // Streams resumed from the other cluster then reload everything.
  await db.query('delete from changed_topic')
  await db.query('update database_cluster set identifier = system_identifier from pg_control_system()')
}
