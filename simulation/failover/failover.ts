// Kills the primary of a replicated database again and again while people move money.

import assert from 'node:assert'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sendMoney } from '@tern/contract/transfers'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { createActor } from '../harness/actor.ts'
import { createOrderBook, createOrderWatch } from '../oracle/orders.ts'
import { type Harness, startHarness } from '../long/harness.ts'
import { checkAfterQuiescence, countMovements, registerAll, startTraffic } from '../long/traffic.ts'
import {
  findBrokenBooks,
  findDifferentAnswers,
  findDoubled,
  findLost,
  judgeJob,
  measureJob,
  measureStreams,
  type SplitBrain,
  writeToOldPrimary,
} from './checks.ts'
import { type Cluster, type ClusterFault, findMissingPackages, startCluster } from './cluster.ts'
import { findUncompleted, startLaterOrders } from './orders.ts'
import { findOutage, formatSeconds, summarize } from './outages.ts'
import { followEvents, type Probe, startProbe, type Stream } from './probes.ts'

const seed = 'failover'
const peopleCount = 15
const concurrency = 4
const fundedMinor = 10_000_000
const quietMs = 4000
const settleMs = 3000
const maxMedianMs = 15_000

/** In this order, again and again. Only a crash is noticed before `ttl` has passed. */
const faults: readonly ClusterFault[] = ['crash', 'isolated', 'crash', 'frozen', 'crash', 'crash', 'machine']

export interface Failover {
  readonly fault: ClusterFault
  readonly outageMs: number
  readonly jobMs: number | undefined
  readonly streamMs: number | undefined
  readonly healedMs: number
}

export interface FailoverReport {
  readonly failovers: readonly Failover[]
  /** Acknowledged movements. */
  readonly movements: number
  readonly probes: number
  readonly movementsByKind: Readonly<Record<string, number>>
  readonly logged: Readonly<Record<string, number>>
  readonly splitBrains: { readonly tried: number; readonly acknowledged: number }
  readonly seconds: number
  readonly faults: readonly string[]
}

interface Couple {
  readonly sender: TestPerson
  readonly recipient: TestPerson
}

interface Setting {
  readonly cluster: Cluster
  readonly harness: Harness
  readonly probes: readonly Probe[]
  readonly streams: readonly Stream[]
  readonly print: (sentence: string) => void
}

/** Enrolls pairs of a sender with money and a recipient, who has been paid before. */
async function enrollCouples({ urls, pool }: Harness): Promise<readonly Couple[]> {
  const names = [
    ['alice', 'bruno'],
    ['clara', 'david'],
    ['emily', 'frank'],
  ] as const
  const enrolled = (name: string) => enroll(urls[0], name, 'United States', { database: pool })
  const couples = names.map(async ([senderName, recipientName]) => {
    const couple = { sender: await enrolled(senderName), recipient: await enrolled(recipientName) }
    await fund(couple.sender, fundedMinor)
    const body = { recipient_id: couple.recipient.id, amount: '1.00', source_currency: 'USD' } as const
    await couple.sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
    return couple
  })
  // Without this, so many payments would exceed the daily number of free ones.
  await pool.query('update fee_policy set free_movements_per_day = 1000000')
  return Promise.all(couples)
}

interface Outcome {
  readonly failover: Failover
  readonly splitBrain: SplitBrain | undefined
  readonly faults: readonly string[]
}

/** Kills the primary, waits for the next one and for the return of the old one, and checks what was acknowledged. */
async function failOver(setting: Setting, fault: ClusterFault): Promise<Outcome> {
  const { cluster, harness, probes, streams } = setting
  const primary = await cluster.findPrimary()
  if (!primary) throw new Error('there is no primary')
  const killedAt = Date.now()
  cluster.inflict(primary, fault)
  await cluster.waitForPrimary(primary)
  const splitBrain = fault === 'isolated' ? await writeToOldPrimary(cluster.directUrl(primary)) : undefined
  await waitForSend(setting, killedAt)
  const jobMs = await measureJob(harness)
  await cluster.repair(primary)
  await cluster.waitUntilReplicated()
  const healedMs = Date.now() - killedAt
  await delay(settleMs)
  const outage = findOutage(probes, killedAt, Date.now())
  const streamMs = await measureStreams(streams, probes, outage.end)
  const faultsFound = [
    ...judgeJob(jobMs),
    ...(streamMs === undefined ? ['a stream of events did not resume'] : []),
    ...(await judgeSplitBrain(cluster, splitBrain)),
    ...(await findLost(harness, probes)),
    ...(await findDifferentAnswers(probes, outage.end)),
    ...(await findBrokenBooks(harness)),
  ]
  return { failover: { fault, outageMs: outage.ms, jobMs, streamMs, healedMs }, splitBrain, faults: faultsFound }
}

async function judgeSplitBrain(cluster: Cluster, splitBrain: SplitBrain | undefined): Promise<string[]> {
  if (!splitBrain) return []
  const hasMark = await cluster.hasMark(splitBrain.mark)
  return [
    ...(splitBrain.isAcknowledged ? ['SPLIT BRAIN: the old primary acknowledged a write'] : []),
    ...(hasMark ? ['SPLIT BRAIN: a write to the old primary is in the new one'] : []),
  ]
}

/** Waits until a send that began after the fault is acknowledged. */
async function waitForSend({ probes, cluster }: Setting, since: number): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await delay(50)) {
    const isMoving = probes.every(({ acknowledged }) => (acknowledged.at(-1)?.startedAt ?? 0) > since + 1000)
    if (isMoving) return
  }
  throw new Error(`no movement was acknowledged for two minutes.\n${cluster.logs()}`)
}

