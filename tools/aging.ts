// What a test or a benchmark needs to be older than it is. The database refuses that, so its guards are off for the moment.

import type pg from 'pg'

type Database = Pick<pg.Pool, 'query'>

/**
 * Makes the sends so far (those of `senderId`, else all) older by `hours`, as if they had been made then: the rows of both
 * parties, their postings, and what they counted on their day.
 */
export async function ageSends(
  db: Database,
  { hours = 25, senderId }: { hours?: number; senderId?: bigint } = {},
): Promise<void> {
  const ofSender = senderId === undefined ? '' : `and user_id = ${senderId}`
  await ageTransactions(db, `select id from transaction where kind = 'SEND' ${ofSender}`, hours)
}

/** Makes a payout older by `hours`, with its row, its reservation, and what it counted on its day. */
export async function agePayout(db: Database, payoutId: string, hours: number): Promise<void> {
  await ageTransactions(db, `select transaction_id from payout where id = '${payoutId}'`, hours)
  await db.query(`update payout set created_at = created_at - interval '${hours} hours' where id = $1`, [payoutId])
}

async function ageTransactions(db: Database, ids: string, hours: number): Promise<void> {
  const counted = (sign: '+' | '-', at: string) => {
    const sums = (further: string, kinds: string) => `
      select t.user_id, ((${at}) at time zone 'UTC')::date as day, ${further} sum(p.quota_amount), count(*) from ledger.posting p
        join transaction t on t.id = p.reference and t.kind in (${kinds})
       where p.quota_amount is not null and p.reference in (${ids}) group by 1, 2`
    const add = `set usd_minor = u.usd_minor ${sign} excluded.usd_minor, movements = u.movements ${sign} excluded.movements`
    return `
      insert into limit_usage as u (user_id, day, usd_minor, movements) ${sums('', `'SEND', 'WITHDRAW'`)}
        on conflict (user_id, day) do update ${add}, free_usd_minor = null;
      insert into limit_usage_by_method as u (user_id, day, method, usd_minor, movements) ${sums(`'payout',`, `'WITHDRAW'`)}
        on conflict (user_id, day, method) do update ${add};`
  }
  const age = `created_at = created_at - interval '${hours} hours'`
  // Without parameters all of it is one message, and so one transaction; tables are locked in the order of a movement.
  await db.query(`
    alter table ledger.posting disable trigger user;
    alter table ledger.entry disable trigger user;
    alter table transaction disable trigger user;
    ${counted('-', 'p.created_at')}
    ${counted('+', `p.created_at - interval '${hours} hours'`)}
    update ledger.entry set ${age} where posting_id in (select id from ledger.posting where reference in (${ids}));
    update ledger.posting set ${age} where reference in (${ids});
    update transaction set ${age} where id in (${ids});
    alter table transaction enable trigger user;
    alter table ledger.entry enable trigger user;
    alter table ledger.posting enable trigger user;`)
}

/** Makes the payments of a user older by `minutes`, with the rows by which bank debits were announced. */
export async function agePayments(db: Database, userId: number, minutes: number): Promise<void> {
  await db.query(`
    alter table transaction disable trigger user;
    update transaction t set created_at = t.created_at - interval '${minutes} minutes'
      from payment p where p.id = t.payment_id and p.user_id = ${userId} and p.method = 'bank' and t.created_at = p.created_at;
    update payment set created_at = created_at - interval '${minutes} minutes', last_polled_at = last_polled_at - interval '${minutes} minutes',
        cancel_requested_at = cancel_requested_at - interval '${minutes} minutes'
     where user_id = ${userId};
    alter table transaction enable trigger user;`)
}
