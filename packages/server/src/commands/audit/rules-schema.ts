// Rules for the database's own safeguards, which must match this program's schema.

import type { AuditRule } from '../../platform/operations/audit-rule.ts'
import { type FingerprintKind, fingerprintQuery } from '../migrate/fingerprints.ts'
import fingerprints from '../migrate/fingerprints.json' with { type: 'json' }

function fingerprintRule(name: string, kinds: readonly FingerprintKind[]): AuditRule {
  const expected = Object.entries(fingerprints)
    .filter(([subject]) => kinds.some((kind) => subject.startsWith(`${kind} `)))
    .map(([subject, fingerprint]) => ({ subject, fingerprint }))
  return {
    name,
    scope: 'select jsonb_array_length($1) as count',
    broken: `with live as (${fingerprintQuery(kinds)}),
      expected as (select * from jsonb_to_recordset($1) as e(subject text, fingerprint text))
      select coalesce(live.subject, expected.subject) || case when live.subject is null then ' is missing'
          when expected.subject is null then ' is not of this program' else ' is altered' end as subject
        from live full join expected on expected.subject = live.subject
       where live.fingerprint is distinct from expected.fingerprint`,
    expected,
    sinceSeal: 'all',
  }
}

/** Compares the fingerprints of the money core's functions, triggers, constraints, tables and types. */
export const schemaRules: readonly AuditRule[] = [
  fingerprintRule('functions that move money are as this program makes them', ['function']),
  fingerprintRule('history is guarded by the database', ['trigger', 'rule', 'switched-off', 'setting']),
  fingerprintRule('constraints on money are as this program makes them', ['constraint', 'unique index']),
  fingerprintRule('tables of money are as this program makes them', ['table', 'columns', 'type']),
]
