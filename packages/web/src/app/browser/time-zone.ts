import { isTimeZone } from '@tern/contract/schedules/time-zones'

/** The device's time zone, such as "Europe/Paris"; undefined where the browser does not know it, or reports an offset. */
function deviceTimeZone(): string | undefined {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined
  return zone !== undefined && isTimeZone(zone) ? zone : undefined
}

export const knowsTimeZone = (): boolean => deviceTimeZone() !== undefined

/** The time zone that the person's dates and hours are counted in: the device's, or UTC where it is not known. */
export const ownTimeZone = (): string => deviceTimeZone() ?? 'UTC'

/** Tomorrow's date in that time zone, as ISO 8601 writes it. */
export function tomorrowHere(now: Date = new Date()): string {
  const isLocal = knowsTimeZone()
  const year = isLocal ? now.getFullYear() : now.getUTCFullYear()
  const month = isLocal ? now.getMonth() : now.getUTCMonth()
  const day = isLocal ? now.getDate() : now.getUTCDate()
  return new Date(Date.UTC(year, month, day + 1)).toISOString().slice(0, 10)
}
