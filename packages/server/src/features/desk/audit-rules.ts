// Rules for the desk: decisions of operators, and the hash chain of the log.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'

export const auditRules: readonly AuditRule[] = [
  {
    name: 'the log of the desk is whole and in order',
    scope: 'select count(*) from desk_log',
    broken: `select 'line ' || number as subject
      from (select l, l.number, l.hash, lag(l.hash) over by_number as before, lag(l.number, 1, 0::bigint) over by_number + 1 as expected
              from desk_log l window by_number as (order by l.number)) c
      where number <> expected or hash <> desk_hash(l, before)`,
    sinceSeal: 'all',
  },
  {
    name: 'what the desk carried out was decided',
    scope: 'select count(*) from desk_item where verdict is not null',
    broken: `select i.queue || ' ' || i.subject || ' was decided by ' || count(d.id) as subject
      from desk_item i
      left join desk_decision d
        on d.queue = i.queue and d.subject = i.subject and d.round = i.round and d.verdict = i.verdict
      where i.verdict is not null
      group by i.queue, i.subject
      having count(d.id) < 1 or (count(d.id) = 1 and bool_or(d.seat <> 'first'))`,
    sinceSeal: 'all',
  },
  {
    name: 'decisions of the desk are in its log as their operators made them',
    scope: 'select count(*) from desk_decision',
    broken: `select d.queue || ' ' || d.subject || ' was decided by ' || d.operator_id || ', the log says '
        || coalesce(l.operator_id::text, 'nothing') as subject
      from desk_decision d left join desk_log l on l.decision_id = d.id
      where l.operator_id is distinct from d.operator_id or l.queue <> d.queue or l.subject <> d.subject::text or l.reason <> d.reason
      union all
      select 'line ' || l.number || ' decided ' || l.queue || ' ' || l.subject || ', and the decision is gone'
        from desk_log l where l.decision_id is not null and not exists (select from desk_decision d where d.id = l.decision_id)`,
    sinceSeal: 'all',
  },
]
