// Upgrades a running product from an earlier version under traffic, goes back, and forward again: every movement happens
// once, and no caller notices more than a retry.

import { execFile } from 'node:child_process'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import assert from 'node:assert'
import pg from 'pg'
import { isInstalled, type RunningProxy, startProxy } from '../../../deploy/checks/proxies.ts'
import { findDoubled, findLost, measureStreams } from '../../failover/checks.ts'
import { awaitSchedules, findUncompleted, startLaterOrders } from '../../failover/orders.ts'
import { findOutage } from '../../failover/outages.ts'
import { enrollCouples, readProductTime, toActor } from '../../failover/people.ts'
import { followEvents, type Probe, startProbe, type Stream } from '../../failover/probes.ts'
import { checkAnnouncements } from '../../harness/announcements.ts'
import { ownRoot } from '../../harness/harness.ts'
import { createOrderBook, createOrderWatch } from '../../oracle/orders.ts'
import type { Victim } from '../faults.ts'
import { type Harness, migrateBy, startHarness } from '../harness.ts'
import { waitUntilReachable } from '../rolling.ts'
import { checkAfterQuiescence, countMovements, registerAll, startTraffic } from '../traffic.ts'
import { callAsOldPages, enrollRepeater, findUnequalCounts, type Repeater, repeatElsewhere } from './crossing.ts'
import { loadPages } from './pages.ts'
import { prepareProgram } from './program.ts'
import { createTally, type Tally, watchInto } from './tally.ts'

const seed = 'upgrade'
const peopleCount = 8
const concurrency = 2
const stageMs = 8000
/** Time for which a reader, such as a backup, keeps the migrations from their locks. */
const readerMs = 5000
const minuteMs = 60_000
/** A migration that keeps callers waiting for longer is a fault. */
const maxBlockedMs = 2000
const maxGapMs = 10_000
const proxyName = 'haproxy'

