import type { Transaction } from '@tern/contract/transactions'
import { toLocalDay } from './browser/local-day.ts'
import { paths } from './paths.ts'

export const writeStatementAddress = (currency: string, period: string): string =>
  `${paths.statements}?currency=${currency}&period=${period}`

/** Address of the month's statement that contains a transaction. */
export const findStatementAddress = ({ currency, timestamp }: Pick<Transaction, 'currency' | 'timestamp'>): string =>
  writeStatementAddress(currency, toLocalDay(new Date(timestamp)).slice(0, 7))
