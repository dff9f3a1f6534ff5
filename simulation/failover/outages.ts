// How long no movement could be made.

import type { Probe } from './probes.ts'

/**
 * Returns the longest time without an acknowledged send in a period, in milliseconds, and its end. It includes the time
 * between two sends, and so is never shorter than the time from the first failed request to the first successful one.
 */
export function findOutage(probes: readonly Probe[], from: number, until: number): { ms: number; end: number } {
  const times = probes
    .flatMap(({ acknowledged }) => acknowledged.map(({ at }) => at))
    .filter((at) => at <= until)
    .toSorted((a, b) => a - b)
  let [ms, end] = [0, from]
  let previous = times.findLast((at) => at < from) ?? from
  for (const at of times.filter((time) => time >= from)) {
    if (at - previous > ms) [ms, end] = [at - previous, at]
    previous = at
  }
  return { ms, end }
}

export function summarize(values: readonly number[]): { min: number; median: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle] : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
  return { min: sorted[0] ?? 0, median: median ?? 0, max: sorted.at(-1) ?? 0 }
}
