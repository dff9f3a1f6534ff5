// Rules for cases and held money: transfers of an open case do not move, enough operators decide each case, and open
// cases and held transfers have deadlines.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'

/** Time the worker may take to carry out a decision or to handle a missed deadline. */
const workerTime = `interval '1 hour'`

/**
 * SQL: case `c` was decided recently by the database's clock. `decided_at` is unsuitable: the product's clock may be
 * ahead.
 */
const isRecentlyDecidedSql = `exists (select from row_seal s
  where s.relation = 'compliance_case' and s.row_key = c.id::text and s.sealed_at > now() - ${workerTime})`

// SQL: number of operators who decided case `c`, in the last round of its review or of the objection that cleared it.
const decidersSql = `
  select count(distinct d.operator_id) as people, max(d.decided_at) as at
    from (select 'cases' as queue, r.id as subject, case c.state when 'cleared' then 'clear' else 'confirm' end as verdict
            from compliance_review r where r.case_id = c.id
          union all
          select 'objections', o.id, 'uphold' from compliance_objection o
           where o.case_id = c.id and o.state = 'upheld' and c.state = 'cleared') as e
    join desk_item i on i.queue = e.queue and i.subject = e.subject and i.verdict = e.verdict
    join desk_decision d on d.queue = i.queue and d.subject = i.subject and d.round = i.round and d.verdict = i.verdict
   group by e.subject order by people desc limit 1`

// SQL: number of operators that must decide case `c`: two, or one for a pattern that held no money at the time.
const requiredOperatorsSql = `
  case when c.kind = 'pattern' and not exists (
    select from compliance_case_transfer l join transfer t on t.id = l.transfer_id
     where l.case_id = c.id and l.linked_at < coalesce(by.at, c.decided_at) and t.held_at < coalesce(by.at, c.decided_at)) then 1 else 2 end`

/**
 * SQL: a required list is missing or stale, or was checked recently and may have been stale until then, so the worker
 * may not have released the transfers held for it yet.
 */
const staleListsSql = `exists (select from screening_policy p left join lateral (
    select checked_at from screening_list where source = p.source order by version desc limit 1) l on true
  where p.is_required and coalesce(
    l.checked_at + make_interval(hours => p.max_age_hours) < now() or l.checked_at > now() - ${workerTime}, true))`

export const auditRules: readonly AuditRule[] = [
  {
    name: 'nothing moves while a case of it stands',
    scope: 'select count(*) from compliance_case_transfer',
    broken: `select t.id || ' is ' || t.state || ', and case ' || c.id || ' is ' || c.state as subject
      from compliance_case_transfer l
      join compliance_case c on c.id = l.case_id
      join transfer t on t.id = l.transfer_id
      where (c.state = 'open' and t.state in ('settled', 'released', 'processing'))
         -- A deposit goes back to its bank.
         or (c.state = 'confirmed' and (t.state = 'settled' or t.state = 'processing' and t.kind <> 'deposit'))`,
    sinceSeal: 'all',
  },
  {
    name: 'cases are ended by two people',
    scope: `select count(*) from compliance_case where state <> 'open'`,
    broken: `select c.id || ' is ' || c.state || ' by ' || coalesce(by.people, 0) || ' of ' || ${requiredOperatorsSql} as subject
      from compliance_case c left join lateral (${decidersSql}) as by on true
      where c.state <> 'open' and coalesce(by.people, 0) < ${requiredOperatorsSql}`,
    sinceSeal: 'all',
  },
  {
    // Deadlines are in product time, which is never behind the database's clock, so a deadline before `now()` is
    // missed.
    name: 'open cases wait for somebody, until a time',
    scope: `select count(*) from compliance_case where state = 'open'`,
    broken: `select c.id || case when due.by < now() - ${workerTime} then ' is past its deadline, and no lead has it'
        else ' waits for nobody' end as subject
      from compliance_case c
      cross join lateral (select coalesce(c.need_by, c.decide_by) as by) as due
      where c.state = 'open' and (due.by < now() - ${workerTime}
        or case c.need
          when 'nothing' then not exists (select from compliance_review r where r.case_id = c.id and r.closed_at is null)
          else not exists (select from compliance_question q
            where q.case_id = c.id and q.need = c.need and q.answer_by = c.need_by and q.answered_at is null) end)`,
    sinceSeal: 'all',
  },
  {
    name: 'what is held knows for what, and until when',
    scope: `select count(*) from transfer where state = 'held' and hold_reason in ('compliance', 'street_mode')`,
    broken: `select t.id || ' is held by ' || t.hold_reason || case when t.hold_reason = 'street_mode' then ' and can never be confirmed'
        when due.open = 0 then ' without a case' else ' until ' || t.held_until || ' instead of ' || due.until end as subject
      from transfer t
      left join street_hold s on s.transfer_id = t.id
      cross join lateral (
        select count(*) filter (where c.state <> 'cleared' or ${isRecentlyDecidedSql}) as open,
            max(coalesce(c.need_by, c.decide_by)) filter (where c.state = 'open') as until
          from compliance_case_transfer l join compliance_case c on c.id = l.case_id where l.transfer_id = t.id) as due
      where t.state = 'held' and case t.hold_reason
        when 'compliance' then (due.open = 0 and not ${staleListsSql}) or t.held_until <> due.until
        when 'street_mode' then s.transfer_id is null
          or t.held_until <= coalesce(t.held_at, t.created_at) + make_interval(secs => s.confirm_after_seconds)
        else false end`,
    sinceSeal: 'all',
  },
]
