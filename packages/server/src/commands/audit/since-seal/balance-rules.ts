// Rules that compare balances with those of a seal and the entries since.

import type { AuditRule } from '../../../platform/operations/audit-rule.ts'

export const balanceRules: readonly AuditRule[] = [
  {
    name: 'every balance is the sealed one and the entries since',
    scope: 'select count(*) from ledger.account',
    broken: `select a.name as subject from ledger.account a
      left join sealed_balance s on s.account_id = a.id
      left join (select account_id, sum(amount) as sum from new_entry group by account_id) e on e.account_id = a.id
      where a.balance <> coalesce(s.balance, 0) + coalesce(e.sum, 0)`,
  },
  {
    name: 'every running balance follows from the entry before',
    scope: 'select count(*) from new_entry',
    broken: `select a.name || ' at entry ' || e.version as subject from (
        select e.account_id, e.version, e.balance,
            coalesce(s.balance, 0) + sum(e.amount) over (partition by e.account_id order by e.version) as running
          from new_entry e left join sealed_balance s on s.account_id = e.account_id
      ) e join ledger.account a on a.id = e.account_id where e.balance <> e.running`,
  },
  {
    name: 'entries count on from the sealed ones without a gap',
    scope: 'select count(distinct account_id) from new_entry',
    broken: `select a.name as subject from ledger.account a
      left join sealed_balance s on s.account_id = a.id
      left join (select account_id, count(*) as count, max(version) as last from new_entry group by account_id) e
        on e.account_id = a.id
      where a.version <> coalesce(s.version, 0) + coalesce(e.count, 0) or a.version <> coalesce(e.last, s.version, 0)`,
  },
]
