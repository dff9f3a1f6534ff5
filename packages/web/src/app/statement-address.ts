import type { Transaction } from '@tern/contract/transactions'
import { toLocalDay } from './browser/local-day.ts'
import { paths } from './paths.ts'

/** Address of the month's statement that contains a transaction. */
export const findStatementAddress = ({ currency, timestamp }: Pick<Transaction, 'currency' | 'timestamp'>): string =>
  `${paths.statements}?currency=${currency}&period=${toLocalDay(new Date(timestamp)).slice(0, 7)}`
