// Rules for decisions of the desk against its log, and for payments without a confirmation by day.

import type { Rule } from '../rule.ts'

export const decidedRules: readonly Rule[] = [
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
  },
]
