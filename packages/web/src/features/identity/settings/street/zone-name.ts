import type { StreetMode } from '@tern/contract/transfers/street-mode'
import { ownTimeZone } from '../../../../app/browser/time-zone.ts'
import { textLocale } from '../../../../ui/format/locale.ts'

/** Time zone of the night hours. A stored zone is kept, so that traveling does not weaken the protection. */
export const streetZone = ({ limit, time_zone: stored }: Pick<StreetMode, 'limit' | 'time_zone'>): string =>
  limit === null ? ownTimeZone() : stored

/** Localized name of a time zone, such as "Central Time" for "America/Chicago". */
export function zoneName(timeZone: string, locale = textLocale()): string {
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' }).formatToParts(new Date())
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

type LocaleWithZones = Intl.Locale & {
  getTimeZones?: () => readonly string[] | undefined
  timeZones?: readonly string[]
}

/** Checks whether a country (ISO 3166-1) uses this time zone; false if the browser cannot tell. */
export function usesTimeZone(country: string, timeZone: string): boolean {
  const region: LocaleWithZones = new Intl.Locale('und', { region: country })
  return (region.getTimeZones?.() ?? region.timeZones ?? []).includes(timeZone)
}

/** Localized full hour, such as "10 PM". */
export const hourName = (hour: number, locale = textLocale()): string =>
  new Intl.DateTimeFormat(locale, { hour: 'numeric', timeZone: 'UTC' }).format(new Date(Date.UTC(2026, 0, 1, hour)))
