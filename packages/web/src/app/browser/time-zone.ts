import { isTimeZone } from '@tern/contract/schedules/time-zones'

/** The device's time zone, such as "Europe/Paris"; undefined if the browser does not know it or reports an offset. */
function deviceTimeZone(): string | undefined {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined
  return zone !== undefined && isTimeZone(zone) ? zone : undefined
}

export const knowsTimeZone = (): boolean => deviceTimeZone() !== undefined

/** Time zone of the person's dates and hours: the device's, or UTC if unknown. */
export const ownTimeZone = (): string => deviceTimeZone() ?? 'UTC'

/** Tomorrow's ISO 8601 date in the `ownTimeZone`. */
export function getTomorrow(now: Date = new Date()): string {
  const isLocal = knowsTimeZone()
  const year = isLocal ? now.getFullYear() : now.getUTCFullYear()
  const month = isLocal ? now.getMonth() : now.getUTCMonth()
  const day = isLocal ? now.getDate() : now.getUTCDate()
  return new Date(Date.UTC(year, month, day + 1)).toISOString().slice(0, 10)
}
