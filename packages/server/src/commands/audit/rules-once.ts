// Rules for everything limited or used once: quotes and their reservations, other tokens, daily limits.

import { cryptoCodes } from '@tern/money/currency'
import type { Rule } from './rule.ts'

/** Housekeeping deletes older usage by the database's clock, wherever the sandbox clock is. */
const usageKeptDays = 400

// The user whose limit a movement counts against; reversals count against no limit. A send paid from outside counted
// when its payment began, and exchanges back from cryptocurrency are not outgoing.
const payers = `select id as reference, user_id, status, payment_id, kind,
    (kind = 'EXCHANGE' and target_currency not in (${cryptoCodes.map((code) => `'${code}'`).join(', ')}))
      or exists (select from payment where payment.id = payment_id and sent_usd_minor is not null) as counts_nothing
  from transaction
   where kind in ('SEND', 'EXCHANGE') or (kind = 'WITHDRAW' and exists (select from payout where payout.id = payment_id))`

// Usage of the day is undone for a withdrawal that did not stay at the bank, an outside payment without money, and a
// released transfer. Late money of an abandoned payment counts as received.
const isKept = (id: string) => `not exists (select from transfer h where h.id = ${id} and h.state = 'released')`
const countedMovements = `
  select t.user_id, (p.created_at at time zone 'UTC')::date as day, p.quota_amount as usd_minor,
      case t.kind when 'SEND' then 'transfer' when 'EXCHANGE' then 'exchange' else 'payout' end as method
    from (${payers}) t
    join ledger.posting p on p.reference = t.reference and p.quota_amount is not null
    left join payout o on o.id = t.payment_id and t.kind = 'WITHDRAW'
   where coalesce(o.status not in ('failed', 'returned'), true) and ${isKept('t.reference')}
  union all
  select user_id, counted_on, sent_usd_minor, 'transfer' from payment
   where sent_usd_minor is not null and status <> 'failed' and ${isKept('transaction_id')}
  union all
  select user_id, counted_on, pulled_usd_minor, case method when 'bank' then 'bank' else 'card' end
    from payment
   where pulled_usd_minor is not null and (status <> 'failed'
     or exists (select from settlement_line l where l.reference = payment.id and l.kind in ('capture', 'debit')))`

const counted = `select user_id, day, sum(usd_minor) as usd_minor, count(*) as movements from (${countedMovements}) m
  where method in ('transfer', 'exchange', 'payout') group by 1, 2`

const countedByMethod = `select user_id, day, method, sum(usd_minor) as usd_minor, count(*) as movements
  from (${countedMovements}) m where method <> 'transfer' group by 1, 2, 3`

// Postings from before usage was recorded; their days are checked as "at least".
const uncounted = `
  select t.reference, t.user_id, (p.created_at at time zone 'UTC')::date as day
    from (${payers}) t
    join ledger.posting p on p.reference = t.reference
   where t.status <> 'FAILED' and not (t.kind = 'SEND' and t.status = 'PENDING') and not t.counts_nothing
     and not exists (select from exchange_order o where o.transaction_id = t.reference and o.state = 'open')
   group by 1, 2, 3
  having bool_and(not exists (select from ledger.posting q where q.reference = t.reference and q.quota_amount is not null))`

// First entry of each account with recorded usage, by version, because postings have product times and migrations real
// times.
const firstCounted = `
  select e.account_id, min(e.version) as version from ledger.entry e join ledger.posting p on p.id = e.posting_id
   where p.quota_amount is not null group by e.account_id`

// A late deposit no longer names its quote, which may have been used again.
const quoted = `
  select t.quote_id, t.id as reference from transaction t left join payment m on m.id = t.payment_id
   where t.quote_id is not null and (t.status = 'COMPLETED' or (t.status = 'PENDING' and t.payment_id is not null))
     and not (t.kind = 'DEPOSIT' and m.quote_id is null)`

