import type { Rule } from './rule.ts'
import { caseRules } from './desk/rules-cases.ts'
import { deskRules } from './desk/rules-desk.ts'
import { decidedRules } from './desk/rules-decided.ts'
import { disputeRules } from './desk/rules-disputes.ts'
import { legRules } from './facts/rules-legs.ts'
import { lossRules } from './facts/rules-losses.ts'
import { quoteRules } from './facts/rules-quotes.ts'
import { riskRules } from './facts/rules-risk.ts'
import { ledgerRules } from './rules-ledger.ts'
import { onceRules } from './rules-once.ts'
import { orderRules } from './orders/rules-orders.ts'
import { paymentRules } from './rules-payments.ts'
import { requestRules } from './rules-requests.ts'
import { restrictedRules } from './orders/rules-restricted.ts'
import { rowRules } from './rules-rows.ts'
import { sealRules } from './seals/rules-seals.ts'
import { schemaRules } from './rules-schema.ts'
import { transferRules } from './rules-transfers.ts'

/** All rules, in report order. */
export const rules: readonly Rule[] = [
  ...ledgerRules,
  ...rowRules,
  ...onceRules,
  ...paymentRules,
  ...restrictedRules,
  ...transferRules,
  ...requestRules,
  ...disputeRules,
  ...caseRules,
  ...orderRules,
  ...deskRules,
  ...legRules,
  ...quoteRules,
  ...lossRules,
  ...decidedRules,
  ...riskRules,
  ...sealRules,
  ...schemaRules,
]
