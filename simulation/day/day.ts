// Simulates the load of a day, minute by minute. Extrapolates: nobody has run this many people.

import { createRandom, type Random } from '../random.ts'
import {
  type Activity,
  coresOfPrimary,
  costs,
  countries,
  habits,
  hourShares,
  paydayFactor,
  plannedUtilization,
} from './assumptions.ts'

export interface DayOptions {
  readonly people: number
  readonly seed: string
  /** Everybody is paid on this day. */
  readonly isPayday: boolean
}

export interface DayReport {
  readonly activities: Readonly<Record<Activity, number>>
  /** Minute of the UTC day in which the database works most. */
  readonly busiestMinute: number
  /** Rates of the busiest minute, a second. */
  readonly sendsPerSecond: number
  readonly movementsPerSecond: number
  readonly readsPerSecond: number
  readonly walBytesPerSecond: number
  /** Processors that work without pause in the busiest minute. */
  readonly appCores: number
  readonly databaseCores: number
  /** Part of `databaseCores` for reads, which replicas can serve. */
  readonly readCores: number
  /** Primaries needed, if replicas serve the reads. */
  readonly cells: number
  readonly storedBytesPerDay: number
  readonly entriesPerDay: number
}

const activityNames = Object.keys(costs) as Activity[]
const minutesOfDay = 1440
const microsecondsOfMinute = 60_000_000

export function simulateDay(options: DayOptions): DayReport {
  const random = createRandom(options.seed, 'day')
  const minutes = Array.from({ length: minutesOfDay }, (_, minute) => simulateMinute(options, minute, random))
  const busiestMinute = minutes.reduce(
    (best, counts, minute) => (sumCosts(counts, databaseTime) > sumCosts(minutes[best], databaseTime) ? minute : best),
    0,
  )
  const peak = minutes[busiestMinute]
  const cores = (of: (activity: Activity) => number): number => sumCosts(peak, of) / microsecondsOfMinute
  const perSecond = (of: (activity: Activity) => number): number => Math.round(sumCosts(peak, of) / 60) // not money
  const databaseCores = cores(databaseTime)
  const readCores = cores((activity) => (activity === 'list_read' ? databaseTime(activity) : 0))
  return {
    activities: Object.fromEntries(
      activityNames.map((name) => [name, minutes.reduce((sum, counts) => sum + counts[name], 0)]),
    ) as Record<Activity, number>,
    busiestMinute,
    sendsPerSecond: perSecond((activity) => (activity === 'plain_send' || activity === 'cross_send' ? 1 : 0)),
    movementsPerSecond: perSecond((activity) => costs[activity].movements),
    readsPerSecond: perSecond((activity) => (activity === 'list_read' ? 1 : 0)),
    walBytesPerSecond: perSecond((activity) => costs[activity].walBytes),
    appCores: cores((activity) => costs[activity].appMicroseconds),
    databaseCores,
    readCores,
    cells: Math.ceil((databaseCores - readCores) / (coresOfPrimary * plannedUtilization)),
    storedBytesPerDay: sumDay(minutes, (activity) => costs[activity].storedBytes),
    entriesPerDay: sumDay(minutes, (activity) => costs[activity].entries),
  }
}

const databaseTime = (activity: Activity): number => costs[activity].databaseMicroseconds

type Counts = Readonly<Record<Activity, number>>

const sumCosts = (counts: Counts | undefined, of: (activity: Activity) => number): number =>
  counts === undefined ? 0 : activityNames.reduce((sum, name) => sum + counts[name] * of(name), 0)

const sumDay = (minutes: readonly Counts[], of: (activity: Activity) => number): number =>
  minutes.reduce((sum, counts) => sum + sumCosts(counts, of), 0)

/** Draws the number of each activity in a minute of the UTC day, over all countries. */
function simulateMinute({ people, isPayday }: DayOptions, minute: number, random: Random): Counts {
  const counts = Object.fromEntries(activityNames.map((name) => [name, 0])) as Record<Activity, number>
  for (const { share, offsetMinutes } of Object.values(countries)) {
    const localHour = Math.floor(((minute + offsetMinutes + minutesOfDay) % minutesOfDay) / 60)
    const partOfDay = (hourShares[localHour] ?? 0) / 1000 / 60
    for (const name of activityNames) {
      const factor = isPayday && name !== 'list_read' ? paydayFactor : 1
      counts[name] += drawPoisson(((people * share) / 1000) * habits[name] * factor * partOfDay, random)
    }
  }
  return counts
}

/** Draws from a Poisson distribution; above thirty by its normal approximation (Box and Muller 1958). */
export function drawPoisson(mean: number, random: Random): number {
  if (mean > 30) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal)) // not money: a count
  }
  let count = 0
  for (let product = random.next(); product > Math.exp(-mean); product *= random.next()) count += 1
  return count
}
