// Rules for the desk: its decisions, and the integrity of its log.

import type { Rule } from '../rule.ts'

export const deskRules: readonly Rule[] = [
  {
    name: 'the log of the desk is whole and in order',
    scope: 'select count(*) from desk_log',
    broken: `select 'line ' || number as subject
      from (select l, l.number, l.hash, lag(l.hash) over by_number as before, lag(l.number, 1, 0::bigint) over by_number + 1 as expected
              from desk_log l window by_number as (order by l.number)) c
      where number <> expected or hash <> desk_hash(l, before)`,
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
  },
]
