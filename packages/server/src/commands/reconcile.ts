import os from 'node:os'
import { sentence } from '@tern/messages/message'
import { money, toDecimal } from '@tern/money/money'
import { amountText } from '../platform/http/amount.ts'
import { connect } from '../platform/database/db.ts'
import {
  chooseAlarm,
  resolveException,
  markReported,
  type OpenCase,
  assignCase,
} from '../features/payments/records/reconciliation-exceptions.ts'
import type { Payments } from '../features/payments/payments.ts'
import type { Window } from '../features/payments/reconciliation/periods.ts'
import type { ReconciliationReport } from '../features/payments/reconciliation/reconciliation.ts'
import { currentRequestMessages } from '../platform/messages.ts'
import { OperatorError } from '../platform/refuse.ts'
import { rowSealKeys } from '../platform/row-seals.ts'
import { readConfig } from '../platform/runtime/config.ts'
import { alignedColumns, parse, type RunCommand, UsageError } from './terminal.ts'
import { completeSettings, withProduct } from './with-product.ts'

interface CommandOrder {
  readonly window: Partial<Window>
  readonly verdict: Verdict | undefined
}

/** Operator's decision on an exception, payment or payout, with a reason. */
interface Verdict {
  readonly what: 'take-up' | 'close' | 'release' | 'settle'
  readonly id: string
  readonly because: string
  readonly line: string | undefined
  readonly by: string | undefined
  readonly until: Date | undefined
}

function readMoment(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const date = new Date(text)
  if (Number.isNaN(date.getTime()))
    throw new OperatorError(`"${text}" is not a time such as 2026-03-01 or 2026-03-01T09:00Z.`)
  return date
}

type Values = Partial<Record<'from' | 'until' | 'because' | 'line' | 'by' | Verdict['what'], string>>

function readOrder(parameters: readonly string[]): CommandOrder {
  const text = { type: 'string' } as const
  const window = { from: text, until: text }
  const verdicts = { 'take-up': text, close: text, release: text, settle: text }
  const options = { ...window, ...verdicts, line: text, by: text, because: text }
  const { values } = parse({ args: [...parameters], options })
  const from = readMoment(values.from)
  const until = readMoment(values.until)
  return { window: { ...(from ? { from } : {}), ...(until ? { until } : {}) }, verdict: readVerdict(values, until) }
}

function readVerdict(values: Values, until: Date | undefined): Verdict | undefined {
  const { because, line, by, from } = values
  const requested = (['take-up', 'close', 'release', 'settle'] as const).filter((what) => values[what] !== undefined)
  const [what] = requested
  if (what === undefined && because === undefined && line === undefined && by === undefined) return undefined
  const id = what && values[what]
  const isMalformed =
    (line !== undefined && what !== 'settle') ||
    (what !== 'take-up' && (by !== undefined || until !== undefined)) ||
    from !== undefined ||
    by?.trim() === ''
  if (!what || requested.length > 1 || !id || !because?.trim() || isMalformed) throw new UsageError()
  return { what, id, because, line, by, until }
}

const formatDayAndTime = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ')

/** Formats the state of an exception: new, overdue, or its assignee. */
function stateText(openCase: OpenCase, now: Date): string {
  const { takenUp } = openCase
  const alarm = chooseAlarm(openCase, now)
  if (!takenUp) return alarm === 'new' ? 'NEW' : alarm === 'overdue' ? 'OVERDUE: not assigned to anyone' : ''
  const until = takenUp.until ? ` until ${formatDayAndTime(takenUp.until)}` : ''
  return `${alarm ? 'OVERDUE: ' : ''}assigned to ${takenUp.by}${until}: ${takenUp.because}`
}

function caseText(openCase: OpenCase, now: Date): string {
  const { id, kind, subject, amount, reference, openedAt, detail } = openCase
  const facts = [kind, subject, amount && amountText(amount), reference && `of ${reference}`].filter(Boolean)
  const first = `  ${id}  since ${formatDayAndTime(openedAt)}  ${stateText(openCase, now)}`.trimEnd()
  return `${first}\n      ${facts.join('  ')}\n      ${sentence(currentRequestMessages().operator.cases, detail)}`
}

/** Counts the exceptions that need attention, by reason. */
function countAlarms(cases: readonly OpenCase[], now: Date): { readonly fresh: number; readonly overdue: number } {
  const alarms = cases.map((openCase) => chooseAlarm(openCase, now))
  const count = (kind: 'new' | 'overdue') => alarms.filter((alarm) => alarm === kind).length
  return { fresh: count('new'), overdue: count('overdue') }
}

