// Inputs of the simulated day: costs measured on one machine, and assumed habits.

export type Activity =
  | 'list_read'
  | 'plain_send'
  | 'cross_send'
  | 'exchange'
  | 'request_paid'
  | 'deposit'
  | 'withdrawal'

export interface ActivityCost {
  /** Processor time of app and database, in microseconds. */
  readonly appMicroseconds: number
  readonly databaseMicroseconds: number
  /** Bytes that stay in the database, and of write-ahead log. */
  readonly storedBytes: number
  readonly walBytes: number
  /** Movements in the ledger's batches, and the entries that they make. */
  readonly movements: number
  readonly entries: number
}

/**
 * Measured by `npm run bench` on two cores (docs/ledger.md). Sends and quotes under the load of 64 callers; the other
 * movements one at a time, which overstates them, with the bytes of as many cross-currency movements.
 */
export const costs: Readonly<Record<Activity, ActivityCost>> = {
  list_read: {
    appMicroseconds: 2000,
    databaseMicroseconds: 3000,
    storedBytes: 0,
    walBytes: 0,
    movements: 0,
    entries: 0,
  },
  plain_send: {
    appMicroseconds: 185,
    databaseMicroseconds: 106,
    storedBytes: 1400,
    walBytes: 3200,
    movements: 1,
    entries: 4,
  },
  cross_send: {
    appMicroseconds: 370,
    databaseMicroseconds: 370,
    storedBytes: 3400,
    walBytes: 6400,
    movements: 1,
    entries: 10,
  },
  exchange: {
    appMicroseconds: 1134,
    databaseMicroseconds: 1400,
    storedBytes: 3400,
    walBytes: 6400,
    movements: 1,
    entries: 10,
  },
  request_paid: {
    appMicroseconds: 3034,
    databaseMicroseconds: 3700,
    storedBytes: 3400,
    walBytes: 6400,
    movements: 1,
    entries: 10,
  },
  deposit: {
    appMicroseconds: 5107,
    databaseMicroseconds: 5900,
    storedBytes: 6800,
    walBytes: 12_800,
    movements: 1,
    entries: 4,
  },
  withdrawal: {
    appMicroseconds: 4369,
    databaseMicroseconds: 9200,
    storedBytes: 6800,
    walBytes: 12_800,
    movements: 2,
    entries: 8,
  },
}

/** A batch of movements in the database: fixed cost, cost of each movement, and time to sync the log. */
export const batch = { fixedMicroseconds: 700, movementMicroseconds: 75, syncMicroseconds: 2000, largest: 256 }

/** Assumed times per person and day; a payday multiplies all but reads. */
export const habits: Readonly<Record<Activity, number>> = {
  list_read: 3,
  plain_send: 0.4,
  cross_send: 0.1,
  exchange: 0.02,
  request_paid: 0.05,
  deposit: 0.05,
  withdrawal: 0.03,
}
export const paydayFactor = 3

/** Assumed share of people in each country, in thousandths, and the offset of its time from UTC, in minutes. */
export const countries = {
  IN: { share: 300, offsetMinutes: 330 },
  US: { share: 180, offsetMinutes: -360 },
  BR: { share: 150, offsetMinutes: -180 },
  JP: { share: 90, offsetMinutes: 540 },
  DE: { share: 80, offsetMinutes: 60 },
  GB: { share: 70, offsetMinutes: 0 },
  FR: { share: 60, offsetMinutes: 60 },
  CA: { share: 30, offsetMinutes: -300 },
  AU: { share: 30, offsetMinutes: 600 },
  SG: { share: 10, offsetMinutes: 480 },
} as const

/** Assumed share of a day's activity in each local hour, in thousandths: nights are quiet, evenings busy. */
export const hourShares = [
  10, 6, 4, 3, 4, 8, 20, 38, 52, 58, 58, 58, 66, 60, 54, 52, 54, 62, 70, 74, 70, 58, 38, 23,
] as const

/** Part of a processor or of a batch lane that is planned for at the busiest minute. */
export const plannedUtilization = 0.5

/** Processors of a cell's primary that are planned with; measured on two, and assumed to scale to these. */
export const coresOfPrimary = 8

/** Entries that the audit checks in a second (docs/operating.md). */
export const auditedEntriesPerSecond = 18_000
