// Comparison of a designated account with our records, up to the end of a day.

import type { CurrencyCode } from '@tern/money/currency'

/** Transfer that must stand on a statement: of a payment provider, or one of ours. */
export interface TransferRecord {
  readonly id: string
  readonly currency: CurrencyCode
  /** Change of the designated account in minor units. */
  readonly minor: bigint
  readonly on: string
  /** Finding whose money it tops up or takes out; null for any other transfer. */
  readonly findingId: string | null
}

/** Entry of a statement. */
export interface StatementEntry {
  readonly id: string
  readonly currency: CurrencyCode
  readonly minor: bigint
  readonly reference: string | null
  readonly bookedOn: string
}

export type DifferenceCause =
  | 'unknown_entry'
  | 'duplicate'
  | 'wrong_currency'
  | 'amount_differs'
  | 'balance'
  | 'opening'
  | 'no_account'
  | 'posted_late'

/** Part of the difference between a bank's balance and ours. */
export interface Difference {
  readonly currency: CurrencyCode
  readonly cause: DifferenceCause
  /** Id of an entry or of a transfer, or the day of a balance. */
  readonly subject: string
  /** The bank's balance less ours, in minor units. */
  readonly minor: bigint
}

interface Books {
  /** First compared day of the bank. Earlier transfers are part of the first opening balance. */
  readonly since: string
  /** Transfers up to the compared day. */
  readonly records: readonly TransferRecord[]
  /** Entries booked up to the compared day, in the order of their booking. */
  readonly entries: readonly StatementEntry[]
}

/**
 * Returns every difference between entries and records, line by line. Entries that cancel each other out, because one
 * corrects the other, and those of transfers for findings are no differences.
 */
export function compareEntries({ since, records, entries }: Books): Difference[] {
  const recordById = new Map(records.map((record) => [record.id, record]))
  const canceled = findCanceled(entries)
  const booked = new Set<string>()
  const differences: Difference[] = []
  for (const entry of entries) {
    if (canceled.has(entry.id)) continue
    const record = recordById.get(entry.reference ?? '')
    differences.push(...compareEntry(entry, record, booked))
    if (record) booked.add(record.id)
  }
  for (const { id: subject, currency, minor, on, findingId } of records) {
    if (booked.has(subject) || findingId !== null || on < since) continue
    differences.push({ currency, cause: 'posted_late', subject, minor: -minor })
  }
  return differences
}

/** Ids of entries that a later entry takes back, and of these later entries. */
function findCanceled(entries: readonly StatementEntry[]): ReadonlySet<string> {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const canceled = new Set<string>()
  for (const { id, currency, minor, reference } of entries) {
    const corrected = byId.get(reference ?? '')
    if (!corrected || corrected.currency !== currency || corrected.minor !== -minor) continue
    if (canceled.has(corrected.id)) continue
    canceled.add(corrected.id).add(id)
  }
  return canceled
}

function compareEntry(
  { id, currency, minor }: StatementEntry,
  record: TransferRecord | undefined,
  booked: ReadonlySet<string>,
): Difference[] {
  if (!record) return [{ currency, cause: 'unknown_entry', subject: id, minor }]
  if (booked.has(record.id)) return [{ currency, cause: 'duplicate', subject: id, minor }]
  if (currency !== record.currency) {
    return [
      { currency, cause: 'wrong_currency', subject: id, minor },
      { currency: record.currency, cause: 'wrong_currency', subject: record.id, minor: -record.minor },
    ]
  }
  if (minor === record.minor) return []
  return [{ currency, cause: 'amount_differs', subject: id, minor: minor - record.minor }]
}

/** Booked transfer that tops up a shortfall or takes out an excess. */
export interface Cover {
  readonly currency: CurrencyCode
  /** Difference that it is for. */
  readonly cause: string
  readonly subject: string
  /** Id of its entry. */
  readonly entry: string
  readonly minor: bigint
}

/** Causes that only the statement of one day shows. */
export const lastingCauses: readonly string[] = ['balance', 'opening'] satisfies DifferenceCause[]

/** Returns the differences that no transfer makes up for, and transfers whose difference the bank has corrected since. */
export function applyCovers(differences: readonly Difference[], covers: readonly Cover[]): Difference[] {
  const present = new Set(differences.map(formatKey))
  const covered = new Set(covers.map(formatKey))
  return [
    ...differences.filter((difference) => !covered.has(formatKey(difference))),
    ...covers
      .filter((cover) => !present.has(formatKey(cover)) && !lastingCauses.includes(cover.cause))
      .map(({ currency, entry, minor }) => ({ currency, cause: 'unknown_entry' as const, subject: entry, minor })),
  ]
}

const formatKey = ({ cause, subject }: { readonly cause: string; readonly subject: string }): string =>
  `${cause} ${subject}`

interface Balances {
  readonly day: string
  readonly currency: CurrencyCode
  readonly opening: bigint
  readonly closing: bigint
  /** Sum of the entries booked on the day. */
  readonly booked: bigint
  /** Closing balance of the day before; undefined on the first day. */
  readonly closedAt: bigint | undefined
  /** Balance by our records at the end of the day before. */
  readonly records: bigint
}

/** Returns the parts of a balance that its entries do not explain; on the first day also its difference from ours. */
export function compareBalances({
  day: subject,
  currency,
  opening,
  closing,
  booked,
  closedAt,
  records,
}: Balances): Difference[] {
  const differences: Difference[] = [
    { currency, cause: 'balance', subject, minor: closing - booked - (closedAt ?? opening) },
    { currency, cause: 'opening', subject, minor: closedAt === undefined ? opening - records : 0n },
  ]
  return differences.filter(({ minor }) => minor !== 0n)
}
