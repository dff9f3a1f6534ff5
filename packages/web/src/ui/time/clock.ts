const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Lengths that one block of the clock may have. */
const blocks = [
  { unit: 'minutes', count: 5, ms: 5 * minuteMs },
  { unit: 'minutes', count: 30, ms: 30 * minuteMs },
  { unit: 'hours', count: 3, ms: 3 * hourMs },
  { unit: 'days', count: 1, ms: dayMs },
  { unit: 'days', count: 7, ms: 7 * dayMs },
] as const

const maxBlocks = 30

/** The smallest block of which at most thirty cover `totalMs`; seven days at most. */
export const chooseBlock = (totalMs: number) => blocks.find(({ ms }) => totalMs / ms <= maxBlocks) ?? blocks[4]

/** Start and length of each block in percent of the clock; the last one may be partial. */
export function listBlocks(totalMs: number): { from: number; length: number }[] {
  const { ms } = chooseBlock(totalMs)
  return Array.from({ length: Math.ceil(totalMs / ms) }, (_, index) => {
    const from = (index * ms * 100) / totalMs
    return { from, length: Math.min((ms * 100) / totalMs, 100 - from) }
  })
}

/** Elapsed share of a period in percent, clamped to 0–100. */
export const computeElapsed = (fromMs: number, untilMs: number, nowMs: number): number =>
  untilMs <= fromMs ? 100 : Math.min(100, Math.max(0, ((nowMs - fromMs) * 100) / (untilMs - fromMs)))
