import type { Db } from '../../../platform/database/db.ts'
import type { FiatCode } from '@tern/money/currency'

/** What somebody has chosen of street mode, or is about to have. */
export interface StreetSetting {
  readonly is_on: boolean
  readonly limit_minor: bigint
  readonly currency: FiatCode
  readonly limit_usd_minor: bigint
  /** Full hours; night lasts until the other begins. */
  readonly night_from: number
  readonly night_until: number
  readonly time_zone: string
}

export type StreetSettingRow = StreetSetting & { readonly valid_from: Date }

/** The setting that holds at this time, and the one that waits. */
export async function readSettings(db: Db, userId: bigint, at: Date) {
  const { rows } = await db.query<StreetSettingRow>({
    name: 'street_settings',
    text: `select is_on, limit_minor, currency, limit_usd_minor, night_from, night_until, time_zone, valid_from
       from street_setting where user_id = $1 order by valid_from`,
    values: [userId],
  })
  return { current: rows.findLast((row) => row.valid_from <= at), next: rows.find((row) => row.valid_from > at) }
}

/** The hour that clocks of a time zone show, 0 to 23. */
function hourAt(at: Date, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', hourCycle: 'h23' })
  return parseInt(format.format(at), 10) // not money: an hour of the day
}

type Night = Pick<StreetSetting, 'night_from' | 'night_until' | 'time_zone'>

const isWithin = (hour: number, { night_from: from, night_until: until }: Night): boolean =>
  from <= until ? hour >= from && hour < until : hour >= from || hour < until

/** Whether it is night for somebody. */
export const isNight = (night: Night, at: Date): boolean => isWithin(hourAt(at, night.time_zone), night)

const hours = Array.from({ length: 24 }, (_, hour) => hour)

/** Whether every hour of the other night is one of this. */
const covers = (night: Night, other: Night): boolean =>
  night.time_zone === other.time_zone && hours.every((hour) => !isWithin(hour, other) || isWithin(hour, night))

/** What of a wanted setting may hold at once: whatever is not weaker than what holds now. */
export function atOnce(current: StreetSetting | undefined, wanted: StreetSetting): StreetSetting {
  if (!current?.is_on) return wanted
  if (!wanted.is_on) return current
  const limit = limitAtOnce(current, wanted)
  const { night_from, night_until, time_zone } = covers(wanted, current) ? wanted : current
  const { limit_minor, currency, limit_usd_minor } = limit
  return { is_on: true, limit_minor, currency, limit_usd_minor, night_from, night_until, time_zone }
}

// Amounts of one currency are compared as they were chosen, whatever rates have done since. What counts is dollars, and of those
// a lower amount never lets more pass than the higher one that it replaces.
function limitAtOnce(current: StreetSetting, wanted: StreetSetting): StreetSetting {
  const isSameCurrency = wanted.currency === current.currency
  const isWeaker = isSameCurrency
    ? wanted.limit_minor > current.limit_minor
    : wanted.limit_usd_minor > current.limit_usd_minor
  if (isWeaker) return current
  return wanted.limit_usd_minor <= current.limit_usd_minor
    ? wanted
    : { ...wanted, limit_usd_minor: current.limit_usd_minor }
}

/** Whether two settings let the same pass. */
export const isSame = (one: StreetSetting, other: StreetSetting): boolean =>
  one.is_on === other.is_on &&
  one.limit_minor === other.limit_minor &&
  one.currency === other.currency &&
  one.night_from === other.night_from &&
  one.night_until === other.night_until &&
  one.time_zone === other.time_zone
