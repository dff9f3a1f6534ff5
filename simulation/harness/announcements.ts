// Checks that notifications and mails about money were made exactly once, from the transactions alone.

import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/**
 * Notifications that each transaction must have caused: by its owner, the event's key, and the codes of which exactly
 * one announces it. A payer is notified of the first payment to each payee only.
 */
const expectedSql = `
  select user_id, id::text as key, '{money_received,request_paid,request_part_paid}'::text[] as codes
    from transaction where kind = 'RECEIVE' and status = 'COMPLETED'
  union all
  select user_id, id::text, '{deposit_arrived,deposit_repriced}' from transaction
   where kind = 'DEPOSIT' and status = 'COMPLETED' and split_part(description, ' ', 1) in ('card_deposit', 'bank_deposit')
  union all
  select user_id, id::text, '{withdrawal_returned}' from transaction
   where kind = 'DEPOSIT' and status = 'COMPLETED' and split_part(description, ' ', 1) = 'withdrawal_returned'
  union all
  select user_id, id::text, '{withdrawal_arrived,withdrawal_failed}' from transaction t
   where kind = 'WITHDRAW' and status in ('COMPLETED', 'FAILED') and split_part(description, ' ', 1) = 'withdrawal'
     and not exists (select from payout p where p.id = t.payment_id and p.reason = 'cancelled')
  union all
  select distinct user_id, recipient_id::text, '{new_payee_paid}'::text[] from transaction
   where kind = 'SEND' and status = 'COMPLETED' and recipient_id is not null`

const misnotifiedSql = `
  select e.codes[1] || ' for ' || e.key || ' of user ' || e.user_id || ': ' || n.count || ' notifications' as text
    from (${expectedSql}) e cross join lateral (
      select count(*) as count from notification n
       where n.user_id = e.user_id and n.dedupe = e.key and n.code = any (e.codes)) n
   where n.count <> 1
   order by 1`

/** Mails are limited to a number per hour; the rest waits for a summary, which `mail_due_at` announces. */
const mismailedSql = `
  select 'user ' || u.id || ': ' || received.count || ' payments received, ' || mailed.count || ' mailed, '
         || received.waiting || ' waiting for a summary' as text
    from app_user u
    cross join lateral (
      select count(*) as count, count(*) filter (where mail_due_at is not null) as waiting
        from notification where user_id = u.id and code = 'money_received') received
    cross join lateral (select count(*) as count from mail where user_id = u.id and template = 'money_received') mailed
   where received.count <> mailed.count + received.waiting
     and not exists (select from mail where user_id = u.id and template = 'money_received_summary')
  union all
  select 'user ' || u.id || ': ' || notified.count || ' new payees, ' || mailed.count || ' mailed'
    from app_user u
    cross join lateral (
      select count(*) as count from notification where user_id = u.id and code = 'new_payee_paid') notified
    cross join lateral (select count(*) as count from mail where user_id = u.id and template = 'new_payee_paid') mailed
   where notified.count <> mailed.count
  union all
  select 'the mail ' || id || ' (' || template || ') was ' || coalesce(given_up_reason, 'not sent')
    from mail where sent_at is null
   order by 1`

interface Reader {
  readonly email: string
  readonly sent: number
}

/** Mails that the sandbox lists for one address at most. */
const mostListed = 200

export interface Announcements {
  readonly notifications: number
  readonly mails: number
  readonly faults: readonly string[]
}

const announcedMs = 60_000

/**
 * Waits until the workers have announced everything, for a minute at most. Returns the numbers of notifications and
 * mails, and a sentence for each that is missing or doubled. Only at rest.
 */
export async function checkAnnouncements(pool: pg.Pool, sandboxUrl: string): Promise<Announcements> {
  for (const end = Date.now() + announcedMs; ; await delay(1000)) {
    const announcements = await readAnnouncements(pool, sandboxUrl)
    if (announcements.faults.length === 0 || Date.now() > end) return announcements
  }
}

/** Does the same without waiting. */
export async function readAnnouncements(pool: pg.Pool, sandboxUrl: string): Promise<Announcements> {
  const query = async (text: string) => (await pool.query<{ text: string }>(text)).rows.map((row) => row.text)
  const { rows: readers } = await pool.query<Reader>(
    `select u.email, count(m.id)::int as sent from app_user u left join mail m on m.user_id = u.id and m.sent_at is not null
      group by u.email`,
  )
  const { rows: sums } = await pool.query<{ count: number }>('select count(*)::int as count from notification')
  return {
    notifications: sums[0]?.count ?? 0,
    mails: readers.reduce((sum, { sent }) => sum + sent, 0),
    faults: [
      ...(await query(misnotifiedSql)),
      ...(await query(mismailedSql)),
      ...(await findMisdelivered(readers, sandboxUrl)),
    ],
  }
}

/** Compares the mails sent to each address with those that the provider has received. */
async function findMisdelivered(readers: readonly Reader[], sandboxUrl: string): Promise<string[]> {
  const faults: string[] = []
  for (const { email, sent } of readers) {
    const answer = await fetch(`${sandboxUrl}/api/mail?to=${encodeURIComponent(email)}`)
    const received = ((await answer.json()) as unknown[]).length
    if (received !== Math.min(sent, mostListed)) faults.push(`${email}: ${sent} mails sent and ${received} received`)
  }
  return faults
}
