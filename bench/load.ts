// Load from concurrent callers, each of which sends its next request once the previous one is answered.

export interface LoadMeasurement {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Responses within the measured time. */
  readonly responseCount: number
}

export interface MeasureOptions {
  readonly callers: number
  readonly durationMs: number
  readonly warmUpMs?: number
  readonly onBegin?: () => void
  readonly onEnd?: () => void
}

/** Runs `work` repeatedly for `callers` concurrent callers, numbered from 0; measures after the warm-up. */
export async function measure(
  { callers, durationMs, warmUpMs = 500, onBegin = () => {}, onEnd = () => {} }: MeasureOptions,
  work: (caller: number) => Promise<void>,
): Promise<LoadMeasurement> {
  const latenciesMs: number[] = []
  const start = performance.now() + warmUpMs
  const end = start + durationMs
  let phase: 'warm-up' | 'measured' | 'over' = 'warm-up'
  function updatePhase(at: number): void {
    if (phase === 'warm-up' && at >= start) {
      phase = 'measured'
      onBegin()
    }
    if (phase === 'measured' && at >= end) {
      phase = 'over'
      onEnd()
    }
  }
  async function call(caller: number): Promise<void> {
    for (let sentAt = performance.now(); sentAt < end;) {
      await work(caller)
      const answeredAt = performance.now()
      updatePhase(answeredAt)
      if (phase === 'measured') latenciesMs.push(answeredAt - sentAt)
      sentAt = answeredAt
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  latenciesMs.sort((a, b) => a - b)
  return {
    perSecond: latenciesMs.length / (durationMs / 1000),
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    responseCount: latenciesMs.length,
  }
}

/** Returns the quantile at `share` (0 to 1) of ascending values; NaN if there are none. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Returns the median, averaging the middle two for even counts. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [lowerMiddle, upperMiddle] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return ((lowerMiddle ?? Number.NaN) + (upperMiddle ?? Number.NaN)) / 2
}
