import { manifests } from '../../manifests/manifests.ts'
import type { AuditRule } from '../../platform/operations/audit-rule.ts'
import { ledgerRules } from './rules-ledger.ts'
import { schemaRules } from './rules-schema.ts'
import { sealRules } from './seals/rules-seals.ts'

/** All rules, in report order. */
export const rules: readonly AuditRule[] = [
  ...ledgerRules,
  ...manifests.flatMap(({ auditRules = [] }) => auditRules),
  ...sealRules,
  ...schemaRules,
]
