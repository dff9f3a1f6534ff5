import type { Transaction } from '../transactions.ts'

type Row = Pick<Transaction, 'status' | 'transaction_type' | 'payment_source' | 'source_currency' | 'target_currency'>

/**
 * Whether what arrives is an estimate: what a bank account pays into another currency is priced when the bank has paid. What
 * pays for a send is its sender's own matter, so that its recipient sees every one between currencies so until it arrives.
 */
export const isEstimate = (row: Row): boolean =>
  row.status === 'PENDING' &&
  row.source_currency !== row.target_currency &&
  (row.transaction_type === 'RECEIVE' || row.payment_source === 'bank')
