// Rules that compare rows whose facts no ledger posting duplicates with their row seals (platform/schema.sql).

import { type SealedTable, sealedTables, splitColumns } from '../../reseal/sealed-columns.ts'
import type { AuditRule } from '../../../platform/operations/audit-rule.ts'

/** SQL equivalent of the functions `row_key` and `row_hash`, several times faster for whole tables. */
const storedHashSql = ({ table, keys, columns }: SealedTable): string => {
  const all = [...splitColumns(keys), ...splitColumns(columns)].map((column) => `t.${column}`)
  return `select concat_ws(' ', ${splitColumns(keys)
    .map((column) => `t.${column}`)
    .join(', ')}) as row_key,
      sha256(convert_to(jsonb_build_array('${table}', jsonb_build_array(${all.join(', ')}))::text, 'UTF8')) as hash from ${table} t`
}

/** SQL for the key that signed seal `s`; null for an unsigned seal or an unknown secret. */
const sealKeySql = `(select key from unnest(string_to_array(current_setting('tern.row_seal_keys', true), ' ')) as key
  where split_part(key, '.', 1) = s.key_id)`

function buildSealRule(sealed: SealedTable): AuditRule {
  const { table, rows } = sealed
  return {
    name: `${rows} are as this program wrote them`,
    scope: `select count(*) from ${table}`,
    broken: `select row_key || case when r.row_key is null then ' is gone'
          when s.row_key is null then ' was made by something else'
          when s.hash <> r.hash then ' was changed by something else'
          else ' has a forged seal' end as subject
      from (${storedHashSql(sealed)}) r
      full join (select * from row_seal where relation = '${table}') s using (row_key)
      where r.row_key is null or s.row_key is null or s.hash <> r.hash
        or case when s.key_id is null then not is_seal_of_upgrade(s.sealed_at) else s.signature <> row_signature(${sealKeySql}, s.hash) end`,
    sinceSeal: 'all',
  }
}

export const sealRules: readonly AuditRule[] = sealedTables.map(buildSealRule)
