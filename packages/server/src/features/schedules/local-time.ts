// Calendar dates where somebody lives. The names of time zones are those of the IANA database.

/** At which hour money is sent: no time zone changes its clocks then. */
export const sendHour = 9

const formats = new Map<string, Intl.DateTimeFormat>()

/** Format of one zone, made once; `timeZone` is a name that `isTimeZone` accepts. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  // Names are stored as they were typed, and count the same in any case.
  const name = timeZone.toLowerCase()
  const known = formats.get(name)
  if (known) return known
  // Swedish writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(name, format)
  return format
}

/** What clocks there show, as if it were UTC. */
const shownAt = (at: number, timeZone: string): number =>
  Date.parse(`${formatOf(timeZone).format(at).replace(' ', 'T')}Z`)

/** The date there. */
export const dateAt = (at: Date, timeZone: string): string => formatOf(timeZone).format(at).slice(0, 10)

/** When clocks there show this hour of a date. An hour that they leave out is taken as the one after it. */
export function momentOf(date: string, hour: number, timeZone: string): Date {
  const wanted = Date.parse(`${date}T00:00:00Z`) + hour * 3_600_000
  const offsetAt = (at: number) => shownAt(at, timeZone) - at
  // With the offset of the day before and of the day after, whichever of them is right.
  const [earlier, later] = [wanted - offsetAt(wanted - 86_400_000), wanted - offsetAt(wanted + 86_400_000)]
  return new Date(shownAt(later, timeZone) === wanted ? later : earlier)
}
