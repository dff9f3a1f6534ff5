// Backdates rows for tests and benchmarks, bypassing the database's guards. Also waits for the next day.

import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

type Database = Pick<pg.Pool, 'query'>

/** Backdates sends (of `senderId`, or all) by `hours`, including rows, postings and daily usage. */
export async function ageSends(
  db: Database,
  { hours = 25, senderId }: { hours?: number; senderId?: bigint } = {},
): Promise<void> {
  const senderCondition = senderId === undefined ? '' : `and user_id = ${senderId}`
  await ageTransactions(db, `select id from transaction where kind = 'SEND' ${senderCondition}`, hours)
}

/** Backdates a user's deposits by `hours`: rows, postings and restricted lots, in every account. */
export async function ageDeposits(db: Database, userId: number, hours: number): Promise<void> {
  await ageTransactions(db, `select id from transaction where kind = 'DEPOSIT' and user_id = ${userId}`, hours)
  await ageRestrictions(db, userId, hours)
}

/** Brings the maturity of a user's deposits forward by `hours`, in every account that holds a part of them. */
export async function ageRestrictions(db: Database, userId: number, hours: number): Promise<void> {
  await db.query(`
    update restricted_money set matures_at = matures_at - interval '${hours} hours', created_at = created_at - interval '${hours} hours'
     where matures_at <> 'infinity' and origin in (select id from payment where user_id = ${userId})`)
}

/** Backdates a payout by `hours`, including its row, reservation and daily usage. */
export async function agePayout(db: Database, payoutId: string, hours: number): Promise<void> {
  await ageTransactions(db, `select transaction_id from payout where id = '${payoutId}'`, hours)
  await db.query(
    `update payout set created_at = created_at - interval '${hours} hours', updated_at = updated_at - interval '${hours} hours' where id = $1`,
    [payoutId],
  )
}

async function ageTransactions(db: Database, ids: string, hours: number): Promise<void> {
  const buildCountSql = (sign: '+' | '-', at: string) => {
    const buildSumSql = (groupColumns: string, kinds: string) => `
      select t.user_id, ((${at}) at time zone 'UTC')::date as day, ${groupColumns} sum(p.quota_amount), count(*) from ledger.posting p
        join transaction t on t.id = p.reference and t.kind in (${kinds})
       where p.quota_amount is not null and p.reference in (${ids}) group by 1, 2`
    const add = `set usd_minor = u.usd_minor ${sign} excluded.usd_minor, movements = u.movements ${sign} excluded.movements`
    return `
      insert into limit_usage as u (user_id, day, usd_minor, movements) ${buildSumSql('', `'SEND', 'WITHDRAW'`)}
        on conflict (user_id, day) do update ${add}, free_usd_minor = null;
      insert into limit_usage_by_method as u (user_id, day, method, usd_minor, movements) ${buildSumSql(`'payout',`, `'WITHDRAW'`)}
        on conflict (user_id, day, method) do update ${add};`
  }
  const age = `created_at = created_at - interval '${hours} hours'`
  // Several statements in one query run as one transaction; the tables are locked in the same order as by a posting.
  await db.query(`
    alter table ledger.posting disable trigger user;
    alter table ledger.entry disable trigger user;
    alter table transaction disable trigger user;
    ${buildCountSql('-', 'p.created_at')}
    ${buildCountSql('+', `p.created_at - interval '${hours} hours'`)}
    update ledger.entry set ${age} where posting_id in (select id from ledger.posting where reference in (${ids}));
    update ledger.posting set ${age} where reference in (${ids});
    update transaction set ${age}, changed_at = changed_at - interval '${hours} hours' where id in (${ids});
    alter table transaction enable trigger user;
    alter table ledger.entry enable trigger user;
    alter table ledger.posting enable trigger user;`)
}

/** Backdates a user's payments by `minutes`, including the rows of pending bank debits. */
export async function agePayments(db: Database, userId: number, minutes: number): Promise<void> {
  await db.query(`
    alter table transaction disable trigger user;
    update transaction t set created_at = t.created_at - interval '${minutes} minutes'
      from payment p where p.id = t.payment_id and p.user_id = ${userId} and p.method = 'bank' and t.created_at = p.created_at;
    update payment set created_at = created_at - interval '${minutes} minutes', last_polled_at = last_polled_at - interval '${minutes} minutes',
        cancel_requested_at = cancel_requested_at - interval '${minutes} minutes',
        price_held_until = price_held_until - interval '${minutes} minutes'
     where user_id = ${userId};
    alter table transaction enable trigger user;`)
}

const dayMs = 86_400_000

/** Waits for the next UTC day if the current one, by the clock `now`, ends within half a minute. */
export async function waitForDayStart(now: () => Date): Promise<void> {
  const remainingMs = dayMs - (now().getTime() % dayMs)
  if (remainingMs < 30_000) await delay(remainingMs + 100)
}
