import type { Db } from '../../../platform/database/db.ts'
import type { ownSplits, Split, SplitSummary } from '@tern/contract/requests/splits'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { money, toDecimal } from '@tern/money/money'
import { isUuid } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { RequestContext } from '../context.ts'
import { isPossible, determineRequestState } from '../records/request-states.ts'
import { requestViews } from '../records/request-views.ts'
import { findOwnSplit, type OwnSplit, listSplitRequests } from './split-rows.ts'
import type { SplitRow } from '../row-types.ts'

const pageRows = 20

interface Sums {
  readonly asked_minor: bigint
  readonly paid_minor: bigint
  readonly remaining_minor: bigint
}

const toFacts = (
  { id, total_minor: total, currency, description, created_at: at }: SplitRow,
  { asked_minor: requestedMinor, paid_minor: paidMinor, remaining_minor: remaining }: Sums,
) => ({
  id,
  currency,
  description,
  created_at: at.toISOString(),
  total: toDecimal(money(currency, total)),
  asked_amount: toDecimal(money(currency, requestedMinor)),
  paid_amount: toDecimal(money(currency, paidMinor)),
  remaining_amount: toDecimal(money(currency, remaining)),
})

/** Split of the caller, with its payments. Refuses `not_found`, also for another user's. */
export async function readSplit(ctx: RequestContext, db: Db, ownSplit: OwnSplit): Promise<Split> {
  const { userId, id } = ownSplit
  const split = (await findOwnSplit(db, ownSplit)) ?? refuse('not_found')
  const rows = await listSplitRequests(db, id)
  const views = await requestViews(ctx, db, { viewerId: userId, rows })
  const at = ctx.now()
  const isWaiting = (row: (typeof rows)[number]) => isPossible(determineRequestState(row, at), 'settle')
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, minor) => total + minor, 0n)
  const { own_minor: own, own_shares: ownShares } = split
  return {
    ...toFacts(split, {
      asked_minor: sum(rows.map(({ amount_minor: minor }) => minor)),
      paid_minor: sum(rows.map(({ paid_minor: minor }) => minor)),
      remaining_minor: sum(rows.filter(isWaiting).map((row) => row.amount_minor - row.paid_minor)),
    }),
    split_by: split.split_by,
    own: own === null ? null : { amount: toDecimal(money(split.currency, own)), shares: ownShares },
    parts: views.map((request, index) => ({ shares: rows[index]?.shares ?? null, request })),
  }
}

type SummaryRow = SplitRow & Sums & { readonly asked: number; readonly paid: number; readonly waiting: number }

const toSummary = (row: SummaryRow): SplitSummary => {
  const { asked, paid, waiting } = row
  return { ...toFacts(row, row), asked, paid, waiting }
}

/** Page of a user's splits, newest first. Refuses `invalid_request` for an invalid cursor. */
export async function listSplits(
  { now }: RequestContext,
  db: Db,
  { userId, cursor }: { readonly userId: bigint; readonly cursor: string | undefined },
): Promise<Reply<typeof ownSplits>> {
  const cursorId = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString()
  if (cursorId !== null && !isUuid(cursorId)) refuseField('invalid_request', 'cursor', 'not_a_cursor')
  const isWaiting = `r.status = 'open' and (r.reserved_minor > 0 or r.expires_at > $2)`
  const { rows } = await db.query<SummaryRow>(
    `select s.*, sums.* from split s cross join lateral (
       select count(*)::int as asked, count(*) filter (where r.status = 'paid')::int as paid,
           count(*) filter (where ${isWaiting})::int as waiting,
           sum(r.amount_minor) as asked_minor, sum(r.paid_minor) as paid_minor,
           coalesce(sum(r.amount_minor - r.paid_minor) filter (where ${isWaiting}), 0) as remaining_minor
         from split_part p join payment_request r on r.id = p.request_id where p.split_id = s.id) as sums
      where s.user_id = $1 and ($3::uuid is null or s.id < $3) order by s.id desc limit $4`,
    [userId, now(), cursorId, pageRows + 1],
  )
  const page = rows.slice(0, pageRows)
  const last = rows.length > pageRows ? page.at(-1) : undefined
  return {
    splits: page.map(toSummary),
    next_cursor: last ? Buffer.from(last.id).toString('base64url') : null,
  }
}
