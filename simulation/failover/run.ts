// Kills the primary of a replicated database again and again while people move money.

import assert from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import { checkAnnouncements } from '../harness/announcements.ts'
import { createOrderBook, createOrderWatch } from '../oracle/orders.ts'
import { type Harness, startHarness } from '../long/harness.ts'
import { checkAfterQuiescence, countMovements, registerAll, startTraffic } from '../long/traffic.ts'
import { findDoubled } from './checks.ts'
import { type Cluster, type ClusterFault, startCluster } from './cluster.ts'
import { type Failover, failOver } from './fail-over.ts'
import { awaitSchedules, findUncompleted, startLaterOrders } from './orders.ts'
import { summarize } from './outages.ts'
import { enrollCouples, readProductTime, toActor } from './people.ts'
import { followEvents, startProbe } from './probes.ts'
import { describeFailover, formatSeconds } from './report.ts'

const seed = 'failover'
const peopleCount = 15
const concurrency = 4
const quietMs = 4000
const maxMedianMs = 15_000
const minuteMs = 60_000

/** In this order, again and again. Only a crash is noticed before `ttl` has passed. */
const faults: readonly ClusterFault[] = ['crash', 'isolated', 'crash', 'frozen', 'crash', 'crash', 'machine']

export interface FailoverReport {
  readonly failovers: readonly Failover[]
  /** Acknowledged movements. */
  readonly movements: number
  readonly probes: number
  /** Notifications and mails, each made once. */
  readonly notifications: number
  readonly mails: number
  readonly movementsByKind: Readonly<Record<string, number>>
  readonly logged: Readonly<Record<string, number>>
  readonly splitBrains: { readonly tried: number; readonly acknowledged: number }
  readonly seconds: number
  readonly faults: readonly string[]
}

/** Runs `kills` failovers. Needs the packages of `findMissingPackages`. */
export async function runFailover(kills: number, print: (sentence: string) => void): Promise<FailoverReport> {
  const startedAt = Date.now()
  const cluster = await startCluster()
  try {
    const harness = await startHarness(seed, {
      settings: { LOG_LEVEL: 'warn' },
      database: {
        url: cluster.url,
        applicationUrl: cluster.applicationUrl,
        applicationRole: cluster.applicationRole,
        postmasterPid: () => undefined,
        log: cluster.logs,
        stop: () => Promise.resolve(),
      },
    })
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
  const setting = { cluster, harness, probes, streams }
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
    print(describeFailover(failovers.length, failover, found))
  }
  await Promise.all([traffic.end(), laterOrders.end(), ...probes.map((probe) => probe.end())])
  await watch.drain()
  for (const stream of streams) stream.close()
  print(`At rest after ${secondsSince(startedAt)} s.`)
  const now = await readProductTime(sandboxUrl)
  await harness.advanceClock(laterOrders.dueAt.getTime() - now.getTime() + minuteMs)
  await awaitSchedules(harness.pool, laterOrders)
  const assertions = await checkAfterQuiescence(harness, { orders, ...traffic })
  const announcements = await checkAnnouncements(harness.pool, sandboxUrl)
  const unfinished = await findUncompleted(harness.pool, laterOrders)
  const { acknowledged } = laterOrders
  const sends = probes.reduce((sum, probe) => sum + probe.acknowledged.length, 0)
  const laterCount = acknowledged.orders.size + acknowledged.schedules.size + acknowledged.requests.size
  return {
    failovers,
    movements: orders.accepted() + sends + laterCount,
    probes: sends,
    notifications: announcements.notifications,
    mails: announcements.mails,
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
      // A lost movement is found again after each later failover.
      ...new Set(faultsFound),
      ...traffic.errors,
      ...assertions.faults,
      ...unfinished,
      ...announcements.faults,
      ...(await findDoubled(harness, probes)),
      ...judgeMedian(failovers),
    ],
  }
}

const secondsSince = (at: number): number => Math.round((Date.now() - at) / 1000) // not money: seconds

function judgeMedian(failovers: readonly Failover[]): string[] {
  const { median } = summarize(failovers.map(({ outageMs }) => outageMs))
  return median < maxMedianMs ? [] : [`the median outage took ${formatSeconds(median)}`]
}
