// One party's view of a posting: what a receipt states. Equal facts have equal bytes everywhere.

import {
  type ByteReader,
  formatNumber,
  formatText,
  formatUuid,
  readBigint,
  readByte,
  readText,
  readUuid,
  requireEnd,
} from './byte-format.ts'
import { areEqual, concat } from './bytes.ts'
import { type ExactAmount, formatAmount, readAmount } from './exact-amount.ts'
import { FormatError } from './format-error.ts'

export interface BalanceChange extends ExactAmount {
  readonly part: 'available' | 'on_hold'
}

export interface ViewFacts {
  readonly postingId: string
  /** Id of the transaction that the party sees. */
  readonly reference: string
  /** Kind of the posting: up to 64 visible ASCII characters. */
  readonly kind: string
  /** Microseconds since 1970. */
  readonly time: bigint
  /** Changes of the party's own balances, in any order; their bytes are sorted. */
  readonly changes: readonly BalanceChange[]
  readonly fee?: ExactAmount
  /** Amount that the recipient received. */
  readonly delivered?: ExactAmount
  /** Names as they were at the posting; empty if there is none. */
  readonly fromName: string
  readonly toName: string
}

const version = 1
const parts = ['available', 'on_hold'] as const
const mostChanges = 255

/** Encodes facts; refuses values that no product data has. */
export function formatViewFacts(facts: ViewFacts): Uint8Array {
  const { postingId, reference, kind, time, changes, fee, delivered, fromName, toName } = facts
  if (changes.length > mostChanges) throw new RangeError('too many changes')
  if (time < 0n || time >= 1n << 63n) throw new RangeError('time is out of range')
  return concat(
    formatNumber(version, 1),
    formatUuid(postingId),
    formatUuid(reference),
    formatNumber(time, 8),
    formatText(requireCode(kind)),
    formatNumber(changes.length, 1),
    ...changes
      .toSorted(compareChanges)
      .flatMap((change) => [formatNumber(parts.indexOf(change.part), 1), formatAmount(change)]),
    formatOptional(fee),
    formatOptional(delivered),
    formatText(fromName),
    formatText(toName),
  )
}

/** Decodes facts; refuses every spelling other than that of formatViewFacts. */
export function parseViewFacts(bytes: Uint8Array): ViewFacts {
  const reader: ByteReader = { bytes, at: 0 }
  if (readByte(reader) !== version) throw new FormatError('version of the facts is unknown')
  const postingId = readUuid(reader)
  const reference = readUuid(reader)
  const time = readBigint(reader, 8)
  const kind = readText(reader)
  const changes = Array.from({ length: readByte(reader) }, () => readChange(reader))
  const fee = readOptional(reader)
  const delivered = readOptional(reader)
  const facts: ViewFacts = {
    postingId,
    reference,
    kind,
    time,
    changes,
    ...(fee === undefined ? {} : { fee }),
    ...(delivered === undefined ? {} : { delivered }),
    fromName: readText(reader),
    toName: readText(reader),
  }
  requireEnd(reader)
  if (!isCode(kind) || time >= 1n << 63n) throw new FormatError('facts are out of range')
  if (!areEqual(formatViewFacts(facts), bytes)) throw new FormatError('facts are not canonical')
  return facts
}

const isCode = (code: string): boolean => /^[!-~]{1,64}$/.test(code)

function requireCode(code: string): string {
  if (!isCode(code)) throw new RangeError('kind is no code')
  return code
}

const formatOptional = (amount: ExactAmount | undefined): Uint8Array =>
  amount === undefined ? formatNumber(0, 1) : concat(formatNumber(1, 1), formatAmount(amount))

/** Orders changes by part, currency, scale and amount. */
function compareChanges(a: BalanceChange, b: BalanceChange): number {
  if (a.part !== b.part) return parts.indexOf(a.part) - parts.indexOf(b.part)
  if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1
  if (a.scale !== b.scale) return a.scale - b.scale
  if (a.minor === b.minor) return 0
  return a.minor < b.minor ? -1 : 1
}

function readChange(reader: ByteReader): BalanceChange {
  const part = parts[readByte(reader)]
  if (part === undefined) throw new FormatError('part of a balance is unknown')
  return { part, ...readAmount(reader) }
}

function readOptional(reader: ByteReader): ExactAmount | undefined {
  const flag = readByte(reader)
  if (flag > 1) throw new FormatError('flag is neither 0 nor 1')
  return flag === 1 ? readAmount(reader) : undefined
}
