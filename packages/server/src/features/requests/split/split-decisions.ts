import type pg from 'pg'
import type { Split } from '@tern/contract/requests/splits'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { RequestContext } from '../context.ts'
import { isPossible, determineRequestState } from '../records/request-states.ts'
import { findCounterparty, computeReminderTime } from '../records/request-views.ts'
import { changeRequest } from '../request-decisions.ts'
import { notifyReminder } from '../request-notices.ts'
import { findOwnSplit, type OwnSplit, listSplitRequests } from './split-rows.ts'
import { readSplit } from './split-views.ts'
import type { PaymentRequestRow } from '../row-types.ts'

/** Requests of a split, locked until the transaction ends; in order of id, so that concurrent calls cannot deadlock. */
async function lockRequests(tx: Tx, splitId: string): Promise<PaymentRequestRow[]> {
  const { rows } = await tx.query<PaymentRequestRow>(
    `select r.* from payment_request r join split_part p on p.request_id = r.id
      where p.split_id = $1 order by r.id for no key update of r`,
    [splitId],
  )
  return rows
}

/**
 * Reminds each payer who can still pay and was not reminded within three days. Refuses `not_found`, `request_closed` if
 * no payer can pay any more, and `reminder_too_soon` if all of them were reminded.
 */
export async function remindSplit(ctx: RequestContext, pool: pg.Pool, ownSplit: OwnSplit): Promise<Split> {
  const { userId, id } = ownSplit
  const { now } = ctx
  if (!(await findOwnSplit(pool, ownSplit))) refuse('not_found')
  const [firstRequest] = await listSplitRequests(pool, id)
  if (!firstRequest) refuse('not_found')
  const person = await findCounterparty(ctx, pool, {
    request: firstRequest,
    viewerId: userId,
    userId: firstRequest.requester_id,
  })
  await transact(pool, async (tx) => {
    const at = now()
    const open = (await lockRequests(tx, id)).filter((request) =>
      isPossible(determineRequestState(request, at), 'remind'),
    )
    if (open.length === 0) refuse('request_closed')
    const dueRequests = open.filter((request) => {
      const from = computeReminderTime(request)
      return from !== null && from <= at
    })
    if (dueRequests.length === 0) refuse('reminder_too_soon')
    for (const request of dueRequests) {
      const changed = await changeRequest(ctx, tx, request, { reminded_at: at })
      await notifyReminder(ctx, tx, { request: changed, person, dedupe: at.toISOString() })
    }
  })
  return readSplit(ctx, pool, ownSplit)
}

/** Cancels the requests that can still be paid; repeating it changes nothing. Refuses `not_found`. */
export async function cancelSplit(ctx: RequestContext, pool: pg.Pool, ownSplit: OwnSplit): Promise<Split> {
  const { id } = ownSplit
  const { now } = ctx
  if (!(await findOwnSplit(pool, ownSplit))) refuse('not_found')
  await transact(pool, async (tx) => {
    const at = now()
    for (const request of await lockRequests(tx, id)) {
      if (!isPossible(determineRequestState(request, at), 'cancel')) continue
      await changeRequest(ctx, tx, request, { status: 'cancelled', closed_at: at })
    }
  })
  return readSplit(ctx, pool, ownSplit)
}
