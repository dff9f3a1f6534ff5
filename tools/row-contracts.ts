// Columns whose values have a type of the code's that the schema does not state.

export interface ContractType {
  /** Exported type, or a property of one. */
  readonly type: string
  /** Module that exports it. */
  readonly from: string
}

const fiat: ContractType = { type: 'FiatCode', from: '@tern/money/currency' }

/** Contract types by table and column. */
export const contractTypes: Readonly<Record<string, ContractType>> = {
  'app_user.metadata': { type: "CurrentUser['metadata']", from: '@tern/contract/identity' },
  'compliance_case.evidence': { type: 'Evidence', from: './cases/case-rows.ts' },
  'payout.reason': { type: 'PayoutReason', from: '../notifications/notifications.ts' },
  'protection_rule.base_currency': fiat,
  'transaction.kind': { type: "Transaction['transaction_type']", from: '@tern/contract/transactions' },
  'wallet.base_currency': fiat,
}
