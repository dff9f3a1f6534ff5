// TypeScript types of columns that cannot be derived from the schema.

export interface ContractType {
  /** Type expression, with at most one imported type. */
  readonly type: string
  /** Module that exports it; undefined for a built-in type. */
  readonly from?: string
}

const fiat: ContractType = { type: 'FiatCode', from: '@tern/money/currency' }
// Currencies of thresholds, without a foreign key to `ledger.currency`.
const textContract: ContractType = { type: 'string' }
const priceText: ContractType = { type: 'PriceText', from: '../exchange/exchange.ts' }

export const contractTypes: Readonly<Record<string, ContractType>> = {
  'app_user.metadata': { type: "CurrentUser['metadata']", from: '@tern/contract/identity' },
  'compliance_case.evidence': { type: 'Evidence', from: './cases/case-rows.ts' },
  'correction_request.field': { type: 'CorrectableField', from: '@tern/contract/privacy/correctable-field' },
  'dispute_event.code': { type: "DisputeEvent['code']", from: '@tern/contract/disputes/disputes' },
  'fee_index_month.source_currency': fiat,
  'fee_index_month.target_currency': fiat,
  'kyc_document.document_type': { type: 'DocumentType', from: '@tern/contract/countries' },
  'payment.locked_price': priceText,
  'payout.reason': { type: 'PayoutReason', from: '../notifications/notifications.ts' },
  'protection_rule.base_currency': fiat,
  'quote.locked_price': { type: 'QuoteTerms', from: './quote.ts' },
  'reporting_threshold.currency': textContract,
  'screening_fetch.files': { type: 'readonly FileState[]', from: './screening/fetch/download.ts' },
  'signing_key.public_key': { type: 'JWK', from: 'jose' },
  'step_up_confirmation.action': { type: 'SensitiveActionKind', from: '@tern/contract/security' },
  'transaction.kind': { type: "Transaction['transaction_type']", from: '@tern/contract/transactions' },
  'transfer.locked_price': priceText,
  'transfer.release_reason': { type: 'ReleaseReason', from: './decision/transitions.ts' },
  'travel_rule_threshold.currency': textContract,
}
