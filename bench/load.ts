// Callers that send the next request as soon as the last is answered.

export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Runs `callers` of `work` for `durationMs` after a warm-up. */
export async function measure(
  callers: number,
  durationMs: number,
  work: () => Promise<void>,
  warmUpMs = 500,
): Promise<Measured> {
  const latenciesMs: number[] = []
  const start = performance.now() + warmUpMs
  const end = start + durationMs
  async function caller(): Promise<void> {
    for (;;) {
      const sentAt = performance.now()
      if (sentAt >= end) return
      await work()
      const answered = performance.now()
      if (sentAt >= start && answered <= end) latenciesMs.push(answered - sentAt)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  latenciesMs.sort((a, b) => a - b)
  return {
    perSecond: latenciesMs.length / (durationMs / 1000),
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
  }
}

/** The value that `share` of them do not exceed. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** The median, averaging the middle two for even counts. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return ((lower ?? Number.NaN) + (upper ?? Number.NaN)) / 2
}
