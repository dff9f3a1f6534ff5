// Rules for ledger invariants that hold whatever the purpose of a posting.

import { permittedMoves } from '@tern/ledger/chart'
import type { AuditRule } from '../../platform/operations/audit-rule.ts'

const balances: readonly AuditRule[] = [
  {
    name: 'every currency sums to zero',
    scope: 'select count(distinct currency) from ledger.account',
    broken: `select currency || ' sums to ' || sum(balance) as subject
      from ledger.account group by currency having sum(balance) <> 0`,
    sinceSeal: 'all',
  },
  {
    name: 'every balance is the sum of its entries',
    scope: 'select count(*) from ledger.account',
    broken: `select a.name as subject from ledger.account a
      left join (select account_id, sum(amount) as sum from ledger.entry group by account_id) e on e.account_id = a.id
      where a.balance <> coalesce(e.sum, 0)
      union all
      select 'entries of the unknown account ' || e.account_id from ledger.entry e
       where not exists (select from ledger.account a where a.id = e.account_id)`,
    sinceSeal: 'none',
  },
  {
    name: 'every running balance follows from the entry before',
    scope: 'select count(*) from ledger.entry',
    broken: `select a.name || ' at entry ' || e.version as subject from (
        select account_id, version, balance, sum(amount) over (partition by account_id order by version) as running
          from ledger.entry
      ) e join ledger.account a on a.id = e.account_id where e.balance <> e.running
      union all
      select a.name || ' at its last entry' from ledger.account a
        join ledger.entry e on e.account_id = a.id and e.version = a.version where e.balance <> a.balance`,
    sinceSeal: 'none',
  },
  {
    name: 'entries count 1, 2, 3 … without a gap',
    scope: 'select count(*) from ledger.account where version > 0',
    broken: `select a.name as subject from ledger.account a
      left join (select account_id, count(*) as count, min(version) as first, max(version) as last
                   from ledger.entry group by account_id) e on e.account_id = a.id
      where a.version <> coalesce(e.count, 0) or coalesce(e.last, 0) <> a.version or coalesce(e.first, 1) <> 1`,
    sinceSeal: 'none',
  },
  {
    name: 'stripes are of their account',
    scope: 'select count(*) from ledger.account where stripe_of is not null',
    broken: `select a.name as subject from ledger.account a left join ledger.account base on base.id = a.stripe_of
      where a.stripe_of is not null and (base.id is null or base.stripe_of is not null or base.kind <> a.kind
        or base.currency <> a.currency or a.name !~ '#[1-9][0-9]*$' or regexp_replace(a.name, '#[0-9]+$', '') <> base.name)`,
    sinceSeal: 'all',
  },
  {
    name: 'no user is below zero',
    scope: `select count(*) from ledger.account where kind in ('wallet', 'hold')`,
    broken: `select distinct a.name as subject from ledger.account a
      left join ledger.entry e on e.account_id = a.id and e.balance < 0
      where a.kind in ('wallet', 'hold') and (a.balance < 0 or a.floor is null or a.floor < 0 or e.balance is not null)`,
  },
]

const postings: readonly AuditRule[] = [
  {
    name: 'every posting is balanced in every currency',
    scope: 'select count(*) from ledger.posting',
    broken: `select e.posting_id || ' in ' || a.currency as subject
      from ledger.entry e join ledger.account a on a.id = e.account_id
      group by e.posting_id, a.currency having sum(e.amount) <> 0
      union all
      select p.id || ' has no entries' from ledger.posting p
       where p.refusal is null and not exists (select from ledger.entry e where e.posting_id = p.id)
      union all
      select distinct e.posting_id || ' has entries without being posted' from ledger.entry e
       where not exists (select from ledger.posting p where p.id = e.posting_id)
      union all
      select p.id || ' was refused and has entries' from ledger.posting p
       where p.refusal is not null and exists (select from ledger.entry e where e.posting_id = p.id)`,
  },
  {
    name: 'entries carry the time of their posting',
    scope: 'select count(*) from ledger.entry',
    broken: `select distinct e.posting_id || ' at ' || e.created_at as subject
      from ledger.entry e join ledger.posting p on p.id = e.posting_id where e.created_at <> p.created_at`,
  },
  {
    // Leg codes are not stored, so a leg is valid if any purpose permits it.
    name: 'every leg is a permitted move',
    scope: `select count(*) from (select from ledger.entry group by posting_id, leg having jsonb_array_length($1) > 0) legs`,
    broken: `select l.posting_id || ' leg ' || l.leg || ': ' || coalesce(l.from_kind, 'nobody') || ' pays '
        || coalesce(l.to_kind, 'nobody') as subject
      from (
        select e.posting_id, e.leg, count(*) as entries, sum(e.amount) as sum, count(distinct a.currency) as currencies,
            min(a.kind) filter (where e.amount < 0) as from_kind, min(a.kind) filter (where e.amount > 0) as to_kind
          from ledger.entry e join ledger.account a on a.id = e.account_id group by e.posting_id, e.leg
      ) l
      where l.entries <> 2 or l.sum <> 0 or l.currencies <> 1 or not exists (
        select from jsonb_to_recordset($1) as m("from" text, "to" text) where m."from" = l.from_kind and m."to" = l.to_kind)`,
    expected: permittedMoves,
  },
  {
    name: 'permitted moves are those of the chart',
    scope: 'select jsonb_array_length($1) as count',
    broken: `select coalesce(m.from_kind, c."from") || ' to ' || coalesce(m.to_kind, c."to") || ' for ' || coalesce(m.code, c.code)
        || case when c.code is null then ' is permitted beyond the chart' when m.code is null then ' is missing'
             else ' differs in whose accounts' end as subject
      from ledger.permitted_move m
      full join jsonb_to_recordset($1) as c("from" text, "to" text, code text, "sameOwner" boolean)
        on c."from" = m.from_kind and c."to" = m.to_kind and c.code = m.code
      where c.code is null or m.code is null or m.same_owner <> coalesce(c."sameOwner", false)`,
    expected: permittedMoves,
    sinceSeal: 'all',
  },
  {
    name: 'legs of a posting count 0, 1, 2 … in the order of its entries',
    scope: 'select count(*) from ledger.posting where refusal is null',
    broken: `select posting_id || ' has ' || count(distinct leg) || ' legs, numbered ' || min(leg) || ' to ' || max(leg) as subject
        from ledger.entry group by posting_id having min(leg) <> 0 or max(leg) <> count(distinct leg) - 1
      union all
      select posting_id || ' has leg ' || leg || ' after leg ' || before from (
        select posting_id, leg, lag(leg) over in_order as before, lag(posting_id) over in_order as posting_before
          from ledger.entry window in_order as (partition by account_id order by version)) e
       where posting_before = posting_id and before > leg`,
  },
]

export const ledgerRules: readonly AuditRule[] = [...balances, ...postings]
