// Rules for disputes: refunds match the ledger and never exceed the payment, and frozen evidence is unchanged.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'
import { reversalKinds } from '../wallets/audit-rules.ts'

/** SQL: 1 for a credit to the account holder, -1 for a debit or recovery. */
const signSql = (row: string) => `case when ${row}.kind in ('provisional', 'final') then 1 else -1 end`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'what disputes moved is what their owners see',
    scope: 'select count(*) from dispute_posting',
    broken: `select p.dispute_id || ' ' || p.kind || ' moved ' || p.amount_minor || ' ' || p.currency || ', its owner sees '
        || coalesce(t.target_amount::text, 'nothing') as subject
      from dispute_posting p join dispute d on d.id = p.dispute_id
      left join ledger.posting l on l.id = p.posting_id and l.refusal is null
      left join transaction t on t.user_id = d.user_id and t.id = p.transaction_id and t.posting_id = p.posting_id
      where l.id is null or p.currency <> d.currency or (p.kind <> 'recovered' and (t.status is distinct from 'COMPLETED'
        or t.kind is distinct from case when p.kind in ('taken_back', 'repaid') then 'WITHDRAW' else 'DEPOSIT' end
        or t.target_amount <> p.amount_minor or t.target_currency <> p.currency))`,
  },
  {
    name: 'disputes give back no more than is claimed',
    scope: 'select count(*) from dispute',
    broken: `select d.id || ' is ' || d.state || ' and has given ' || coalesce(p.given, 0) || ' of ' || d.claimed_minor
        || ', of that ' || coalesce(p.fee, 0) || ' of ' || d.claimed_fee_minor || ' as fee' as subject
      from dispute d left join (
        select dispute_id, sum(${signSql('dispute_posting')} * amount_minor) as given, sum(${signSql('dispute_posting')} * fee_minor) as fee,
            bool_or(kind = 'final') as is_final, bool_or(kind = 'taken_back') as is_taken_back
          from dispute_posting group by dispute_id) p on p.dispute_id = d.id
      where coalesce(p.given, 0) not between 0 and d.claimed_minor or coalesce(p.fee, 0) not between 0 and d.claimed_fee_minor
        or coalesce(p.given - p.fee, 0) < 0
        or (d.state in ('open', 'dismissed', 'withdrawn') and p.is_final) or (d.state = 'open' and p.is_taken_back)`,
  },
  {
    name: 'a disputed transaction is given back once',
    scope: 'select count(distinct (user_id, transaction_id)) from dispute',
    // Adds the refunds of disputes and the bank's return; `most` is the highest sum that may be given back.
    broken: `select t.id || ' was given back ' || c.minor + coalesce(r.minor, 0) || ' of ' || most.minor || ', of that ' || c.fee || ' of '
        || t.fee_amount || ' as fee' as subject
      from (
        select d.user_id, d.transaction_id, d.currency, sum(${signSql('p')} * p.amount_minor) as minor, sum(${signSql('p')} * p.fee_minor) as fee
          from dispute d join dispute_posting p on p.dispute_id = d.id and p.kind <> 'recovered' group by 1, 2, 3) c
      join transaction t on t.user_id = c.user_id and t.id = c.transaction_id
      left join (
        select o.transaction_id, sum(e.amount) as minor
          from payout o
          join settlement_line l on l.reference = o.id and l.kind = 'payout_return'
          join wallet w on w.user_id = o.user_id
          join ledger.account a on a.name = 'wallet:' || w.id || ':' || o.currency
          join ledger.entry e on e.account_id = a.id and e.posting_id = l.posting_id
         group by 1) r on r.transaction_id = t.id
      cross join lateral (select case when t.status = 'FAILED' then 0 when t.kind in ('SEND', 'WITHDRAW') then t.source_amount + t.fee_amount
        when c.currency = t.target_currency then t.target_amount else t.fee_amount end as minor) most
      where c.minor + coalesce(r.minor, 0) > most.minor or c.fee > t.fee_amount`,
  },
  {
    name: 'disputes give nothing that a card or bank had back',
    scope: `select count(*) from dispute_posting where kind in ('provisional', 'final')`,
    // Counts provider reversals up to the dispute's posting only: a later reversal opens a loss. An account holder's
    // repayment of that loss is not a refund.
    broken: `select p.dispute_id || ' gave ' || p.amount_minor || ' when ' || given.minor + back.minor || ' of '
        || t.source_amount + t.fee_amount || ' was given back' as subject
      from dispute_posting p
      join dispute d on d.id = p.dispute_id
      join transaction t on t.user_id = d.user_id and t.id = d.transaction_id and t.kind = 'SEND'
      join payment m on m.id = t.payment_id
      join ledger.posting l on l.id = p.posting_id
      cross join lateral (
        select sum(${signSql('o')} * o.amount_minor) as minor
          from dispute_posting o join dispute e on e.id = o.dispute_id join ledger.posting k on k.id = o.posting_id
         where e.user_id = d.user_id and e.transaction_id = d.transaction_id and k.created_at <= l.created_at) given
      cross join lateral (
        select (select coalesce(-sum(n.amount_minor), 0) from settlement_line n join ledger.posting q on q.id = n.posting_id
             where n.reference = m.id and n.kind in ${reversalKinds} and q.created_at < l.created_at)
          + (select coalesce(sum(y.amount), 0) from ledger.entry y
               join ledger.account a on a.id = y.account_id and a.name = 'wallet:' || t.wallet_id || ':' || m.currency
             where y.created_at < l.created_at and y.posting_id in (
               select n.posting_id from settlement_line n where n.reference = m.id and n.kind in ${reversalKinds}
               union all select x.id from reconciliation_exception x where x.kind = 'loss' and x.reference = m.id)) as minor) back
      where p.kind in ('provisional', 'final') and given.minor + back.minor > t.source_amount + t.fee_amount`,
  },
  {
    name: 'what disputes recovered was returned by the bank, once',
    scope: `select (select count(*) from dispute_posting where kind = 'recovered') + (select count(*) from payout where status = 'returned') as count`,
    broken: `select p.dispute_id || ' recovered ' || p.amount_minor || ' that no bank returned' as subject
      from dispute_posting p join dispute d on d.id = p.dispute_id
      where p.kind = 'recovered' and not exists (
        select from payout o join settlement_line l on l.reference = o.id and l.kind = 'payout_return'
         where o.transaction_id = d.transaction_id and l.posting_id = p.posting_id)
      union all
      select o.id || ' was returned, and ' || max(abs(l.amount_minor)) || ' of it recovered as ' || sum(p.amount_minor - p.fee_minor)
        from payout o
        join settlement_line l on l.reference = o.id and l.kind = 'payout_return'
        join dispute_posting p on p.posting_id = l.posting_id and p.kind = 'recovered'
       group by o.id having sum(p.amount_minor - p.fee_minor) > max(abs(l.amount_minor)) or sum(p.fee_minor) > o.fee_minor`,
  },
  {
    name: 'disputes moved what they say, and nothing else did',
    scope: `select count(*) from dispute where state <> 'open'`,
    broken: `select d.id || ' is credited, and nothing was given' as subject
      from dispute d where d.outcome = 'credited' and not exists (
        select from dispute_posting p join ledger.posting l on l.id = p.posting_id and l.refusal is null
         where p.dispute_id = d.id and p.kind in ('provisional', 'final'))
      union all
      select l.id || ' is a ' || l.kind || ' of no dispute' from ledger.posting l
       where l.kind in ('dispute_credit', 'dispute_refund', 'dispute_credit_taken_back') and l.refusal is null
         and not exists (select from dispute_posting p where p.posting_id = l.id)`,
  },
  {
    name: 'credits that could not be taken back are losses',
    scope: `select count(*) from reconciliation_exception x join dispute d on d.id = x.reference where x.kind = 'loss'`,
    broken: `select d.id || ' lacked ' || x.amount_minor || ' of ' || kept.minor || ', of which ' || kept.repaid
        || ' are repaid and its loss is ' || coalesce(x.resolution, 'open') as subject
      from dispute d join reconciliation_exception x on x.reference = d.id and x.kind = 'loss'
      cross join lateral (
        select coalesce(sum(case p.kind when 'provisional' then p.amount_minor when 'taken_back' then -p.amount_minor end), 0) as minor,
          coalesce(sum(p.amount_minor) filter (where p.kind = 'recovered'), 0) as recovered,
          coalesce(sum(p.amount_minor) filter (where p.kind = 'repaid'), 0) as repaid
          from dispute_posting p where p.dispute_id = d.id) kept
      where x.amount_minor not between kept.minor - kept.recovered and kept.minor or kept.repaid > x.amount_minor
        or (x.resolution is not distinct from 'paid_by_person') <> (kept.repaid > 0)
      union all
      select p.dispute_id || ' was repaid ' || p.amount_minor || ', and lacked nothing' from dispute_posting p
       where p.kind = 'repaid' and not exists (select from reconciliation_exception x
         where x.id = p.posting_id and x.kind = 'loss' and x.reference = p.dispute_id)`,
  },
  {
    name: 'a credit that operators stopped is not given',
    scope: 'select count(*) from dispute',
    broken: `select d.id || ' was credited for the time being after its credit was stopped' as subject
      from dispute d join dispute_posting p on p.dispute_id = d.id and p.kind = 'provisional' and p.at >= d.suspected_at
      union all
      select d.id || ' was stopped, and nobody decided so' from dispute d
       where d.suspected_at is not null and not exists (
         select from dispute_review r
           join desk_item i on i.queue = 'disputes' and i.subject = r.id and i.verdict = 'suspect_fraud'
           join desk_decision o on o.queue = i.queue and o.subject = i.subject and o.round = i.round and o.verdict = i.verdict
          where r.dispute_id = d.id)`,
    sinceSeal: 'all',
  },
  {
    name: 'what was frozen for a dispute is as it was',
    scope: `select count(*) from dispute where statement <> ''`,
    broken: `select d.id || ' has other evidence than was frozen' as subject from dispute d join app_user u on u.id = d.user_id
      where u.deleted_at is null
        and d.hash <> sha256(convert_to(concat_ws(E'\n', d.id, d.kind, d.statement, d.facts::text), 'UTF8'))`,
    sinceSeal: 'all',
  },
]
