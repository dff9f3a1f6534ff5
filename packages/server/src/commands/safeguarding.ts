import os from 'node:os'
import { type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type { SafeguardingFindingRow } from '../features/safeguarding/row-types.ts'
import {
  actionOf,
  type CoverRefusal,
  type CurrencyMonth,
  type MonthlyFigures,
  type Safeguarding,
} from '../features/safeguarding/safeguarding.ts'
import { csvHead, csvLine } from '../platform/files/csv.ts'
import { OperatorError } from '../platform/refuse.ts'
import { alignedColumns, parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'

type Format = 'text' | 'json' | 'csv'

type CommandOrder =
  | { readonly kind: 'state' }
  | { readonly kind: 'month'; readonly month: string; readonly format: Format }
  | { readonly kind: 'cover'; readonly findingId: string; readonly because: string; readonly by: string }

const findingIdPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Parses the parameters. Throws UsageError. */
function readOrder(parameters: readonly string[]): CommandOrder {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { month: text, json: flag, csv: flag, cover: text, because: text, by: text }
  const {
    month,
    json,
    csv,
    cover,
    because,
    by = os.userInfo().username,
  } = parse({ args: [...parameters], options }).values
  if (cover !== undefined) {
    const isComplete = findingIdPattern.test(cover) && because?.trim() && by.trim() && month === undefined
    if (!isComplete || json || csv || because === undefined) throw new UsageError()
    return { kind: 'cover', findingId: cover, because, by }
  }
  if (because !== undefined || (json && csv)) throw new UsageError()
  if (month === undefined) {
    if (json || csv) throw new UsageError()
    return { kind: 'state' }
  }
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new UsageError()
  return { kind: 'month', month, format: json ? 'json' : csv ? 'csv' : 'text' }
}

const decimal = (currency: CurrencyCode, minor: bigint): string => toDecimal(money(currency, minor))

type AccountMinors = Pick<CurrencyMonth['days'][number], 'currency' | 'requirement' | 'resource' | 'transfer'>

const formatMinors = ({ currency, requirement, resource, transfer }: AccountMinors): string[] =>
  [requirement, resource, transfer].map((minor) => decimal(currency, minor))

/** Formats the last compared day of each account, and the open findings. */
function formatState({ banks, accounts, findings }: Awaited<ReturnType<Safeguarding['readState']>>): string {
  const compared = new Set(accounts.map(({ bank }) => bank))
  const table = [
    ['bank', 'currency', 'day', 'requirement', 'resource', 'transfer'],
    ...accounts
      .filter(({ requirement, resource }) => requirement !== 0n || resource !== 0n)
      .map((account) => [account.bank, account.currency, account.day].concat(formatMinors(account))),
  ]
  return [
    ...banks.filter((bank) => !compared.has(bank)).map((bank) => `${bank} was never compared.`),
    ...(table.length > 1 ? alignedColumns(table, 3) : ['No account has money.']),
    '',
    ...(findings.length === 0 ? ['No finding is open.'] : ['Open findings:', ...findings.map(formatFinding)]),
  ].join('\n')
}

function formatFinding(finding: SafeguardingFindingRow): string {
  const { id, day, bank, currency, kind, cause, subject, amount_minor: minor, due_at: dueAt } = finding
  const amount = currency === null || minor === null ? '' : ` ${decimal(currency, minor)} ${currency}`
  const deadline = `${actionOf[kind]} by ${dueAt.toISOString()}`
  const notifiable = finding.notifiable_at === null ? '' : '; NOTIFIABLE'
  return `${id}  ${day}  ${bank}  ${kind}${amount} (${cause} ${subject}): ${deadline}${notifiable}`
}

const totalText = (currency: CurrencyCode, { count, minor }: CurrencyMonth['shortfalls']): string =>
  `${count} (${decimal(currency, minor)})`

function formatCurrency(figures: CurrencyMonth): string[] {
  const { currency, days, shortfalls, excesses, latePostings, notifiable } = figures
  const [highest, lowest] = [
    decimal(currency, figures.highestRequirement),
    decimal(currency, figures.lowestRequirement),
  ]
  const [most, least] = [decimal(currency, figures.highestResource), decimal(currency, figures.lowestResource)]
  const table = [
    ['day', 'bank', 'requirement', 'resource', 'transfer'],
    ...days.map((account) => [account.day, account.bank].concat(formatMinors(account))),
  ]
  return [
    `${currency}: requirement ${lowest} to ${highest}, resource ${least} to ${most}`,
    `  shortfalls ${totalText(currency, shortfalls)}, excesses ${totalText(currency, excesses)}, late postings ${totalText(currency, latePostings)}, notifiable ${notifiable}`,
    ...alignedColumns(table, 2).map((line) => `  ${line}`),
    '',
  ]
}

function formatMonth({ month, currencies, notCompared, findings }: MonthlyFigures): string {
  return [
    `Safeguarding in ${month}`,
    '',
    ...currencies.flatMap(formatCurrency),
    ...notCompared.map(({ bank, days }) =>
      days.length === 0 ? `${bank}: every day is compared.` : `${bank}: not compared: ${days.join(', ')}`,
    ),
    `Findings: ${findings.length}, notifiable: ${findings.filter(({ notifiable_at: at }) => at !== null).length}`,
    ...findings.map(formatFinding),
  ].join('\n')
}

/** Formats a line for each account and day. */
function formatCsv({ currencies }: MonthlyFigures): string {
  const rows = currencies.flatMap(({ days }) =>
    days.map((account) => [account.day, account.bank, account.currency, ...formatMinors(account)]),
  )
  const columns = ['day', 'bank', 'currency', 'requirement', 'resource', 'transfer']
  return [csvHead(columns), ...rows.map(csvLine)].join('').trimEnd()
}

/** Formats the figures as JSON, with decimal amounts. */
function formatJson({ month, currencies, notCompared, findings }: MonthlyFigures): string {
  const inCurrency = ({
    currency,
    days,
    shortfalls,
    excesses,
    latePostings,
    notifiable,
    ...extremes
  }: CurrencyMonth) => {
    const total = ({ count, minor }: CurrencyMonth['shortfalls']) => ({ count, sum: decimal(currency, minor) })
    return {
      currency,
      highest_requirement: decimal(currency, extremes.highestRequirement),
      lowest_requirement: decimal(currency, extremes.lowestRequirement),
      highest_resource: decimal(currency, extremes.highestResource),
      lowest_resource: decimal(currency, extremes.lowestResource),
      ...{ shortfalls: total(shortfalls), excesses: total(excesses), late_postings: total(latePostings), notifiable },
      days: days.map(({ day, bank, requirement, resource, transfer }) => ({
        ...{ day, bank, requirement: decimal(currency, requirement), resource: decimal(currency, resource) },
        transfer: decimal(currency, transfer),
      })),
    }
  }
  const finding = ({ currency, amount_minor: minor, ...row }: SafeguardingFindingRow) => ({
    ...{ id: row.id, day: row.day, bank: row.bank, kind: row.kind, cause: row.cause, subject: row.subject, currency },
    amount: currency === null || minor === null ? null : decimal(currency, minor),
    ...{ action: actionOf[row.kind], due_at: row.due_at, ended_on: row.ended_on, notifiable_at: row.notifiable_at },
  })
  const figures = { month, currencies: currencies.map(inCurrency), not_compared: notCompared }
  return JSON.stringify({ ...figures, findings: findings.map(finding) }, undefined, 2)
}

const formatters = { text: formatMonth, csv: formatCsv, json: formatJson } as const

const refusals: Readonly<Record<CoverRefusal, string>> = {
  not_open: 'There is no open finding with this id.',
  not_about_money: 'A transfer does not help here: the finding waits for a posting, an account or a report.',
  ordered_before: 'The transfer for this finding was ordered before.',
}

/** Exit codes: 1 for open findings, 2 if a bank was never compared or none is configured. */
export const run: RunCommand = async ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  return withProduct(environment, async ({ safeguarding }) => {
    if (!safeguarding.isConfigured()) throw new OperatorError('No safeguarding bank is configured.')
    if (order.kind === 'month') {
      print(formatters[order.format](await safeguarding.readMonth(order.month)))
      return 0
    }
    if (order.kind === 'cover') {
      const refusal = await safeguarding.cover(order)
      if (refusal !== undefined) throw new OperatorError(refusals[refusal])
      print('The transfer is ordered. The finding ends with the statement that shows it.')
      return 0
    }
    await safeguarding.compare()
    const state = await safeguarding.readState()
    print(formatState(state))
    if (state.banks.some((bank) => !state.accounts.some((account) => account.bank === bank))) return 2
    return state.findings.length === 0 ? 0 : 1
  })
}
