// Simulates the batches of one poster: movements wait while a batch is decided and synced, then all waiting ones form
// the next batch.

import { createRandom } from '../random.ts'
import { batch } from './assumptions.ts'

export interface BatchOptions {
  readonly movementsPerSecond: number
  readonly seconds: number
  readonly seed: string
}

export interface BatchReport {
  readonly movementsPerBatch: number
  /** Time from arrival to commit, in milliseconds. */
  readonly p50Ms: number
  readonly p99Ms: number
}

export function simulateBatches({ movementsPerSecond, seconds, seed }: BatchOptions): BatchReport {
  const random = createRandom(seed, 'batches')
  const end = seconds * 1_000_000
  const waits: number[] = []
  const waiting: number[] = []
  const drawGap = () => (-Math.log(1 - random.next()) * 1_000_000) / movementsPerSecond
  let nextArrival = drawGap()
  let now = 0
  let batches = 0
  while (now < end) {
    if (waiting.length === 0) now = Math.max(now, nextArrival)
    for (; nextArrival <= now; nextArrival += drawGap()) waiting.push(nextArrival)
    const arrivals = waiting.splice(0, batch.largest)
    const duration = batch.fixedMicroseconds + batch.movementMicroseconds * arrivals.length + batch.syncMicroseconds
    now += duration
    batches += 1
    for (const arrival of arrivals) waits.push(now - arrival)
  }
  waits.sort((a, b) => a - b)
  const percentile = (percent: number): number => (waits[Math.floor((waits.length * percent) / 100)] ?? 0) / 1000
  return {
    movementsPerBatch: waits.length / batches,
    p50Ms: percentile(50),
    p99Ms: percentile(99),
  }
}
