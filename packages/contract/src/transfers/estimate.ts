import type { Transaction } from '../transactions.ts'

type Row = Pick<Transaction, 'status' | 'transaction_type' | 'payment_source' | 'source_currency' | 'target_currency'>

/**
 * Reports whether the target amount is an estimate: cross-currency payments from a bank are priced once the bank has
 * paid. Recipients may not learn the funding source, so they see every pending cross-currency transfer as an estimate.
 */
export const isEstimate = (row: Row): boolean =>
  row.status === 'PENDING' &&
  row.source_currency !== row.target_currency &&
  (row.transaction_type === 'RECEIVE' || row.payment_source === 'bank')
