// Audit rules for payments without a confirmation, whether decided individually or by `passed_by_room`: they must match
// the daily sums of the risk rules.

import { latestProductTimeSql } from './product-time.ts'
import type { AuditRule } from '../../platform/operations/audit-rule.ts'

/** Days back that are checked. Housekeeping deletes daily sums after 40 days. */
const checkedDays = 38

export const auditRules: readonly AuditRule[] = [
  {
    name: 'what passed without a proof is what was decided',
    scope: `select (select count(*) from risk_decision where passed) + (select count(*) from transaction where passed_by_room) as count`,
    broken: `with newest as (select ${latestProductTimeSql}::date - ${checkedDays} as day),
      passed as (
        select user_id, decided_at as at, payee, rule = 'trusted_payee' as is_trusted, usd_minor
          from risk_decision
         where passed and taken_back_at is null and rule in ('allowance', 'trusted_payee') and payee is not null
        union all
        select t.user_id, t.created_at, 'user ' || t.recipient_id, true, p.quota_amount
          from transaction t join ledger.posting p on p.id = t.posting_id
         where t.passed_by_room and t.created_at >= (select n.day from newest n)),
      decided as (
        select user_id, (at at time zone 'UTC')::date as day, payee, is_trusted, sum(usd_minor) as usd_minor
          from passed group by 1, 2, 3, 4)
      select user_id || ' on ' || day || ' to ' || payee || ': ' || coalesce(c.usd_minor, 0) || ' US cents counted, '
          || coalesce(d.usd_minor, 0) || ' decided' as subject
        from decided d full join risk_payee_day c using (user_id, day, payee, is_trusted)
       where day > (select n.day from newest n) and coalesce(c.usd_minor, 0) <> coalesce(d.usd_minor, 0)
      union all
      select distinct d.user_id || ' has decisions and no count of what passed' from risk_decision d
       where not exists (select from risk_profile p where p.user_id = d.user_id)`,
    sinceSeal: 'all',
  },
]
