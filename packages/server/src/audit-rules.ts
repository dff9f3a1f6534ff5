import type { Rule } from './audit-rule.ts'
import { ledgerRules } from './audit-rules-ledger.ts'
import { onceRules } from './audit-rules-once.ts'
import { paymentRules } from './audit-rules-payments.ts'
import { rowRules } from './audit-rules-rows.ts'
import { schemaRules } from './audit-rules-schema.ts'

/** Everything that the audit looks at, in the order of its report. */
export const rules: readonly Rule[] = [...ledgerRules, ...rowRules, ...onceRules, ...paymentRules, ...schemaRules]
