// Audit rules of day seals: they are in the log, and what they sealed is still there.

import type { AuditRule } from '../../../platform/operations/audit-rule.ts'
import { balancesDigestSql, growingTables, sealedRows } from './sealed-rows.ts'

/** SQL: day of the seal that the audit starts from; null if it reads everything. */
export const startDaySql = `nullif(current_setting('tern.audit_since', true), '')::date`

/** SQL: day of the seal to compare with: that from which the audit starts, or the last one. */
const comparedDaySql = `coalesce(${startDaySql}, (select max(day) from day_seal))`

const leafSql = `'\\x02'::bytea || convert_to(to_char(s.day, 'YYYY-MM-DD'), 'UTF8') || sha256(convert_to(s.content, 'UTF8'))`

const contentSql = `(select content::jsonb from day_seal where day = ${comparedDaySql})`

const limits = {
  horizon: `((select c from seal) ->> 'horizon')::bigint`,
  until: `((select c from seal) ->> 'until')::timestamptz`,
}

/** SQL: sealed rows by name, with the sealed count and digest, and what is there now. */
const comparedRowsSql = sealedRows
  .map(
    ({ name, count, digest }) =>
      `select '${name}' as name, c -> 'rows' -> '${name}' as sealed, ${count(limits)} as count,
          ${digest ? digest(limits) : 'null::text'} as digest from seal`,
  )
  .join(' union all ')

const grownTablesSql = growingTables
  .map(
    (table) =>
      `select '${table}' as name, (c -> 'tables' ->> '${table}')::bigint as sealed, (select count(*) from ${table}) as count from seal`,
  )
  .join(' union all ')

export const sealRules: readonly AuditRule[] = [
  {
    name: 'day seals are entries of the log',
    scope: 'select count(*) from day_seal',
    broken: `select case when s.day is null then 'leaf ' || leaf_index || ' seals a day whose seal is gone'
          when l.leaf_index is null then 'the seal of ' || s.day || ' has no leaf'
          else 'the seal of ' || s.day || ' differs from leaf ' || leaf_index end as subject
        from (select leaf_index, data from transparency_leaf where get_byte(data, 0) = 2) l full join day_seal s using (leaf_index)
       where s.day is null or l.leaf_index is null or l.data <> ${leafSql}
      union all
      select 'the balances sealed on ' || s.day || ' differ from the seal'
        from day_seal s
       where (s.day = ${comparedDaySql} or exists (select from day_seal_account b where b.day = s.day))
         and ${balancesDigestSql('s.day')} <> s.content::jsonb -> 'balances' ->> 'digest'`,
    sinceSeal: 'all',
  },
  {
    name: 'balances passed through those that were sealed',
    scope: `select count(*) from day_seal_account where day = ${comparedDaySql}`,
    broken: `select coalesce(a.name, 'account ' || s.account_id) || ' had ' || s.balance || ' at entry ' || s.version || ', its entry says '
          || coalesce(e.balance::text, 'nothing') as subject
        from day_seal_account s
        left join ledger.account a on a.id = s.account_id
        left join ledger.entry e on e.account_id = s.account_id and e.version = s.version
       where s.day = ${comparedDaySql} and (a.id is null or a.version < s.version or e.balance is distinct from s.balance)
      union all
      select 'accounts count ' || versions.sum || ' entries, and ' || entries.count || ' are stored'
        from (select coalesce(sum(version), 0) as sum from ledger.account) versions, (select count(*) from ledger.entry) entries
       where versions.sum <> entries.count`,
    sinceSeal: 'all',
  },
  {
    name: 'rows that were sealed are still there',
    scope: 'select count(*) from day_seal',
    // Transaction numbers of another cluster mean nothing here. Decisions age out a month after the seal.
    broken: `with seal as materialized (select ${contentSql} as c)
      select r.name || ': ' || r.count || ' of ' || (r.sealed ->> 'count') || ' sealed are stored'
          || case when r.count = (r.sealed ->> 'count')::bigint then ', with other facts' else '' end as subject
        from (${comparedRowsSql}) r, seal
       where (r.count <> (r.sealed ->> 'count')::bigint or r.digest <> r.sealed ->> 'digest')
         and not (r.name in ('postings', 'ended transactions') and c ->> 'cluster' <> (select system_identifier::text from pg_control_system()))
         and not (r.name = 'risk decisions' and exists (
           select from risk_decision where decided_at >= (c ->> 'until')::timestamptz + interval '29 days'))
      union all
      select name || ': ' || count || ' of ' || sealed || ' sealed are stored' from (${grownTablesSql}) t where count < sealed
      union all
      select 'the seal of ' || day || ' has fewer ' || key || ' than the one before' from (
        select s.day, r.key, (r.value ->> 'count')::bigint as count,
            lag((r.value ->> 'count')::bigint) over (partition by s.content::jsonb ->> 'cluster', r.key order by s.day) as before
          from day_seal s, jsonb_each(s.content::jsonb -> 'rows') r) c
       where count < before and key <> 'risk decisions'`,
    sinceSeal: 'all',
  },
]
