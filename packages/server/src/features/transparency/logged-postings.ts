// Postings as the log commits to them: their entries, and the users whose wallets they change.

import type { LedgerEntry, LedgerPosting } from '@tern/transparency/posting-leaf'
import type { Db } from '../../platform/database/db.ts'

export interface PostingEntry extends LedgerEntry {
  readonly accountKind: string
  readonly currency: string
  /** Decimals of the minor unit. */
  readonly scale: number
  /** Wallet of a user's account. */
  readonly walletId: string | undefined
}

export interface LoggedPosting extends LedgerPosting {
  readonly entries: readonly PostingEntry[]
}

interface PostingRow {
  readonly id: string
  readonly kind: string
  readonly reference: string
  readonly time: bigint
}

interface EntryRow {
  readonly posting_id: string
  readonly name: string
  readonly kind: string
  readonly currency: string
  readonly scale: number
  readonly version: bigint
  readonly leg: number
  readonly amount: bigint
  readonly balance: bigint
}

/** Reads postings with their entries, in the order of the ids. */
export async function readLoggedPostings(db: Db, ids: readonly string[]): Promise<LoggedPosting[]> {
  const { rows: postings } = await db.query<PostingRow>(
    `select id, kind, reference, (extract(epoch from created_at) * 1000000)::bigint as time
       from ledger.posting where id = any($1::uuid[])`,
    [ids],
  )
  const entries = await readEntries(db, postings)
  const byId = new Map(postings.map((posting) => [posting.id, posting]))
  return ids.flatMap((id) => {
    const posting = byId.get(id)
    return posting ? [{ ...posting, entries: entries.get(id) ?? [] }] : []
  })
}

/** Reads the entries of postings. Their times find them, because entries have no index by posting. */
async function readEntries(db: Db, postings: readonly PostingRow[]): Promise<Map<string, PostingEntry[]>> {
  const entries = new Map<string, PostingEntry[]>(postings.map(({ id }) => [id, []]))
  for (const range of divideByTime(postings)) {
    const { rows } = await db.query<EntryRow>(
      `select e.posting_id, a.name, a.kind, a.currency, c.scale, e.version, e.leg, e.amount, e.balance
         from ledger.entry e
         join ledger.account a on a.id = e.account_id
         join ledger.currency c on c.code = a.currency
        where e.created_at >= to_timestamp(0) + $1::bigint * interval '1 microsecond'
          and e.created_at <= to_timestamp(0) + $2::bigint * interval '1 microsecond'
          and e.posting_id = any($3::uuid[])`,
      [range.from, range.to, range.ids],
    )
    for (const row of rows) entries.get(row.posting_id)?.push(toEntry(row))
  }
  return entries
}

const toEntry = ({ name, kind, currency, scale, version, leg, amount, balance }: EntryRow): PostingEntry => ({
  accountName: name,
  accountKind: kind,
  walletId: kind === 'wallet' || kind === 'hold' ? name.split(':')[1] : undefined,
  currency,
  scale,
  version,
  leg,
  amount,
  balance,
})

interface TimeRange {
  readonly from: bigint
  readonly to: bigint
  readonly ids: readonly string[]
}

/** Gaps longer than this, in microseconds, divide the postings, so that the entries between them are not read. */
const longGap = 60_000_000n

function divideByTime(postings: readonly PostingRow[]): TimeRange[] {
  const ranges: { from: bigint; to: bigint; ids: string[] }[] = []
  const ordered = postings.toSorted((a, b) => (a.time < b.time ? -1 : 1))
  for (const { id, time } of ordered) {
    const last = ranges.at(-1)
    if (last && time - last.to <= longGap) {
      last.to = time
      last.ids.push(id)
    } else ranges.push({ from: time, to: time, ids: [id] })
  }
  return ranges
}
