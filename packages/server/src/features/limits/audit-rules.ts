import { cryptoCodes } from '@tern/money/currency'
import type { AuditRule } from '../../platform/operations/audit-rule.ts'

/** Days for which usage is kept, by the database's clock rather than the product's. */
const usageKeptDays = 400

// Transactions that can count against limits. `counts_nothing`: exchanges into fiat currency, which are not outgoing,
// and sends paid from outside, which were counted when the payment began.
const countedTransactionsSql = `select id as reference, user_id, status, payment_id, kind,
    (kind = 'EXCHANGE' and target_currency not in (${cryptoCodes.map((code) => `'${code}'`).join(', ')}))
      or exists (select from payment where payment.id = payment_id and sent_usd_minor is not null) as counts_nothing
  from transaction
   where kind in ('SEND', 'EXCHANGE') or (kind = 'WITHDRAW' and exists (select from payout where payout.id = payment_id))`

// Movements that count: all except failed or returned withdrawals, failed outside payments and released transfers. A
// failed payment still counts as pulled in if its money arrived.
const isNotReleasedSql = (id: string) =>
  `not exists (select from transfer h where h.id = ${id} and h.state = 'released')`
const countedMovementsSql = `
  select t.user_id, (p.created_at at time zone 'UTC')::date as day, p.quota_amount as usd_minor,
      case t.kind when 'SEND' then 'transfer' when 'EXCHANGE' then 'exchange' else 'payout' end as method
    from (${countedTransactionsSql}) t
    join ledger.posting p on p.reference = t.reference and p.quota_amount is not null
    left join payout o on o.id = t.payment_id and t.kind = 'WITHDRAW'
   where coalesce(o.status not in ('failed', 'returned'), true) and ${isNotReleasedSql('t.reference')}
  union all
  select user_id, counted_on, sent_usd_minor, 'transfer' from payment
   where sent_usd_minor is not null and status <> 'failed' and ${isNotReleasedSql('transaction_id')}
  union all
  select user_id, counted_on, pulled_usd_minor, case method when 'bank' then 'bank' else 'card' end
    from payment
   where pulled_usd_minor is not null and (status <> 'failed'
     or exists (select from settlement_line l where l.reference = payment.id and l.kind in ('capture', 'debit')))`

const countedUsageSql = `select user_id, day, sum(usd_minor) as usd_minor, count(*) as movements from (${countedMovementsSql}) m
  where method in ('transfer', 'exchange', 'payout') group by 1, 2`

const countedByMethodSql = `select user_id, day, method, sum(usd_minor) as usd_minor, count(*) as movements
  from (${countedMovementsSql}) m where method <> 'transfer' group by 1, 2, 3`

// Movements from before usage was recorded. On their days, recorded usage may exceed what is counted here.
const unrecordedUsageSql = `
  select t.reference, t.user_id, (p.created_at at time zone 'UTC')::date as day
    from (${countedTransactionsSql}) t
    join ledger.posting p on p.reference = t.reference
   where t.status <> 'FAILED' and not (t.kind = 'SEND' and t.status = 'PENDING') and not t.counts_nothing
     and not exists (select from exchange_order o where o.transaction_id = t.reference and o.state = 'open')
   group by 1, 2, 3
  having bool_and(not exists (select from ledger.posting q where q.reference = t.reference and q.quota_amount is not null))`

// First ledger entry with recorded usage per account. Compared by version, because postings have the product's time and
// migrations the real time.
const firstCountedSql = `
  select e.account_id, min(e.version) as version from ledger.entry e join ledger.posting p on p.id = e.posting_id
   where p.quota_amount is not null group by e.account_id`

/** SQL condition: an audit since a seal checks only days of which it reads every movement. */
const isReadSql = `day >= coalesce(nullif(current_setting('tern.audit_from_day', true), '')::date, '-infinity')`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'limit usage is what was counted',
    scope: `select count(*) from limit_usage where ${isReadSql}`,
    broken: `with uncounted as (${unrecordedUsageSql})
      select user_id || ' on ' || to_char(day, 'YYYY-MM-DD') || ': ' || coalesce(u.usd_minor, 0) || ' of '
        || coalesce(c.usd_minor, 0) || ' US cents' || case when u.movements <> c.movements
          then ', ' || u.movements || ' of ' || c.movements || ' movements' else '' end as subject
      from limit_usage u full join (${countedUsageSql}) c using (user_id, day)
      where ${isReadSql} and ((coalesce(u.usd_minor, 0) < coalesce(c.usd_minor, 0)
             -- Older days are cleared by and by.
             and (u.usd_minor is not null or day >= current_date - ${usageKeptDays}))
         or u.movements <> coalesce(c.movements, 0)
         or (coalesce(u.usd_minor, 0) > coalesce(c.usd_minor, 0) and (user_id, day) not in (select n.user_id, n.day from uncounted n)))
      union all
      select distinct n.user_id || ' on ' || to_char(n.day, 'YYYY-MM-DD') || ': a movement counted nothing' from uncounted n
        join ledger.posting p on p.reference = n.reference
        join ledger.entry e on e.posting_id = p.id
        join (${firstCountedSql}) f on f.account_id = e.account_id and f.version < e.version`,
  },
  {
    name: 'limit usage by method is what was counted',
    scope: `select count(*) from limit_usage_by_method where ${isReadSql}`,
    broken: `select user_id || ' on ' || to_char(day, 'YYYY-MM-DD') || ' by ' || method || ': ' || coalesce(u.usd_minor, 0) || ' of '
        || coalesce(c.usd_minor, 0) || ' US cents, ' || coalesce(u.movements, 0) || ' of ' || coalesce(c.movements, 0) || ' movements' as subject
      from limit_usage_by_method u full join (${countedByMethodSql}) c using (user_id, day, method)
      where ${isReadSql}
        and (coalesce(u.usd_minor, 0) <> coalesce(c.usd_minor, 0) or coalesce(u.movements, 0) <> coalesce(c.movements, 0))
        and (u.usd_minor is not null or day >= current_date - ${usageKeptDays})`,
  },
]