/** Formats the comparison with one provider; names the provider unless it is the only one. */
function comparisonLines(report: ReconciliationReport, isOnlyReport: boolean): string[] {
  const { provider, window, compared, takenIn, unresolved, sums } = report
  const name = isOnlyReport ? '' : `${provider}: `
  if (report.unknown !== undefined) return [`${name}The provider did not return its records: ${report.unknown}`, '']
  const table = [
    ['movement', 'currency', 'here', 'at the provider', ''],
    ...sums.map(({ currency, kind, here, there }) => [
      kind,
      currency,
      toDecimal(money(currency, here)),
      toDecimal(money(currency, there)),
      here === there ? '' : 'DIFFERS',
    ]),
  ]
  return [
    `${name}Compared from ${formatDayAndTime(window.from)} until ${formatDayAndTime(window.until)} UTC: ${compared} ${compared === 1 ? 'movement' : 'movements'}, ${takenIn} taken in.`,
    ...(unresolved > 0 ? [`${unresolved} are unresolved: the provider did not report their status.`] : []),
    ...(sums.length > 0 ? ['', ...alignedColumns(table, 2)] : []),
    ...balanceLines(report),
    '',
  ]
}

const balanceWords = { agrees: '', differs: 'DIFFERS', moving: 'moving' } as const

/** Formats the comparison of our balances at a provider with our books. */
function balanceLines({ balances: result }: ReconciliationReport): string[] {
  if (!result) return []
  if (result.status === 'unknown') return ['', `The provider did not return its balances: ${result.reason}`]
  const { balances } = result
  if (balances.length === 0) return []
  const differing = balances.filter(({ result: found }) => found === 'differs').length
  const moving = balances.filter(({ result: found }) => found === 'moving').length
  const table = [
    ['balance', 'currency', 'posted here', 'not posted', 'at the provider', ''],
    ...balances.map(({ balance, currency, posted, unposted, there, result: found }) => [
      balance,
      currency,
      ...[posted, unposted, there].map((minor) => toDecimal(money(currency, minor))),
      balanceWords[found],
    ]),
  ]
  const summary = [
    differing > 0 ? `${differing} of ${balances.length} balances differ from the ledger.` : '',
    moving > 0 ? `${moving} changed while they were read; run the command again.` : '',
    differing + moving === 0 ? 'Every balance at the provider equals the ledger.' : '',
  ]
  return ['', ...alignedColumns(table, 2), '', ...summary.filter((line) => line !== '')]
}

/** Formats the reports on all providers for a terminal, as of `now`. */
export function formatReconciliation(reports: readonly ReconciliationReport[], now: Date): string {
  const open = reports.at(-1)?.open ?? []
  const { fresh, overdue } = countAlarms(open, now)
  const casesClosed = reports.reduce((sum, report) => sum + report.casesClosed, 0)
  return [
    ...reports.flatMap((report) => comparisonLines(report, reports.length === 1)),
    open.length === 0
      ? `No exception is open. ${casesClosed} closed now.`
      : `${open.length} open ${open.length === 1 ? 'exception' : 'exceptions'}, of which ${fresh} new and ${overdue} overdue; ${casesClosed} closed now.`,
    ...open.map((openCase) => caseText(openCase, now)),
  ].join('\n')
}

/** Assigns or closes an exception; returns the sentence to print. */
async function resolveCase(
  settings: ReturnType<typeof completeSettings>,
  { what, id, because, by, until }: Verdict,
): Promise<string> {
  const now = new Date()
  if (until !== undefined && until <= now) throw new OperatorError('--until must be in the future.')
  const [sealKey] = rowSealKeys(readConfig(settings).secret)
  const pool = connect(settings.DATABASE_URL, 1, { sealKey })
  try {
    const assignment = { by: by ?? os.userInfo().username, because, until: until ?? null }
    const isFound =
      /^[\da-f-]{36}$/i.test(id) &&
      (what === 'take-up'
        ? await assignCase(pool, id, assignment, now)
        : await resolveException(pool, id, because, now))
    if (!isFound) throw new OperatorError(`There is no open exception ${id}.`)
    return what === 'take-up' ? `Exception ${id} is assigned to ${assignment.by}.` : `Exception ${id} is closed.`
  } finally {
    await pool.end()
  }
}

async function applyVerdict(payments: Payments, { what, id, because, line }: Verdict): Promise<string> {
  if (what === 'settle') {
    await payments.settle({ id, because, lineId: line })
    return `${id} is settled.`
  }
  await payments.release({ id, because })
  return `${id} is released; what was on hold is back in the wallet.`
}

/** Exit codes: 1 for new or overdue exceptions, 2 on failure, even if only one provider could not be compared. */
export const run: RunCommand = async ({ environment, print }, parameters) => {
  const { window, verdict } = readOrder(parameters)
  if (verdict?.what === 'close' || verdict?.what === 'take-up') {
    print(await resolveCase(completeSettings(environment), verdict))
    return 0
  }
  return withProduct(environment, async ({ payments, pool, now }) => {
    if (verdict) {
      print(await applyVerdict(payments, verdict))
      return 0
    }
    const reports = await payments.reconcile(window)
    const open = reports.at(-1)?.open ?? []
    const at = now()
    print(formatReconciliation(reports, at))
    await markReported(pool, open, at)
    if (reports.some(({ unknown, balances }) => unknown !== undefined || balances?.status === 'unknown')) return 2
    const { fresh, overdue } = countAlarms(open, at)
    return fresh + overdue === 0 ? 0 : 1
  })
}
