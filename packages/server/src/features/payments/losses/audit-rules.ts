// Audit rules for losses: every loss in the ledger must be covered by an exception of its payment or dispute.

import type { AuditRule } from '../../../platform/operations/audit-rule.ts'

/** SQL: gross and net loss per payment: amount taken from our loss account, and that amount less later recoveries. */
const lossPerPaymentSql = `
  select reference, currency, -sum(amount) as missing, -sum(amount) filter (where amount < 0) as taken from (
    select l.reference, a.currency, e.amount from settlement_line l
      join ledger.entry e on e.posting_id = l.posting_id
      join ledger.account a on a.id = e.account_id and a.kind = 'loss'
      join payment p on p.id = l.reference
    union all
    select x.reference, a.currency, e.amount from reconciliation_exception x
      join ledger.entry e on e.posting_id = x.id
      join ledger.account a on a.id = e.account_id and a.kind = 'loss'
      join payment p on p.id = x.reference
     where x.kind = 'loss') moved
   group by 1, 2`

const recordedLossSql = `
  select reference, currency, sum(amount_minor) as minor, bool_and(closed_at is not null) as is_closed,
      bool_or(resolution = 'manual') as is_written_off
    from reconciliation_exception where kind = 'loss' group by 1, 2`

export const lossRules: readonly AuditRule[] = [
  {
    name: 'what the ledger lost is noted as losses',
    scope: `select count(*) from ledger.entry e join ledger.account a on a.id = e.account_id and a.kind = 'loss'`,
    broken: `select l.reference || ' lacks ' || l.missing || ' ' || l.currency || ', its losses are '
          || case when x.minor is null then 'nothing' when x.is_closed then x.minor || ' and closed' else x.minor::text end as subject
        from (${lossPerPaymentSql}) l left join (${recordedLossSql}) x using (reference, currency)
       where l.missing > coalesce(x.minor, 0) or x.minor > l.taken or l.missing > 0 and x.is_closed and not coalesce(x.is_written_off, false)
      union all
      select d.id || ' lacks ' || g.minor || ' ' || d.currency || ' of its credit, and no loss is noted'
        from dispute d join (
          select dispute_id, coalesce(sum(case kind when 'provisional' then amount_minor when 'taken_back' then -amount_minor
              when 'recovered' then -amount_minor end), 0) as minor
            from dispute_posting group by dispute_id) g on g.dispute_id = d.id
       where d.state in ('dismissed', 'withdrawn') and g.minor > 0
         and not exists (select from reconciliation_exception x where x.kind = 'loss' and x.reference = d.id)
      union all
      select 'postings of kind ' || p.kind || ' lost ' || -sum(e.amount) || ' ' || a.currency || ' for nothing that is known'
        from ledger.entry e
        join ledger.account a on a.id = e.account_id and a.kind = 'loss'
        join ledger.posting p on p.id = e.posting_id
       where not exists (select from settlement_line l where l.posting_id = p.id)
         and not exists (select from dispute_posting d where d.posting_id = p.id)
         and not exists (select from reconciliation_exception x where x.id = p.id and x.kind = 'loss')
       group by p.kind, a.currency`,
  },
]
