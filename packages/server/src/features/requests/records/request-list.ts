import type { ownRequests } from '@tern/contract/requests/requests'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { money, toDecimal } from '@tern/money/money'
import type * as z from 'zod/mini'
import { type Db, onlyRow } from '../../../platform/database/db.ts'
import { isUuid } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { RequestContext } from '../context.ts'
import { requestViews } from './request-views.ts'
import { findWallet } from '../../wallets/wallets.ts'
import type { PaymentRequestRow } from '../row-types.ts'

const pageRows = 20

/** SQL condition: expired at the time `$2`, but not yet stored as expired. */
const isDue = `status = 'open' and reserved_minor = 0 and expires_at <= $2`
const groups = {
  waiting: `status = 'open' and not (${isDue})`,
  paid: `status = 'paid'`,
  closed: `(status in ('expired', 'cancelled', 'declined') or (${isDue}))`,
} as const

/** Page of a user's requests, newest first. Refuses `invalid_request` for an invalid cursor. */
export async function listRequests(
  ctx: RequestContext,
  db: Db,
  { userId, direction, group, cursor }: z.output<(typeof ownRequests)['query']> & { readonly userId: bigint },
): Promise<Reply<typeof ownRequests>> {
  const { now } = ctx
  const wallet = (await findWallet(db, userId)) ?? refuse('not_found')
  const cursorId = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString()
  if (cursorId !== null && !isUuid(cursorId)) refuseField('invalid_request', 'cursor', 'not_a_cursor')
  const roleCondition = direction === 'outgoing' ? 'requester_id = $1' : 'payer_id = $1'
  const { rows } = await db.query<PaymentRequestRow>(
    `select * from payment_request
      where ${roleCondition} and ($3::uuid is null or id < $3) and $2::timestamptz is not null and ${group ? groups[group] : 'true'}
      order by id desc limit $4`,
    [userId, now(), cursorId, pageRows + 1],
  )
  const totals = await db.query<{ waiting: number; paid: number; closed: number; remaining: bigint }>(
    `select count(*) filter (where ${groups.waiting})::int as waiting, count(*) filter (where ${groups.paid})::int as paid,
        count(*) filter (where ${groups.closed})::int as closed,
        coalesce(sum(amount_minor - paid_minor) filter (where ${groups.waiting} and currency = $3), 0) as remaining
       from payment_request where ${roleCondition}`,
    [userId, now(), wallet.baseCurrency],
  )
  const { remaining, ...counts } = onlyRow(totals.rows)
  const page = rows.slice(0, pageRows)
  const last = rows.length > pageRows ? page.at(-1) : undefined
  return {
    requests: await requestViews(ctx, db, { viewerId: userId, rows: page }),
    next_cursor: last ? Buffer.from(last.id).toString('base64url') : null,
    totals: {
      ...counts,
      remaining_amount: direction === 'outgoing' ? toDecimal(money(wallet.baseCurrency, remaining)) : null,
      currency: wallet.baseCurrency,
    },
  }
}
