// Leaves of Tern's log. The leaf of a posting is a list of commitments: [0] to the ledger's rows, then one to the view of
// each party. Each commitment has a salt of its own, so that a leaf discloses nothing, and forgetting the salt of one
// party leaves the proofs of all others valid.

import { formatInteger, formatNumber, formatText, formatUuid } from './byte-format.ts'
import { compareBytes, concat, decodeUtf8, encodeUtf8 } from './bytes.ts'
import { FormatError } from './format-error.ts'
import { hashBytes, hashLength } from './merkle.ts'
import { formatViewFacts, type ViewFacts } from './view-facts.ts'

export const saltLength = 32
export const mostCommitments = 255

const leafKinds = { posting: 1, daySeal: 2, liabilities: 3 } as const
const ledgerDomain = encodeUtf8('tern ledger commitment v1\n')
const viewDomain = encodeUtf8('tern view commitment v1\n')

export interface LedgerEntry {
  readonly accountName: string
  /** Number of the entry in its account. */
  readonly version: bigint
  readonly leg: number
  /** Minor units. */
  readonly amount: bigint
  /** Balance of the account after this entry. */
  readonly balance: bigint
}

export interface LedgerPosting {
  readonly id: string
  readonly kind: string
  readonly reference: string
  /** Microseconds since 1970. */
  readonly time: bigint
  /** Entries in any order; their bytes are sorted by account name and version. */
  readonly entries: readonly LedgerEntry[]
}

export const generateSalt = (): Uint8Array => crypto.getRandomValues(new Uint8Array(saltLength))

/** Encodes a posting with its entries; equal rows have equal bytes everywhere. */
export function formatLedgerPosting({ id, kind, reference, time, entries }: LedgerPosting): Uint8Array {
  const sorted = entries
    .map((entry) => ({ ...entry, name: formatText(entry.accountName) }))
    .toSorted((a, b) => compareBytes(a.name.subarray(2), b.name.subarray(2)) || compareVersions(a, b))
  return concat(
    formatNumber(1, 1),
    formatUuid(id),
    formatUuid(reference),
    formatNumber(time, 8),
    formatText(kind),
    // A posting that moved money has no refusal.
    formatNumber(0, 1),
    formatNumber(sorted.length, 2),
    ...sorted.map(({ name, version, leg, amount, balance }) =>
      concat(name, formatNumber(version, 8), formatNumber(leg, 2), formatInteger(amount), formatInteger(balance)),
    ),
  )
}

function compareVersions(a: LedgerEntry, b: LedgerEntry): number {
  if (a.version === b.version) return 0
  return a.version < b.version ? -1 : 1
}

function commit(domain: Uint8Array, salt: Uint8Array, content: Uint8Array): Uint8Array {
  if (salt.length !== saltLength) throw new RangeError('salt has a wrong length')
  return hashBytes(concat(domain, salt, content))
}

export const commitLedger = (posting: LedgerPosting, salt: Uint8Array): Uint8Array =>
  commit(ledgerDomain, salt, formatLedgerPosting(posting))

export const commitView = (facts: ViewFacts, salt: Uint8Array): Uint8Array =>
  commitViewBytes(formatViewFacts(facts), salt)

export const commitViewBytes = (view: Uint8Array, salt: Uint8Array): Uint8Array => commit(viewDomain, salt, view)

/** Builds the leaf of a posting: the ledger's commitment, then those of the views. */
export function formatPostingLeaf(commitments: readonly Uint8Array[]): Uint8Array {
  if (commitments.length < 1 || commitments.length > mostCommitments)
    throw new RangeError('a leaf has 1 to 255 commitments')
  if (commitments.some(({ length }) => length !== hashLength)) throw new RangeError('commitment has a wrong length')
  return concat(Uint8Array.of(leafKinds.posting), ...commitments)
}

/** Digest of everything that was posted on a day. */
export interface DaySeal {
  /** Date in UTC, such as 2026-11-30. */
  readonly day: string
  readonly digest: Uint8Array
}

/** Returns whether a text is a date, such as 2026-11-30. */
export function isDay(day: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** Digest of the tree of everything that was owed to account holders at the end of a day. */
export type DayLiabilities = DaySeal

export const formatDaySeal = (seal: DaySeal): Uint8Array => formatDayDigest(leafKinds.daySeal, seal)

export const formatLiabilitiesLeaf = (liabilities: DayLiabilities): Uint8Array =>
  formatDayDigest(leafKinds.liabilities, liabilities)

function formatDayDigest(kind: number, { day, digest }: DaySeal): Uint8Array {
  if (!isDay(day)) throw new RangeError('day is no date')
  if (digest.length !== hashLength) throw new RangeError('digest has a wrong length')
  return concat(Uint8Array.of(kind), encodeUtf8(day), digest)
}

export type Leaf =
  | { readonly kind: 'posting'; readonly commitments: readonly Uint8Array[] }
  | ({ readonly kind: 'day_seal' | 'liabilities' } & DaySeal)

/** Parses an entry of the log. */
export function parseLeaf(data: Uint8Array): Leaf {
  const [kind] = data
  const content = data.slice(1)
  if (kind === leafKinds.posting) {
    const count = content.length / hashLength
    if (!Number.isSafeInteger(count) || count < 1 || count > mostCommitments)
      throw new FormatError('leaf has a wrong length')
    const commitments = Array.from({ length: count }, (_, place) =>
      content.slice(place * hashLength, (place + 1) * hashLength),
    )
    return { kind: 'posting', commitments }
  }
  if (kind === leafKinds.daySeal || kind === leafKinds.liabilities) {
    const day = decodeUtf8(content.slice(0, 10))
    if (content.length !== 10 + hashLength || !isDay(day)) throw new FormatError('digest of a day is malformed')
    return { kind: kind === leafKinds.daySeal ? 'day_seal' : 'liabilities', day, digest: content.slice(10) }
  }
  throw new FormatError('kind of leaf is unknown')
}
