// Calendar dates in IANA time zones.

/** Local hour at which sends run. No time zone changes its clocks at this hour. */
export const sendHour = 9

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the cached format of a zone; `timeZone` is a name that `isTimeZone` accepts. */
function cachedFormat(timeZone: string): Intl.DateTimeFormat {
  // Zone names are stored as typed, and are case-insensitive.
  const name = timeZone.toLowerCase()
  const storedFormat = formats.get(name)
  if (storedFormat) return storedFormat
  // The Swedish locale formats dates like ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(name, format)
  return format
}

/** Returns the local clock time as if it were UTC, in milliseconds. */
const toLocalMs = (at: number, timeZone: string): number =>
  Date.parse(`${cachedFormat(timeZone).format(at).replace(' ', 'T')}Z`)

export const toLocalDate = (at: Date, timeZone: string): string => cachedFormat(timeZone).format(at).slice(0, 10)

/** Returns the time at which local clocks show this hour of a date. A skipped hour counts as the next one. */
export function localMoment(date: string, hour: number, timeZone: string): Date {
  const localMs = Date.parse(`${date}T00:00:00Z`) + hour * 3_600_000
  const computeOffset = (at: number) => toLocalMs(at, timeZone) - at
  // Tries the offsets of the day before and the day after.
  const [earlier, later] = [
    localMs - computeOffset(localMs - 86_400_000),
    localMs - computeOffset(localMs + 86_400_000),
  ]
  return new Date(toLocalMs(later, timeZone) === localMs ? later : earlier)
}
