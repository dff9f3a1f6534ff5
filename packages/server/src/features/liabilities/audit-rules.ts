// Audit rules of the trees of liabilities: the newest one sums to the ledger, and each one's root is in the log.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'
import { balancesAtSql, sumsSql } from './owed-balances.ts'

const closeSql = `(select (max(day) + 1)::timestamp at time zone 'UTC' from liability_day)`
const owedSql = balancesAtSql.replaceAll('$1::timestamptz', closeSql)

export const auditRules: readonly AuditRule[] = [
  {
    name: 'the last tree of liabilities sums to the ledger',
    scope: 'select count(*) from liability_total where day = (select max(day) from liability_day)',
    broken: `with owed as (select currency, sum(balance) as amount from (${owedSql}) b group by currency having sum(balance) <> 0),
        total as (select currency, amount from liability_total where day = (select max(day) from liability_day))
      select 'the tree owes ' || coalesce(total.amount, 0) || ' ' || coalesce(total.currency, owed.currency)
          || ', the ledger ' || coalesce(owed.amount, 0) as subject
        from total full join owed on owed.currency = total.currency
       where total.amount is distinct from owed.amount and exists (select from liability_day)`,
    sinceSeal: 'all',
  },
  {
    name: 'the roots of liabilities are in the log',
    scope: 'select count(*) from liability_day where leaf_index is not null',
    broken: `select 'the tree of ' || d.day || ' differs from entry ' || d.leaf_index || ' of the log' as subject
      from liability_day d
      left join transparency_leaf l on l.leaf_index = d.leaf_index
      cross join lateral (select ${sumsSql} as sums
        from liability_total t join ledger.currency c on c.code = t.currency where t.day = d.day) root
      where d.leaf_index is not null and l.data is distinct from '\\x03'::bytea || convert_to(d.day::text, 'UTF8')
        || sha256(convert_to(E'tern liabilities v1\\n' || d.day, 'UTF8') || substring(int2send(d.depth) from 2)
          || d.root_hash || root.sums)`,
    sinceSeal: 'all',
  },
]
