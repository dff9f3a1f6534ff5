import type { StreetMode } from '@tern/contract/transfers/street-mode'
import { ownTimeZone } from '../../../../app/browser/time-zone.ts'
import { textLocale } from '../../../../ui/format/locale.ts'

/** The time zone of the night: a stored choice keeps its own, so that a journey loosens nothing. */
export const streetZone = ({ limit, time_zone: stored }: Pick<StreetMode, 'limit' | 'time_zone'>): string =>
  limit === null ? ownTimeZone() : stored

/** A time zone in the words of the reader's language, such as "Central Time" for "America/Chicago". */
export function zoneName(timeZone: string, locale = textLocale()): string {
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' }).formatToParts(new Date())
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

type LocaleWithZones = Intl.Locale & {
  getTimeZones?: () => readonly string[] | undefined
  timeZones?: readonly string[]
}

/** Whether clocks of this country (ISO 3166-1) can show this time zone; false where the browser does not know. */
export function isZoneOf(country: string, timeZone: string): boolean {
  const region: LocaleWithZones = new Intl.Locale('und', { region: country })
  return (region.getTimeZones?.() ?? region.timeZones ?? []).includes(timeZone)
}

/** A full hour as the reader's language writes it, such as "10 PM". */
export const hourName = (hour: number, locale = textLocale()): string =>
  new Intl.DateTimeFormat(locale, { hour: 'numeric', timeZone: 'UTC' }).format(new Date(Date.UTC(2026, 0, 1, hour)))
