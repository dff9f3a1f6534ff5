// Application of audit rules to a database.

import { createHash } from 'node:crypto'
import type pg from 'pg'
import { onlyRow } from '../../platform/database/db.ts'
import type { AuditRule } from '../../platform/operations/audit-rule.ts'
import { searchPath } from '../migrate/fingerprints.ts'

export interface AuditCheck {
  readonly name: string
  readonly ok: boolean
  /** Count of checked items, or a summary of the violations. */
  readonly detail: string
}

const maxShownFaults = 3

/** Applies rules in sequence on a connection, changing its settings. */
export async function applyRules(client: pg.ClientBase, applied: readonly AuditRule[]): Promise<AuditCheck[]> {
  // Rules read whole tables; nested loops over tables without statistics would take hours. Seals hash times as UTC.
  await client.query(
    `set time zone 'UTC'; set work_mem = '64MB'; set enable_nestloop = off; set jit = off; set search_path = ${searchPath}`,
  )
  const checks: AuditCheck[] = []
  for (const rule of applied) checks.push(await applyRule(client, rule))
  return checks
}

/** Applies a rule with the connection's settings. */
export async function applyRule(
  client: pg.ClientBase,
  { name, scope, broken, expected }: AuditRule,
): Promise<AuditCheck> {
  const values = expected === undefined ? [] : [JSON.stringify(expected)]
  // Materialized so that the planner optimizes for reading all rows, as it must when there are no faults.
  const auditQuery = `with faults as materialized (${broken})
     select (${scope})::bigint as count, (select count(*) from faults) as total,
            array(select subject::text from faults order by subject limit ${maxShownFaults}) as shown`
  const { rows } = await client.query<{ count: bigint; total: bigint; shown: string[] }>(
    prepareQuery(auditQuery, values),
  )
  const { count, total, shown } = onlyRow(rows)
  if (total === 0n) return { name, ok: true, detail: `${count} checked` }
  return { name, ok: false, detail: `${total} broken: ${shown.join('; ')}${total > maxShownFaults ? '; …' : ''}` }
}

/** Names a statement by its hash, so that each connection plans it only once: planning takes longer than execution. */
const prepareQuery = (text: string, values: readonly string[]) => ({
  name: createHash('sha256').update(text).digest('base64url'),
  text,
  values: [...values],
})
