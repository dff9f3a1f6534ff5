// Audit of what is new since a day seal.

import type pg from 'pg'
import type { AuditRule } from '../../../platform/operations/audit-rule.ts'
import { searchPath } from '../../migrate/fingerprints.ts'
import { applyRule, type AuditCheck } from '../apply-rules.ts'
import { balanceRules } from './balance-rules.ts'
import { copyTouchedRows, type Seal } from './touched-rows.ts'

/**
 * Finds the last seal from before the last audit that found no fault; each audit so reads everything that the one before
 * did not. Undefined if there is none, or it belongs to another cluster, whose transaction numbers mean nothing here.
 */
export async function findStartSeal(client: pg.ClientBase): Promise<Seal | undefined> {
  const { rows } = await client.query<Seal>(
    `select to_char(s.day, 'YYYY-MM-DD') as day, s.leaf_index as "leafIndex", (s.content::jsonb ->> 'horizon')::bigint as horizon,
        (s.content::jsonb ->> 'until')::timestamptz as until
       from day_seal s
      where s.sealed_at <= (select max(started_at) from audit_run where broken = 0)
        and s.content::jsonb ->> 'cluster' = (select system_identifier::text from pg_control_system())
        and exists (select from day_seal_account b where b.day = s.day)
      order by s.day desc limit 1`,
  )
  return rows[0]
}

/**
 * Applies the rules to what is new since a seal, in the open transaction, which must be of isolation level repeatable
 * read. Leaves it read-only.
 */
export async function applyRulesSince(
  client: pg.ClientBase,
  { seal, rules }: { readonly seal: Seal; readonly rules: readonly AuditRule[] },
): Promise<AuditCheck[]> {
  await client.query(
    `set local time zone 'UTC'; set local work_mem = '64MB'; set local jit = off; set local search_path = ${searchPath};
     set local tern.audit_since = '${seal.day}'; set local tern.audit_from_day = '${findFirstWholeDay(seal)}'`,
  )
  await copyTouchedRows(client, seal)
  await client.query('set transaction read only')
  const checks: AuditCheck[] = []
  for (const rule of rules.filter(({ sinceSeal }) => sinceSeal === 'all')) checks.push(await applyRule(client, rule))
  await client.query('set local search_path = pg_temp, public; set local enable_nestloop = off')
  const touchedRules = rules.filter(({ sinceSeal = 'touched' }) => sinceSeal === 'touched')
  for (const rule of [...balanceRules, ...touchedRules]) checks.push(await applyRule(client, readCopies(rule)))
  return checks
}

/** Returns the first day of which every movement is read, in UTC. */
function findFirstWholeDay({ until }: Seal): string {
  const days = Math.ceil(until.getTime() / 86_400_000) // not money: a time
  return new Date(days * 86_400_000).toISOString().slice(0, 10)
}

/** Lets a rule read the temporary copies of tables that it names with their schema. */
function readCopies(rule: AuditRule): AuditRule {
  const replace = (sql: string) => sql.replaceAll(/\bledger\.(posting|entry|token)\b/g, 'pg_temp.$1')
  return { ...rule, scope: replace(rule.scope), broken: replace(rule.broken) }
}