export async function runFailover(kills: number, print: (sentence: string) => void): Promise<FailoverReport> {
  const missing = findMissingPackages()
  if (missing.length > 0) throw new Error(`Not installed: apt-get install ${missing.join(' ')}.`)
  const startedAt = Date.now()
  const cluster = await startCluster()
  try {
    const harness = await startHarness(
      seed,
      { LOG_LEVEL: 'warn' },
      {
        ...cluster,
        postmasterPid: () => undefined,
        log: cluster.logs,
        stop: () => Promise.resolve(),
      },
    )
    try {
      return await runWithHarness(cluster, harness, { kills, print, startedAt })
    } finally {
      await harness.close()
    }
  } finally {
    await cluster.close()
  }
}

async function runWithHarness(
  cluster: Cluster,
  harness: Harness,
  { kills, print, startedAt }: { kills: number; print: (sentence: string) => void; startedAt: number },
): Promise<FailoverReport> {
  await harness.waitUntilReady()
  const orders = createOrderBook()
  const watch = createOrderWatch(orders)
  const couples = await enrollCouples(harness)
  // Then a day passes, after which these people know one another.
  const people = await registerAll(harness, { seed, orders, watch, count: peopleCount })
  const { sandboxUrl, sandboxSecret, urls } = harness
  const traffic = startTraffic({ seed, people, orders, sandboxUrl, sandboxSecret }, seed, concurrency)
  const probing = couples.slice(0, 2)
  const probes = probing.map(({ sender, recipient }) => startProbe(urls, sender, recipient))
  const streams = probing.flatMap(({ recipient }) => urls.map((url) => followEvents(url, recipient)))
  const [payer, payee] = couples.slice(2).flatMap(({ sender, recipient }) => [sender, recipient].map(toActor(urls)))
  assert(payer && payee)
  const laterOrders = startLaterOrders(harness.pool, payer, payee, await readProductTime(sandboxUrl))
  print(`Three databases, two apps, two workers and ${peopleCount + 6} people after ${secondsSince(startedAt)} s.`)
  const setting = { cluster, harness, probes, streams, print }
  const failovers: Failover[] = []
  const faultsFound: string[] = []
  const splitBrains = { tried: 0, acknowledged: 0 }
  while (failovers.length < kills) {
    await delay(quietMs)
    const {
      failover,
      splitBrain,
      faults: found,
    } = await failOver(setting, faults[failovers.length % faults.length] ?? 'crash')
    failovers.push(failover)
    faultsFound.push(...found)
    if (splitBrain?.isReached) splitBrains.tried += 1
    if (splitBrain?.isAcknowledged) splitBrains.acknowledged += 1
    print(describe(failovers.length, failover, found))
  }
  await Promise.all([traffic.end(), laterOrders.end(), ...probes.map((probe) => probe.end())])
  await watch.drain()
  for (const stream of streams) stream.close()
  print(`At rest after ${secondsSince(startedAt)} s.`)
  const assertions = await checkAfterQuiescence(harness, { orders, ...traffic })
  const unfinished = await findUncompleted(harness.pool, laterOrders)
  const { acknowledged } = laterOrders
  const sends = probes.reduce((sum, probe) => sum + probe.acknowledged.length, 0)
  const laterCount = acknowledged.orders.size + acknowledged.schedules.size + acknowledged.requests.size
  return {
    failovers,
    movements: orders.accepted() + sends + laterCount,
    probes: sends,
    movementsByKind: {
      ...countMovements(traffic.planned, traffic.answers),
      'exchange orders, acknowledged': acknowledged.orders.size,
      'scheduled sends, acknowledged': acknowledged.schedules.size,
      'paid requests, acknowledged': acknowledged.requests.size,
      'small sends, acknowledged': sends,
    },
    logged: harness.loggedErrors(),
    splitBrains,
    seconds: secondsSince(startedAt),
    faults: [
      ...faultsFound,
      ...traffic.errors,
      ...assertions.faults,
      ...unfinished,
      ...(await findDoubled(harness, probes)),
      ...judgeMedian(failovers),
    ],
  }
}

const toActor = (urls: readonly string[]) => (person: TestPerson) =>
  createActor(urls, person, 'USD', { repeatAfterMs: () => 4000, timeoutMs: 20_000, maxPauseMs: 1000 })

async function readProductTime(sandboxUrl: string): Promise<Date> {
  const { offsetMs } = (await (await fetch(`${sandboxUrl}/api/clock`)).json()) as { offsetMs: number }
  return new Date(Date.now() + offsetMs)
}

const secondsSince = (at: number): number => Math.round((Date.now() - at) / 1000) // not money: seconds

function judgeMedian(failovers: readonly Failover[]): string[] {
  const { median } = summarize(failovers.map(({ outageMs }) => outageMs))
  return median < maxMedianMs ? [] : [`the median outage took ${formatSeconds(median)}`]
}

function describe(number: number, failover: Failover, found: readonly string[]): string {
  const { fault, outageMs, jobMs, streamMs, healedMs } = failover
  const format = (ms: number | undefined) => (ms === undefined ? 'never' : formatSeconds(ms))
  const first = `${number}. ${fault}: no movement for ${formatSeconds(outageMs)}, a job after ${format(jobMs)}, `
  const second = `streams after ${format(streamMs)}, three databases after ${formatSeconds(healedMs)}`
  return [first + second, ...found.map((sentence) => `   FAULT ${sentence}`)].join('\n')
}
