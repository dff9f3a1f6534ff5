import type pg from 'pg'

/**
 * Makes the sends so far (those of `senderId`, else all) older by `hours`, as if they had been made then: the rows of both
 * parties and their postings. The database refuses that, so its guards are off for the moment.
 */
export async function ageSends(
  db: Pick<pg.Pool, 'query'>,
  { hours = 25, senderId }: { hours?: number; senderId?: bigint } = {},
): Promise<void> {
  // Without parameters all of it is one message, and so one transaction; tables are locked in the order of a movement.
  await db.query(`
    alter table ledger.posting disable trigger user;
    alter table transaction disable trigger user;
    update ledger.posting set created_at = created_at - interval '${hours} hours'
     where reference in (select id from transaction where kind = 'SEND' ${senderId === undefined ? '' : `and user_id = ${senderId}`});
    update transaction set created_at = created_at - interval '${hours} hours'
     where id in (select id from transaction where kind = 'SEND' ${senderId === undefined ? '' : `and user_id = ${senderId}`});
    alter table transaction enable trigger user;
    alter table ledger.posting enable trigger user;`)
}