export const onceRules: readonly Rule[] = [
  {
    name: 'limit usage is what was counted',
    scope: 'select count(*) from limit_usage',
    broken: `with uncounted as (${uncounted})
      select user_id || ' on ' || to_char(day, 'YYYY-MM-DD') || ': ' || coalesce(u.usd_minor, 0) || ' of '
        || coalesce(c.usd_minor, 0) || ' US cents' || case when u.movements <> c.movements
          then ', ' || u.movements || ' of ' || c.movements || ' movements' else '' end as subject
      from limit_usage u full join (${counted}) c using (user_id, day)
      where (coalesce(u.usd_minor, 0) < coalesce(c.usd_minor, 0)
             -- Older days are cleared by and by.
             and (u.usd_minor is not null or day >= current_date - ${usageKeptDays}))
         or u.movements <> coalesce(c.movements, 0)
         or (coalesce(u.usd_minor, 0) > coalesce(c.usd_minor, 0) and (user_id, day) not in (select n.user_id, n.day from uncounted n))
      union all
      select distinct n.user_id || ' on ' || to_char(n.day, 'YYYY-MM-DD') || ': a movement counted nothing' from uncounted n
        join ledger.posting p on p.reference = n.reference
        join ledger.entry e on e.posting_id = p.id
        join (${firstCounted}) f on f.account_id = e.account_id and f.version < e.version`,
  },
  {
    name: 'limit usage by method is what was counted',
    scope: 'select count(*) from limit_usage_by_method',
    broken: `select user_id || ' on ' || to_char(day, 'YYYY-MM-DD') || ' by ' || method || ': ' || coalesce(u.usd_minor, 0) || ' of '
        || coalesce(c.usd_minor, 0) || ' US cents, ' || coalesce(u.movements, 0) || ' of ' || coalesce(c.movements, 0) || ' movements' as subject
      from limit_usage_by_method u full join (${countedByMethod}) c using (user_id, day, method)
      where (coalesce(u.usd_minor, 0) <> coalesce(c.usd_minor, 0) or coalesce(u.movements, 0) <> coalesce(c.movements, 0))
        and (u.usd_minor is not null or day >= current_date - ${usageKeptDays})`,
  },
  {
    name: 'quotes move money once',
    scope: `select count(*) from (${quoted}) q`,
    broken: `select quote_id || ' is named by ' || count(distinct reference) || ' movements' as subject
      from (${quoted}) q group by quote_id having count(distinct reference) > 1
      union all
      select q.quote_id || ' was not used up by ' || q.reference from (${quoted}) q join transaction t on t.id = q.reference
       where t.kind <> 'RECEIVE' and t.status = 'COMPLETED' and not exists (
         select from ledger.token k join ledger.posting p on p.id = k.posting_id
          where k.id = q.quote_id and p.reference = q.reference)`,
  },
  {
    name: 'used tokens have the posting and the holder that used them',
    scope: 'select count(*) from ledger.token',
    broken: `select k.id || case when k.posting_id is null then ' is reserved for ' || k.holder || ', which is not pending'
        when p.id is null then ' was used by a posting that is gone' else ' was used by another than its holder' end as subject
      from ledger.token k
      left join ledger.posting p on p.id = k.posting_id and p.refusal is null
      where case when k.posting_id is null then not exists (
          select from payment m where m.id = k.holder and m.quote_id = k.id and m.status in ('pending', 'needs_review'))
          and not exists (select from quote q where q.id = k.id and q.replaced_by = k.holder)
        else p.id is null or (k.holder <> p.id and not exists (
          select from transaction t where t.id = p.reference and t.payment_id = k.holder and t.quote_id = k.id)) end`,
  },
  {
    name: 'what is promised is the sum of its reservations',
    scope: 'select count(*) from liquidity_reservation',
    broken: `select currency || ': ' || coalesce(t.incoming, 0) || ' in and ' || coalesce(t.outgoing, 0) || ' out are promised, reserved are '
        || coalesce(r.incoming, 0) || ' and ' || coalesce(r.outgoing, 0) as subject
      from (select currency, sum(incoming) as incoming, sum(outgoing) as outgoing, sum(usd_minor) as usd_minor
              from (select * from liquidity_total union all select * from liquidity_change) s group by currency) t
      full join (select currency, sum(greatest(minor, 0)) as incoming, sum(greatest(-minor, 0)) as outgoing,
                     sum(usd_minor) as usd_minor from liquidity_reservation group by currency) r using (currency)
      where coalesce(t.incoming, 0) <> coalesce(r.incoming, 0) or coalesce(t.outgoing, 0) <> coalesce(r.outgoing, 0)
         or coalesce(t.usd_minor, 0) <> coalesce(r.usd_minor, 0)`,
  },
]
