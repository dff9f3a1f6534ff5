// Fingerprints of functions, triggers, constraints and columns that guard money. The audit compares a database to
// fingerprints.json, which is generated from a fresh database.

import type pg from 'pg'

/** MD5 of each definition by name, such as `trigger history_is_kept on ledger.entry`. */
export type Fingerprints = Readonly<Record<string, string>>

/** Search path under which names resolve and print uniformly, whatever the role settings or temporary tables. */
export const searchPath = 'public, pg_temp'

// Tables that hold or limit money, and composite types of function arguments.
const relations = `select c.oid, c.relkind, n.nspname || '.' || c.relname as name,
    concat_ws(' ', c.relpersistence, c.relrowsecurity, c.relforcerowsecurity,
      c.relkind <> 'c' and has_table_privilege('public', c.oid, 'insert, update, delete, truncate, trigger')) as storage
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where (n.nspname = 'ledger' and c.relkind in ('r', 'p', 'c'))
    or (n.nspname = 'public' and c.relname in ('transaction', 'limit_usage', 'limit_usage_by_method', 'limit_policy', 'own_limit', 'payment', 'payout', 'transfer', 'settlement_line', 'operator_line',
      'transaction_rows', 'limit_quotas', 'transaction_settlements', 'restricted_money', 'maturity_policy'))`

// Hashes the parts of functions, because versions of PostgreSQL print whole functions differently.
const functions = `select f.oid, format('%I.%I(%s)', n.nspname, f.proname, pg_get_function_identity_arguments(f.oid)) as name,
    concat_ws(chr(10), f.prosrc, l.lanname, f.prosecdef, f.proisstrict, f.provolatile, f.proconfig::text,
      pg_get_function_result(f.oid), pg_get_function_arguments(f.oid), has_function_privilege('public', f.oid, 'execute'))
      as definition
  from pg_proc f join pg_namespace n on n.oid = f.pronamespace join pg_language l on l.oid = f.prolang
 where n.nspname = 'ledger' or (n.nspname = 'public' and (f.proname in ('move_money', 'create_pending_transactions',
    'fail_pending_transaction', 'reverse_limit_usage', 'count_limit_usage', 'limits_of', 'limit_direction', 'decide_limits',
    'limit_room', 'renew_free_room', 'open_limit_usage', 'clear_limit_usage', 'require_no_stop', 'wait_for_movements',
    'carry_restricted_money', 'take_restricted', 'convert_restricted', 'put_restricted', 'is_restricted', 'maturity_hours',
    'maturity_of', 'origin_of_movement', 'require_known_payee', 'forget_matured_money', 'restrict_card_money', 'seal_row', 'seal_table',
    'row_key', 'row_hash', 'row_signature', 'is_seal_of_upgrade', 'sign_rows', 'accept_row', 'decide_guards', 'settle_guards',
    'disturb_send_guards', 'decide_risk', 'risk_decision_counts', 'record_risk_proof', 'take_back_risk', 'uncount_risk') or exists (select from pg_trigger g join relations r on r.oid = g.tgrelid where g.tgfoid = f.oid)))`

/** SQL for `subject` and `definition` by kind; a subject begins with its kind. */
const parts = {
  function: `select 'function ' || name, definition from functions`,
  table: `select 'table ' || name, storage from relations where relkind <> 'c'`,
  columns: columnsSql('columns of', `r.relkind <> 'c'`),
  type: columnsSql('type', `r.relkind = 'c'`),
  constraint: `select 'constraint ' || c.conname || ' on ' || r.name, pg_get_constraintdef(c.oid)
    from pg_constraint c join relations r on r.oid = c.conrelid where c.contype <> 'n'`,
  'unique index': `select 'unique index ' || i.relname || ' on ' || r.name,
      concat_ws(' ', pg_get_indexdef(i.oid), x.indisvalid, x.indisready)
    from pg_index x join relations r on r.oid = x.indrelid join pg_class i on i.oid = x.indexrelid where x.indisunique`,
  trigger: `select 'trigger ' || g.tgname || ' on ' || r.name, concat_ws(' ', pg_get_triggerdef(g.oid), g.tgenabled)
    from pg_trigger g join relations r on r.oid = g.tgrelid where not g.tgisinternal`,
  rule: `select 'rule ' || w.rulename || ' on ' || r.name, pg_get_ruledef(w.oid)
    from pg_rewrite w join relations r on r.oid = w.ev_class`,
  'switched-off': `select 'switched-off foreign keys on ' || r.name, string_agg(g.tgenabled::text, '')
    from pg_trigger g join relations r on r.oid = g.tgrelid where g.tgisinternal and g.tgenabled <> 'O' group by r.name`,
  setting: `select 'setting of a role or database', s.setting from pg_db_role_setting, unnest(setconfig) as s(setting)
    where s.setting like 'session_replication_role=%'
      and setdatabase in (0, (select oid from pg_database where datname = current_database()))`,
} as const

export type FingerprintKind = keyof typeof parts

export const fingerprintKinds = Object.keys(parts) as FingerprintKind[]

function columnsSql(kind: string, relationSql: string): string {
  return `select '${kind} ' || r.name,
      string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
        pg_get_expr(d.adbin, d.adrelid)), ', ' order by a.attname)
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where ${relationSql} group by r.name`
}

/**
 * Returns SQL for `subject` and `fingerprint` of everything of these kinds; run it under `searchPath`. Not-null
 * constraints count as part of their column, because only newer versions of PostgreSQL list them as constraints.
 */
export const fingerprintQuery = (kinds: readonly FingerprintKind[] = fingerprintKinds): string => `
  with relations as materialized (${relations}), functions as (${functions}), things(subject, definition) as (
    ${kinds.map((kind) => parts[kind]).join(' union all ')}
  ) select subject, md5(string_agg(definition, chr(10) order by definition)) as fingerprint from things group by subject`

/** Returns a database's fingerprints by name, in alphabetical order. Sets the connection's `search_path`. */
export async function readFingerprints(client: pg.ClientBase): Promise<Fingerprints> {
  await client.query(`set search_path = ${searchPath}`)
  const { rows } = await client.query<{ subject: string; fingerprint: string }>(
    `select * from (${fingerprintQuery()}) f order by subject collate "C"`,
  )
  return Object.fromEntries(rows.map(({ subject, fingerprint }) => [subject, fingerprint]))
}