export interface UpgradeReport {
  readonly seconds: number
  readonly requests: number
  readonly unanswered: number
  readonly failed: number
  readonly refusals: Readonly<Record<string, number>>
  readonly movements: number
  readonly movementsByKind: Readonly<Record<string, number>>
  readonly replacements: number
  readonly migrationMs: number
  /** Longest wait of a statement for a lock of the migrations. */
  readonly blockedMs: number
  readonly gapMs: number
  readonly gapDuringMigrationMs: number
  readonly oldCalls: number
  readonly pageFiles: number
  readonly notifications: number
  readonly mails: number
  readonly logged: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

type Version = 'old' | 'new'
type Process = Exclude<Victim, 'sandbox'>

/** Replacements in their order; after each line, traffic runs for a while. */
const stages: readonly { readonly name: string; readonly version: Version; readonly processes: readonly Process[] }[] =
  [
    { name: 'old apps, new workers', version: 'new', processes: ['worker_1', 'worker_2'] },
    { name: 'an old and a new app, new workers', version: 'new', processes: ['app_1'] },
    { name: 'everything new', version: 'new', processes: ['app_2'] },
    { name: 'new apps, old workers', version: 'old', processes: ['worker_1', 'worker_2'] },
    { name: 'a new and an old app, old workers', version: 'old', processes: ['app_2'] },
    { name: 'everything new again', version: 'new', processes: ['app_2', 'worker_1', 'worker_2'] },
  ]

interface Setting {
  readonly harness: Harness
  readonly proxy: RunningProxy
  readonly roots: Readonly<Record<Version, string>>
  readonly tally: Tally
  readonly print: (sentence: string) => void
}

/** Upgrades from the program of `ref`. */
export async function runUpgrade(ref: string, print: (sentence: string) => void): Promise<UpgradeReport> {
  assert(isInstalled(proxyName), `Not installed: ${proxyName} (apt-get install).`)
  const roots = { old: await prepareProgram(ref, print), new: ownRoot }
  const harness = await startHarness(seed, { root: roots.old, settings: { LAME_DUCK_SECONDS: '3', LOG_LEVEL: 'warn' } })
  try {
    await harness.waitUntilReady()
    const proxy = await startProxy(proxyName, harness.urls)
    setDefaultCACertificates([...getCACertificates('default'), proxy.ca])
    try {
      return await upgrade({ harness, proxy, roots, tally: createTally(), print })
    } finally {
      await proxy.close()
    }
  } finally {
    await harness.close()
  }
}

async function upgrade(setting: Setting): Promise<UpgradeReport> {
  const { harness, proxy, roots, tally, print } = setting
  const { pool, sandboxUrl, sandboxSecret } = harness
  const startedAt = Date.now()
  const urls = [proxy.url, proxy.url] as const
  const orders = createOrderBook()
  const orderWatch = createOrderWatch(orders)
  const count = watchInto(tally)
  const watch: typeof orderWatch = {
    ...orderWatch,
    watch(target, key, attempt) {
      count(target, key, attempt)
      orderWatch.watch(target, key, attempt)
    },
  }
  const repeater = await enrollRepeater(harness)
  const couples = await enrollCouples(harness)
  // Then a day passes, after which these people know one another.
  const people = await registerAll({ ...harness, urls }, { seed, orders, watch, count: peopleCount })
  await harness.waitUntilReady()
  await waitUntilReachable(proxy)
  const probing = couples.slice(0, 2)
  const [payer, payee] = couples
    .slice(2)
    .flatMap(({ sender, recipient }) => [sender, recipient].map(toActor(urls, count)))
  assert(payer && payee)
  print(`Two apps and two workers of the old version, ${peopleCount + 8} people after ${secondsSince(startedAt)} s.`)

  const traffic = startTraffic({ seed, people, orders, sandboxUrl, sandboxSecret }, seed, concurrency)
  const probes = probing.map(({ sender, recipient }) => startProbe(urls, sender, recipient, count))
  const streams = probing.flatMap(({ recipient }) => harness.urls.map((url) => followEvents(url, recipient)))
  const laterOrders = startLaterOrders(pool, payer, payee, await readProductTime(sandboxUrl))
  const trafficAt = Date.now()
  const observed = { oldCalls: 0, pageFiles: 0, faults: [] as string[] }
  const observe = { ...setting, probes, streams, repeater, observed }

  await runStage(observe, 'everything old', trafficAt)
  const migration = await migrateUnderTraffic(setting)
  observed.faults.push(...migration.faults)
  await runStage(observe, 'everything old, migrated', migration.startedAt)
  let replacements = 0
  for (const { name, version, processes } of stages) {
    const stageAt = Date.now()
    for (const each of processes) {
      await harness.replace(each, roots[version])
      replacements += 1
    }
    await runStage(observe, name, stageAt)
  }
  const trafficEndedAt = Date.now()
  await Promise.all([traffic.end(), laterOrders.end(), ...probes.map((probe) => probe.end())])
  await watch.drain()
  for (const stream of streams) stream.close()
  print(`At rest after ${secondsSince(startedAt)} s.`)

  const now = await readProductTime(sandboxUrl)
  await harness.advanceClock(laterOrders.dueAt.getTime() - now.getTime() + minuteMs)
  await awaitSchedules(pool, laterOrders)
  const assertions = await checkAfterQuiescence(harness, { orders, ...traffic })
  const announcements = await checkAnnouncements(pool, sandboxUrl)
  const { acknowledged } = laterOrders
  const sends = probes.reduce((sum, probe) => sum + probe.acknowledged.length, 0)
  const laterCount = acknowledged.orders.size + acknowledged.schedules.size + acknowledged.requests.size
  const repeated = Object.values(repeater.counts).reduce((sum, each) => sum + each, 0)
  const gap = findOutage(probes, trafficAt, trafficEndedAt)
  return {
    seconds: secondsSince(startedAt),
    requests: tally.requests,
    unanswered: tally.unanswered,
    failed: tally.failed,
    refusals: Object.fromEntries(tally.refusals),
    movements: orders.accepted() + sends + laterCount + repeated,
    movementsByKind: {
      ...countMovements(traffic.planned, traffic.answers),
      'exchange orders, acknowledged': acknowledged.orders.size,
      'scheduled sends, acknowledged': acknowledged.schedules.size,
      'paid requests, acknowledged': acknowledged.requests.size,
      'small sends, acknowledged': sends,
      'orders repeated at the other version': repeated,
    },
    replacements,
    migrationMs: migration.ms,
    blockedMs: migration.blockedMs,
    gapMs: gap.ms,
    gapDuringMigrationMs: findOutage(probes, migration.startedAt, migration.endedAt).ms,
    oldCalls: observed.oldCalls,
    pageFiles: observed.pageFiles,
    notifications: announcements.notifications,
    mails: announcements.mails,
    logged: harness.loggedErrors(),
    faults: [
      ...new Set(observed.faults),
      ...traffic.errors,
      ...assertions.faults,
      ...(gap.ms <= maxGapMs ? [] : [`no send succeeded for ${gap.ms} ms`]),
      ...(await findUncompleted(pool, laterOrders)),
      ...(await findLost(harness, probes)),
      ...(await findDoubled(harness, probes)),
      ...(await findUnequalCounts(harness, repeater)),
      ...announcements.faults,
      ...(await auditByCommand(harness)),
    ],
  }
}

const secondsSince = (at: number): number => Math.round((Date.now() - at) / 1000) // not money: seconds

interface Observation extends Setting {
  readonly probes: readonly Probe[]
  readonly streams: readonly Stream[]
  readonly repeater: Repeater
  readonly observed: { oldCalls: number; pageFiles: number; readonly faults: string[] }
}

/** Lets traffic run on the present processes, and checks what callers see of them. */
async function runStage(observation: Observation, name: string, since: number): Promise<void> {
  const { harness, proxy, roots, tally, probes, streams, repeater, observed, print } = observation
  const [faultsBefore, readyAt] = [observed.faults.length, Date.now()]
  await delay(stageMs)
  const [first, second] = harness.urls
  for (const urls of [
    [first, second],
    [second, first],
  ] as const)
    observed.faults.push(...(await repeatElsewhere(repeater, urls)))
  for (const url of harness.urls) {
    const { answered, faults } = await callAsOldPages(roots.old, url, repeater.person)
    observed.oldCalls += answered
    observed.faults.push(...faults)
  }
  const pages = await loadPages(proxy)
  observed.pageFiles += pages.files
  observed.faults.push(...pages.faults)
  if ((await measureStreams(streams, probes, readyAt)) === undefined)
    observed.faults.push(`${name}: a stream of events shows nothing new`)
  const { ms } = findOutage(probes, since, Date.now())
  print(
    `${name}: ${tally.requests} requests so far, ${tally.failed} failed, ${tally.unanswered} unanswered, no send for ${ms} ms at most`,
  )
  for (const fault of observed.faults.slice(faultsBefore)) print(`   FAULT ${fault}`)
}

interface Migration {
  readonly startedAt: number
  readonly endedAt: number
  /** Time for which the command was connected to the database. */
  readonly ms: number
  readonly blockedMs: number
  readonly faults: readonly string[]
}

/** Migrates while a transaction has every table open for reading, as a backup does. */
async function migrateUnderTraffic({ harness, roots, print }: Setting): Promise<Migration> {
  const { database } = harness
  const reader = await openReader(database.url)
  const startedAt = Date.now()
  const watching = new AbortController()
  const watched = watchMigrations(database.url, reader, watching.signal)
  const output = await migrateBy(roots.new, database).finally(() => watching.abort())
  const { connectedMs: ms, waitedMs, blockedMs } = await watched
  print(
    `${output.trim()}\nMigrated in ${ms} ms, of which ${waitedMs} for a long reader; callers waited ${blockedMs} ms at most.`,
  )
  const faults = [
    ...(waitedMs >= readerMs ? [] : [`the migrations did not wait for a reader: ${waitedMs} ms`]),
    ...(blockedMs <= maxBlockedMs ? [] : [`a migration kept a statement waiting for ${blockedMs} ms`]),
  ]
  return { startedAt, endedAt: Date.now(), ms, blockedMs, faults }
}

/** Opens a transaction that has read every table. */
async function openReader(url: string): Promise<pg.Client> {
  const reader = new pg.Client({ connectionString: url, application_name: 'long reader' })
  reader.on('error', () => {})
  await reader.connect()
  const { rows } = await reader.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'ledger')`,
  )
  await reader.query('begin')
  await reader.query(`lock table ${rows.map(({ name }) => name).join(', ')} in access share mode`)
  return reader
}

/**
 * Ends the reader once the migrations have been waiting for it for a while. Returns how long they were connected, how
 * long they waited, and the longest time for which another statement waited for a lock of theirs.
 */
async function watchMigrations(url: string, reader: pg.Client, signal: AbortSignal) {
  const client = new pg.Client({ connectionString: url, application_name: 'lock watch' })
  client.on('error', () => {})
  await client.connect()
  let [connectedAt, waitingAt, releasedAt, endedAt]: (number | undefined)[] = []
  let blockedMs = 0
  while (!signal.aborted) {
    const { rows } = await client.query<{ is_connected: boolean; is_waiting: boolean; blocked_ms: number }>(
      `with migrating as (select pid, wait_event_type from pg_stat_activity where application_name = 'tern migrate')
       select exists (select from migrating) as is_connected,
              exists (select from migrating where wait_event_type = 'Lock') as is_waiting,
              coalesce((select max(extract(epoch from clock_timestamp() - a.query_start) * 1000)::int
                from pg_stat_activity a where a.wait_event_type = 'Lock'
                 and pg_blocking_pids(a.pid) && array(select pid from migrating)), 0) as blocked_ms`,
    )
    const [row] = rows
    const now = Date.now()
    if (row?.is_connected) {
      connectedAt ??= now
      endedAt = now
    }
    if (row?.is_waiting) waitingAt ??= now
    blockedMs = Math.max(blockedMs, row?.blocked_ms ?? 0)
    if (waitingAt !== undefined && releasedAt === undefined && now - waitingAt > readerMs) {
      releasedAt = now
      await reader.end()
    }
    await delay(20)
  }
  if (releasedAt === undefined) await reader.end()
  await client.end()
  return {
    connectedMs: (endedAt ?? 0) - (connectedAt ?? 0),
    waitedMs: (releasedAt ?? 0) - (waitingAt ?? 0),
    blockedMs,
  }
}

/** Runs `tern audit` of the new version; returns what it prints if it finds a fault. */
async function auditByCommand({ settings }: Harness): Promise<string[]> {
  const program = path.join(ownRoot, 'packages', 'server', 'src', 'commands', 'runner', 'tern.ts')
  const { PATH, HOME, TMPDIR } = process.env
  const { DATABASE_URL, TERN_SECRET } = settings
  const env = { PATH, HOME, TMPDIR, DATABASE_URL, TERN_SECRET }
  return promisify(execFile)(process.execPath, [program, 'audit'], { env }).then(
    () => [],
    (error: { stdout?: string; message: string }) => [`tern audit: ${error.stdout ?? error.message}`],
  )
}

export function describeUpgrade(report: UpgradeReport): string[] {
  const { requests, unanswered, failed, movements, replacements, faults, seconds } = report
  return [
    ...faults.map((fault) => `FAULT ${fault}`),
    `Upgrade: ${replacements} processes replaced in ${seconds} s, ${movements} movements acknowledged, ${faults.length} faults.`,
    `Requests: ${requests}, of which ${failed} were answered with 5xx and ${unanswered} not at all; all were repeated.`,
    `No send for ${report.gapMs} ms at most, ${report.gapDuringMigrationMs} ms during the migrations.`,
    `Migrations: ${report.migrationMs} ms, ${readerMs} of them for a long reader; callers waited for them ${report.blockedMs} ms at most.`,
    `Calls as of the old pages: ${report.oldCalls} answered; files of pages loaded: ${report.pageFiles}.`,
    `Announced once: ${report.notifications} notifications, ${report.mails} mails.`,
  ]
}
