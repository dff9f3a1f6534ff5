import type { Db } from '../../../platform/database/db.ts'
import type { FiatCode } from '@tern/money/currency'

/** Street mode settings, chosen or proposed. */
export interface StreetSetting {
  readonly is_on: boolean
  readonly limit_minor: bigint
  readonly currency: FiatCode
  readonly limit_usd_minor: bigint
  /** Local hours, 0 to 23. The night ends at the start of the hour `night_until`. */
  readonly night_from: number
  readonly night_until: number
  readonly time_zone: string
}

export type StreetSettingRow = StreetSetting & { readonly valid_from: Date }

/** Current setting, and the next one if a change is not valid yet. */
export async function readSettings(db: Db, userId: bigint, at: Date) {
  const { rows } = await db.query<StreetSettingRow>({
    name: 'street_settings',
    text: `select is_on, limit_minor, currency, limit_usd_minor, night_from, night_until, time_zone, valid_from
       from street_setting where user_id = $1 order by valid_from`,
    values: [userId],
  })
  return { current: rows.findLast((row) => row.valid_from <= at), next: rows.find((row) => row.valid_from > at) }
}

/** Local hour in a time zone, 0 to 23. */
function readLocalHour(at: Date, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', hourCycle: 'h23' })
  return parseInt(format.format(at), 10) // not money: an hour of the day
}

type NightHours = Pick<StreetSetting, 'night_from' | 'night_until' | 'time_zone'>

const isNightHour = (hour: number, { night_from: from, night_until: until }: NightHours): boolean =>
  from <= until ? hour >= from && hour < until : hour >= from || hour < until

export const isNight = (night: NightHours, at: Date): boolean => isNightHour(readLocalHour(at, night.time_zone), night)

const hours = Array.from({ length: 24 }, (_, hour) => hour)

/** True if `night` includes every hour of `other`. */
const coversNight = (night: NightHours, other: NightHours): boolean =>
  night.time_zone === other.time_zone && hours.every((hour) => !isNightHour(hour, other) || isNightHour(hour, night))

/** Current setting with those parts of the requested one that are not weaker, which may apply at once. */
export function applyStricterNow(current: StreetSetting | undefined, requested: StreetSetting): StreetSetting {
  if (!current?.is_on) return requested
  if (!requested.is_on) return current
  const limit = applyStricterLimit(current, requested)
  const { night_from, night_until, time_zone } = coversNight(requested, current) ? requested : current
  const { limit_minor, currency, limit_usd_minor } = limit
  return { is_on: true, limit_minor, currency, limit_usd_minor, night_from, night_until, time_zone }
}

// Limits in the same currency are compared as chosen, regardless of rates. Payments count in dollars, so the dollar
// value of a stricter limit is never above that of the limit it replaces.
function applyStricterLimit(current: StreetSetting, requested: StreetSetting): StreetSetting {
  const isSameCurrency = requested.currency === current.currency
  const isWeaker = isSameCurrency
    ? requested.limit_minor > current.limit_minor
    : requested.limit_usd_minor > current.limit_usd_minor
  if (isWeaker) return current
  return requested.limit_usd_minor <= current.limit_usd_minor
    ? requested
    : { ...requested, limit_usd_minor: current.limit_usd_minor }
}

/** True if two settings are equal; ignores the limit's value in dollars, which depends on rates. */
export const isSame = (a: StreetSetting, b: StreetSetting): boolean =>
  a.is_on === b.is_on &&
  a.limit_minor === b.limit_minor &&
  a.currency === b.currency &&
  a.night_from === b.night_from &&
  a.night_until === b.night_until &&
  a.time_zone === b.time_zone
