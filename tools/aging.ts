// What a test or a benchmark needs to be older than it is. The database refuses that, so its guards are off for the moment.

import type pg from 'pg'

/**
 * Makes the sends so far (those of `senderId`, else all) older by `hours`, as if they had been made then: the rows of both
 * parties and their postings.
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

/** Makes the payments of a user older by `minutes`, with the rows by which bank debits were announced. */
export async function agePayments(db: Pick<pg.Pool, 'query'>, userId: number, minutes: number): Promise<void> {
  await db.query(`
    alter table transaction disable trigger user;
    update transaction t set created_at = t.created_at - interval '${minutes} minutes'
      from payment p where p.id = t.payment_id and p.user_id = ${userId} and p.method = 'bank' and t.created_at = p.created_at;
    update payment set created_at = created_at - interval '${minutes} minutes', asked_at = asked_at - interval '${minutes} minutes',
        cancel_asked_at = cancel_asked_at - interval '${minutes} minutes'
     where user_id = ${userId};
    alter table transaction enable trigger user;`)
}
