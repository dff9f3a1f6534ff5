// Disputes: what they gave back is in the ledger, and never more than was taken; what was frozen is as it was.

import type { Rule } from '../rule.ts'

export const disputeRules: readonly Rule[] = [
  {
    name: 'what disputes moved is what their owners see',
    scope: 'select count(*) from dispute_posting',
    broken: `select p.dispute_id || ' ' || p.kind || ' moved ' || p.amount_minor || ' ' || p.currency || ', its owner sees '
        || coalesce(t.target_amount::text, 'nothing') as subject
      from dispute_posting p join dispute d on d.id = p.dispute_id
      left join ledger.posting l on l.id = p.posting_id and l.refusal is null
      left join transaction t on t.user_id = d.user_id and t.id = p.transaction_id and t.posting_id = p.posting_id
      where l.id is null or p.currency <> d.currency or (p.kind <> 'recovered' and (t.status is distinct from 'COMPLETED'
        or t.kind is distinct from case p.kind when 'taken_back' then 'WITHDRAW' else 'DEPOSIT' end
        or t.target_amount <> p.amount_minor or t.target_currency <> p.currency))`,
  },
  {
    name: 'disputes give back no more than is claimed',
    scope: 'select count(*) from dispute',
    broken: `select d.id || ' is ' || d.state || ' and has given ' || coalesce(p.given, 0) || ' of ' || d.claimed_minor as subject
      from dispute d left join (
        select dispute_id, sum(case when kind in ('provisional', 'final') then amount_minor else -amount_minor end) as given,
            bool_or(kind = 'final') as is_final, bool_or(kind = 'taken_back') as is_taken_back
          from dispute_posting group by dispute_id) p on p.dispute_id = d.id
      where coalesce(p.given, 0) not between 0 and d.claimed_minor
        or (d.state in ('open', 'dismissed', 'withdrawn') and p.is_final) or (d.state = 'open' and p.is_taken_back)`,
  },
  {
    name: 'a disputed transaction is given back once',
    scope: 'select count(distinct (user_id, transaction_id)) from dispute',
    broken: `select d.transaction_id || ' was given back ' || sum(p.minor) || ' of ' || max(t.source_amount + t.fee_amount) as subject
      from dispute d
      join transaction t on t.user_id = d.user_id and t.id = d.transaction_id and t.kind in ('SEND', 'WITHDRAW')
      join (select dispute_id, case when kind in ('provisional', 'final') then amount_minor else -amount_minor end as minor
              from dispute_posting) p on p.dispute_id = d.id
      group by d.user_id, d.transaction_id having sum(p.minor) > max(t.source_amount + t.fee_amount)`,
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
    name: 'what was frozen for a dispute is as it was',
    scope: `select count(*) from dispute where statement <> ''`,
    broken: `select d.id || ' has other evidence than was frozen' as subject from dispute d join app_user u on u.id = d.user_id
      where u.deleted_at is null
        and d.hash <> sha256(convert_to(concat_ws(E'\n', d.id, d.kind, d.statement, d.facts::text), 'UTF8'))`,
  },
]
