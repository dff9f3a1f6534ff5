const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Formats a duration in its largest whole unit: 40 seconds, 3 minutes, 2 days. */
export function formatDuration(milliseconds: number): string {
  const [unit, size] =
    milliseconds >= 2 * dayMs
      ? (['day', dayMs] as const)
      : milliseconds >= 2 * hourMs
        ? (['hour', hourMs] as const)
        : milliseconds >= 2 * minuteMs
          ? (['minute', minuteMs] as const)
          : (['second', 1000] as const)
  const count = Math.floor(milliseconds / size) // not money: a count of units
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
