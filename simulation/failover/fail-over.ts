// One fault of a primary, and what must hold after it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Harness } from '../long/harness.ts'
import {
  findBrokenBooks,
  findDifferentAnswers,
  findLost,
  judgeJob,
  measureJob,
  measureStreams,
  type SplitBrain,
  writeToOldPrimary,
} from './checks.ts'
import type { Cluster, ClusterFault } from './cluster.ts'
import { findOutage } from './outages.ts'
import type { Probe, Stream } from './probes.ts'

const settleMs = 3000

export interface Failover {
  readonly fault: ClusterFault
  readonly outageMs: number
  readonly jobMs: number | undefined
  readonly streamMs: number | undefined
  readonly healedMs: number
}

export interface Setting {
  readonly cluster: Cluster
  readonly harness: Harness
  readonly probes: readonly Probe[]
  readonly streams: readonly Stream[]
}

export interface Outcome {
  readonly failover: Failover
  readonly splitBrain: SplitBrain | undefined
  readonly faults: readonly string[]
}

/** Kills the primary, waits for the next one and for the return of the old one, and checks what was acknowledged. */
export async function failOver(setting: Setting, fault: ClusterFault): Promise<Outcome> {
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
