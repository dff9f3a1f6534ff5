import {
  type BankFileFormat,
  bankFile,
  bankFileFormats,
  journalFile,
  journalFormats,
  type JournalFormat,
} from '@tern/contract/statements/accounting'
import { taxSummaryFile } from '@tern/contract/statements/tax-summary'
import { statementFile, statementFileFormats, type StatementFileFormat } from '@tern/contract/statements'
import { isFiatCode } from '@tern/money/currency'
import { statements as texts } from '#messages/statements/statements.ts'
import type { Paper } from './paper.ts'
import type { Period } from '../../app/periods/period-choices.ts'
import type { StatementQuery } from './statement-queries.ts'

/** Files of a period; `tax` is the summary of a year. */
export type DownloadFormat = StatementFileFormat | BankFileFormat | JournalFormat | 'tax'

/** Names of the formats, and for whom each is; a new format of the contract needs one. */
export const formatTexts: Readonly<Record<DownloadFormat, { readonly name: string; readonly text: string }>> =
  texts.formats

const includes = <Value extends string>(values: readonly Value[], text: string): text is Value =>
  values.some((value) => value === text)

const isYear = (period: Period): period is { readonly period: string } =>
  'period' in period && period.period.length === 4

/** Formats offered: PDF first, those of banks for balances that they can express, the tax summary for a whole year. */
export const listFormats = (currency: StatementQuery['currency'], period: Period): DownloadFormat[] => [
  'pdf',
  ...statementFileFormats.filter((format) => format !== 'pdf'),
  ...(isFiatCode(currency) ? bankFileFormats : []),
  ...journalFormats,
  ...(isYear(period) ? (['tax'] as const) : []),
]

interface FileRequest {
  readonly format: DownloadFormat
  readonly query: StatementQuery
  readonly period: Period
  readonly paper: Paper
}

/** Endpoint and input of a file. Journals contain the whole wallet, and the tax summary a whole year. */
export function requestFile({ format, query, period, paper }: FileRequest) {
  const { currency: _, ...wholeWallet } = query
  if (includes(journalFormats, format)) return { endpoint: journalFile, input: { query: { ...wholeWallet, format } } }
  if (includes(bankFileFormats, format)) return { endpoint: bankFile, input: { query: { ...query, format } } }
  if (format !== 'tax')
    return { endpoint: statementFile, input: { query: { ...query, format, ...(format === 'pdf' && { paper }) } } }
  const year = isYear(period) ? period.period : ''
  return { endpoint: taxSummaryFile, input: { query: { year, time_zone: query.time_zone, format: 'csv' } } }
}
