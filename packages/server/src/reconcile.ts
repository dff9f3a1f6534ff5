// npm run reconcile: compares the books of the payment provider with ours, while the product runs.

import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { money, toDecimal } from '@tern/money/money'
import { pino } from 'pino'
import { amountText } from './amount.ts'
import { ConfigError, readConfig } from './config.ts'
import { connect } from './db.ts'
import { findDatabaseUrl } from './embedded-postgres.ts'
import { decideCase, type OpenCase } from './features/payments/cases.ts'
import { CannotDecide, type Decisions } from './features/payments/decisions.ts'
import type { ReconciliationReport, Window } from './features/payments/reconciliation.ts'
import { createMetrics } from './metrics.ts'
import { createProduct } from './product.ts'

type Environment = Readonly<Record<string, string | undefined>>

const usage = `npm run reconcile                                     compares everything since the last time
npm run reconcile -- --from 2026-03-01 --until 2026-04-01   compares these days
npm run reconcile -- --close CASE --because "SENTENCE"      closes a case as somebody has decided it
npm run reconcile -- --release ID --because "SENTENCE"      ends a payment or payout with a case: what is held goes back
npm run reconcile -- --settle ID --because "SENTENCE"       ends it as paid, by a movement in the provider's books
                     [--line LINE]                          which one, when that is not plain`

/** It cannot be done; the message is one sentence for the person who typed the command. */
class CannotRun extends Error {}

interface Order {
  readonly window: Partial<Window>
  readonly verdict: Verdict | undefined
}

/** What somebody has decided about a case, a payment or a payout, and why. */
interface Verdict {
  readonly what: 'close' | 'release' | 'settle'
  readonly id: string
  readonly because: string
  readonly line: string | undefined
}

function readMoment(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new CannotRun(`"${text}" is no time such as 2026-03-01 or 2026-03-01T09:00Z.`)
  return date
}

function readOrder(parameters: readonly string[]): Order {
  const text = { type: 'string' } as const
  let values: Partial<Record<'from' | 'until' | 'because' | 'line' | Verdict['what'], string>>
  try {
    const options = { from: text, until: text, close: text, release: text, settle: text, line: text, because: text }
    values = parseArgs({ args: [...parameters], options }).values
  } catch {
    throw new CannotRun(usage)
  }
  const [from, until] = [readMoment(values.from), readMoment(values.until)]
  return { window: { ...(from ? { from } : {}), ...(until ? { until } : {}) }, verdict: readVerdict(values) }
}

function readVerdict(values: Partial<Record<'because' | 'line' | Verdict['what'], string>>): Verdict | undefined {
  const { because, line } = values
  const asked = (['close', 'release', 'settle'] as const).filter((what) => values[what] !== undefined)
  const [what] = asked
  if (what === undefined && because === undefined && line === undefined) return undefined
  const id = what && values[what]
  const isLineOdd = line !== undefined && what !== 'settle'
  if (!what || asked.length > 1 || !id || !because?.trim() || isLineOdd) throw new CannotRun(usage)
  return { what, id, because, line }
}

function readObject(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** The settings as they are, completed by what the product that runs on the data folder has noted there. */
function settingsOf(environment: Environment): Environment {
  const dataDir = environment.DATA_DIR || '.data'
  const isProduction = environment.TERN_MODE === 'production'
  const running = isProduction ? {} : readObject(path.join(dataDir, 'running.json'))
  const secrets = isProduction ? {} : readObject(path.join(dataDir, 'secrets.json'))
  const noted = {
    DATABASE_URL: findDatabaseUrl(dataDir),
    PUBLIC_URL: running.url,
    SANDBOX_URL: running.sandboxUrl,
    TERN_SECRET: secrets.TERN_SECRET,
    SANDBOX_SECRET: secrets.SANDBOX_SECRET,
  }
  const known = Object.entries(noted).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries([...known, ...given])
}

const dayAndTime = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ')

function caseText({ id, kind, subject, amount, reference, openedAt, detail }: OpenCase): string {
  const facts = [kind, subject, amount && amountText(amount), reference && `of ${reference}`].filter(Boolean)
  return `  ${id}  since ${dayAndTime(openedAt)}\n      ${facts.join('  ')}\n      ${detail}`
}

/** The report as text for a terminal. */
export function formatReconciliation(report: ReconciliationReport): string {
  const { window, compared, takenIn, undecided, casesOpened, casesClosed, open, sums } = report
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
  const widths =
    table[0]?.map((_, index) => table.reduce((most, row) => Math.max(most, row[index]?.length ?? 0), 0)) ?? []
  const sheet = table.map((row) =>
    row
      .map((cell, index) => (index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return [
    `Compared from ${dayAndTime(window.from)} until ${dayAndTime(window.until)} UTC: ${compared} ${compared === 1 ? 'movement' : 'movements'}, ${takenIn} taken in.`,
    ...(undecided > 0 ? [`${undecided} are undecided: the provider did not say how they stand.`] : []),
    ...(sums.length > 0 ? ['', ...sheet] : []),
    '',
    open.length === 0
      ? `No case is open. ${casesClosed} closed now.`
      : `${open.length} open ${open.length === 1 ? 'case' : 'cases'}, of which ${casesOpened} new; ${casesClosed} closed now.`,
    ...open.map(caseText),
  ].join('\n')
}

async function close(databaseUrl: string, { id, because }: Verdict): Promise<void> {
  const pool = connect(databaseUrl, 1)
  try {
    if (!/^[\da-f-]{36}$/i.test(id) || !(await decideCase(pool, id, because, new Date()))) {
      throw new CannotRun(`There is no open case ${id}.`)
    }
  } finally {
    await pool.end()
  }
}

async function carryOut(payments: Decisions, { what, id, because, line }: Verdict): Promise<string> {
  if (what === 'settle') {
    await payments.settle(id, because, line)
    return `${id} is settled.`
  }
  await payments.release(id, because)
  return `${id} has ended; what was held is in the wallet again.`
}

/** Does what the parameters say and gives the exit code: 1 when cases are open, 2 when it could not be done. */
export async function reconcile(
  parameters: readonly string[],
  environment: Environment,
  print: (text: string) => void,
): Promise<number> {
  try {
    const order = readOrder(parameters)
    const settings = settingsOf(environment)
    const databaseUrl = settings.DATABASE_URL
    if (databaseUrl === undefined) {
      throw new CannotRun(
        `No database is running over ${environment.DATA_DIR || '.data'}. Start the product first, or set DATABASE_URL.`,
      )
    }
    const { verdict } = order
    if (verdict?.what === 'close') {
      await close(databaseUrl, verdict)
      print(`Case ${verdict.id} is closed.`)
      return 0
    }
    const config = readConfig(settings)
    const log = pino({ level: environment.LOG_LEVEL ? config.logLevel : 'silent' }, pino.destination(2))
    const product = await createProduct({ config, databaseUrl, metrics: createMetrics(), log })
    try {
      if (verdict) {
        print(await carryOut(product.payments, verdict))
        return 0
      }
      const report = await product.payments.reconcile(order.window)
      if (report.unknown !== undefined) throw new CannotRun(`The provider did not give its books: ${report.unknown}`)
      print(formatReconciliation(report))
      return report.open.length === 0 ? 0 : 1
    } finally {
      await product.close()
    }
  } catch (error) {
    const isExpected = error instanceof CannotRun || error instanceof CannotDecide || error instanceof ConfigError
    print(isExpected ? error.message : `It could not be done: ${String(error)}`)
    return 2
  }
}

if (import.meta.main) process.exitCode = await reconcile(process.argv.slice(2), process.env, console.log)
