// Rules for leg numbers, which give the order of a posting's legs.

import type { Rule } from '../rule.ts'

export const legRules: readonly Rule[] = [
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
