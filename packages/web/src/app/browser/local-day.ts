import { ownTimeZone } from './time-zone.ts'

/** ISO 8601 day of an instant in the `ownTimeZone`. */
export const toLocalDay = (at: Date): string =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone: ownTimeZone(),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    numberingSystem: 'latn',
    calendar: 'gregory',
  }).format(at)
