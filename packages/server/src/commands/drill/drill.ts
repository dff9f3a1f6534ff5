import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { connect } from '../../platform/database/db.ts'
import { OperatorError } from '../../platform/refuse.ts'
import { audit } from '../audit/audit.ts'
import { readRing } from '../audit/seal-counts.ts'
import { parse, type RunCommand, type Terminal, UsageError } from '../terminal.ts'
import { completeSettings } from '../with-product.ts'
import { type BooksComparison, compareBooks } from './compare-books.ts'
import { type RestoredServer, restoreServer } from './restored-server.ts'

interface DrillOrder {
  readonly stanza: string
  readonly configFile: string | undefined
  readonly folder: string
  readonly target: Date | undefined
  /** Leaves the restored database in the folder, stopped. */
  readonly keeps: boolean
  /** The running database is lost or out of reach. */
  readonly isAlone: boolean
}

/** A posting gets its time before it commits; requests are ended long before this. */
export const commitMarginMs = 60_000

/** Parses the parameters. Throws UsageError, or OperatorError for an unusable time. */
function readOrder(parameters: readonly string[]): DrillOrder {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parse({
    args: [...parameters],
    options: { stanza: text, config: text, folder: text, to: text, keep: flag, alone: flag },
  })
  if (values.stanza === undefined || values.stanza === '') throw new UsageError()
  if (values.keep && values.folder === undefined) {
    throw new OperatorError('--keep needs --folder, where the restored database stays.')
  }
  return {
    stanza: values.stanza,
    configFile: values.config,
    folder: values.folder ?? path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tern-drill-')), 'restored'),
    target: values.to === undefined ? undefined : readTarget(values.to),
    keeps: values.keep,
    isAlone: values.alone,
  }
}

/** Parses a past time with its offset from UTC, such as 2026-11-29T17:20:00Z. */
function readTarget(text: string): Date {
  const target = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : undefined
  if (target === undefined || Number.isNaN(target.getTime())) {
    throw new OperatorError('--to must be a time with its offset, such as 2026-11-29T17:20:00Z.')
  }
  if (target.getTime() > Date.now()) throw new OperatorError('--to must be in the past.')
  return target
}

/** Formats a time as pgBackRest reads it. */
const formatTarget = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '+00')

/**
 * Restores the backup beside the running database, audits it and compares both. Exit code 1 if the audit or the
 * comparison fails.
 */
export const run: RunCommand = async (terminal, parameters) => {
  const order = readOrder(parameters)
  const { DATABASE_URL: databaseUrl } = completeSettings(terminal.environment)
  if (!order.isAlone) await requireNoTablespace(databaseUrl)
  const server = await restoreServer({ ...order, target: order.target && formatTarget(order.target), databaseUrl })
  try {
    describeRestore(terminal, order, server)
    const isAudited = await auditRestored(terminal, server.pool)
    const isSame = order.isAlone || (await compareWithRunning(terminal, order, server.pool, databaseUrl))
    if (order.isAlone) terminal.print('not compared with a running database')
    terminal.print(isAudited && isSame ? 'The backup is good.' : 'The backup is NOT good.')
    return isAudited && isSame ? 0 : 1
  } finally {
    await server.stop()
    if (!order.keeps) fs.rmSync(order.folder, { recursive: true, force: true })
  }
}

/** Throws OperatorError if the running server has tablespaces: recovery beside it would write to their folders. */
async function requireNoTablespace(databaseUrl: string): Promise<void> {
  const running = connect(databaseUrl, 1)
  try {
    const { rows } = await running.query<{ name: string }>(
      `select spcname as name from pg_tablespace where spcname not in ('pg_default', 'pg_global') order by name limit 1`,
    )
    const [tablespace] = rows
    if (!tablespace) return
    throw new OperatorError(
      `The running server has the tablespace ${tablespace.name}, to which a database restored beside it would write. ` +
        'Run the drill on another machine, with --alone.',
    )
  } finally {
    await running.end()
  }
}

const megabyte = 1_000_000

function describeRestore({ print }: Terminal, { target, folder, keeps }: DrillOrder, server: RestoredServer): void {
  const megabytes = Math.round(server.bytes / megabyte) // not money: bytes
  const [restored, recovered] = [server.restoreSeconds.toFixed(1), server.recoverySeconds.toFixed(1)] // not money: seconds
  print(`restored ${megabytes} MB in ${restored} s${keeps ? `, into ${folder}` : ''}`)
  print(`recovered to ${target?.toISOString() ?? 'the end of the archive'} in ${recovered} s`)
}

async function auditRestored({ environment, print }: Terminal, pool: pg.Pool): Promise<boolean> {
  const startedAt = performance.now()
  const { checks } = await audit(pool, environment.TERN_SECRET === undefined ? undefined : readRing(environment))
  const broken = checks.filter(({ ok }) => !ok)
  for (const { name, detail } of broken) print(`BROKEN  ${name}  ${detail}`)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1) // not money: seconds
  print(`audit: ${checks.length - broken.length} of ${checks.length} rules hold (${seconds} s)`)
  return broken.length === 0
}

async function compareWithRunning(
  { print }: Terminal,
  { target }: DrillOrder,
  restored: pg.Pool,
  databaseUrl: string,
): Promise<boolean> {
  const running = connect(databaseUrl, 2)
  try {
    const until = await findLastSureMoment(restored, target)
    const comparison: BooksComparison = await compareBooks(restored, running, until)
    for (const fault of comparison.faults) print(`DIFFERS  ${fault}`)
    print(
      `compared with the running database: ${comparison.accounts} accounts, ${comparison.postings} postings until ${until.toISOString()}`,
    )
    return comparison.faults.length === 0
  } finally {
    await running.end()
  }
}

/** Returns a time before which everything had been committed at the restored moment. */
async function findLastSureMoment(restored: pg.Pool, target: Date | undefined): Promise<Date> {
  const { rows } = await restored.query<{ last: Date | null }>('select max(created_at) as last from ledger.posting')
  const end = target ?? rows[0]?.last ?? new Date(0)
  return new Date(end.getTime() - commitMarginMs)
}
