import type { PaymentLink } from '@tern/contract/requests/payment-links'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import { transact, type Tx } from '../../platform/database/db.ts'
import { updateRow } from '../../platform/database/rows.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { RequestContext } from './context.ts'
import { requestOfLink, requirePayer, requirePossible } from './pay-request.ts'
import { findRequest, lockRequest, type RequestRow } from './records/request-rows.ts'
import { isPossible, stateAt } from './records/request-states.ts'
import { linkView, remindFrom, requestView, toldPerson } from './records/request-views.ts'
import { tellDeclined, tellExpired, tellLinkWanted, tellReminder, touchRequest } from './telling.ts'

/** The caller's own request. Refuses `not_found`, also for one of somebody else. */
async function ownRequest({ pool }: RequestContext, { userId }: Caller, id: string): Promise<RequestRow> {
  const request = await findRequest(pool, id)
  return request?.requester_id === userId ? request : refuse('not_found')
}

/** Changes a locked request, tells its lists, and gives it as it is then. */
export async function changeRequest(
  context: RequestContext,
  tx: Tx,
  request: RequestRow,
  changes: Partial<RequestRow>,
) {
  await updateRow(tx, 'payment_request', request.id, changes)
  const changed = { ...request, ...changes }
  await touchRequest(context, tx, changed)
  return changed
}

/** The requester cancels. Refuses `not_found`, `request_closed`. */
export async function cancelRequest(context: RequestContext, caller: Caller, id: string): Promise<PaymentRequest> {
  await ownRequest(context, caller, id)
  await transact(context.pool, async (tx) => {
    const request = await lockRequest(tx, id)
    const at = context.now()
    // Cancelled twice it is cancelled all the same.
    if (request.status === 'cancelled') return
    requirePossible(request, 'cancel', at)
    await changeRequest(context, tx, request, { status: 'cancelled', closed_at: at })
  })
  return requestView(context, caller.userId, id)
}

/** The requester reminds the payer. Refuses `not_found`, `request_closed`, `reminder_too_soon`. */
export async function remindPayer(context: RequestContext, caller: Caller, id: string): Promise<PaymentRequest> {
  const known = await ownRequest(context, caller, id)
  if (known.payer_id === null) refuse('not_found')
  const requester = await toldPerson(context, known.payer_id, known, known.requester_id)
  await transact(context.pool, async (tx) => {
    const request = await lockRequest(tx, id)
    const at = context.now()
    requirePossible(request, 'remind', at)
    const from = remindFrom(request)
    if (from === null || from > at) refuse('reminder_too_soon')
    const changed = await changeRequest(context, tx, request, { reminded_at: at })
    await tellReminder(context, tx, changed, { requester, dedupe: at.toISOString() })
  })
  return requestView(context, caller.userId, id)
}

/** The request of a link that is addressed to the caller, who answers it. */
async function addressedRequest(context: RequestContext, caller: Caller, data: string): Promise<RequestRow> {
  const request = await requestOfLink(context, data)
  requirePayer(caller, request)
  return request.payer_id === null ? refuse('request_not_for_you') : request
}

/** The payer declines. Refuses what the contract's `declineLink` lists. */
export async function declineRequest(
  context: RequestContext,
  caller: Caller,
  data: string,
  reason: string | undefined,
): Promise<PaymentLink> {
  const known = await addressedRequest(context, caller, data)
  const payer = await toldPerson(context, known.requester_id, known, caller.userId)
  await transact(context.pool, async (tx) => {
    const request = await lockRequest(tx, known.id)
    const at = context.now()
    if (request.status === 'declined') return
    requirePossible(request, 'decline', at)
    const declined = {
      status: 'declined',
      closed_at: at,
      decline_reason: reason === '' ? null : (reason ?? null),
    } as const
    await tellDeclined(context, tx, await changeRequest(context, tx, request, declined), payer)
  })
  return linkView(context, await requestOfLink(context, data))
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The payer accepts for a later day, of which they are reminded. Refuses what the contract's `acceptLink` lists. */
export async function acceptRequest(
  context: RequestContext,
  caller: Caller,
  data: string,
  on: string,
): Promise<PaymentLink> {
  const known = await addressedRequest(context, caller, data)
  await transact(context.pool, async (tx) => {
    const request = await lockRequest(tx, known.id)
    const at = context.now()
    requirePossible(request, 'accept', at)
    if (on <= dayOf(at)) refuseField('invalid_request', 'on', 'day_has_passed')
    if (on > dayOf(request.expires_at)) refuseField('invalid_request', 'on', 'day_after_expiry')
    await tx.query('update payment_request set accepted_reminder_at = null where id = $1', [request.id])
    await changeRequest(context, tx, request, { accepted_for: on })
  })
  return linkView(context, await requestOfLink(context, data))
}

/** Counts that a link was opened; the requester is told of the first time. Refuses `link_changed`. */
export async function openLink(context: RequestContext, data: string): Promise<void> {
  const known = await requestOfLink(context, data)
  if (!isPossible(stateAt(known, context.now()), 'pay')) return
  await transact(context.pool, async (tx) => {
    const request = await lockRequest(tx, known.id)
    const isFirst = request.seen_at === null
    const changes = { opened: request.opened + 1, seen_at: request.seen_at ?? context.now() }
    if (isFirst) await changeRequest(context, tx, request, changes)
    else await updateRow(tx, 'payment_request', request.id, changes)
  })
}

/**
 * Tells the requester of an expired link that somebody wants a new one. `count` refuses `rate_limited` when they were told
 * lately. Refuses what the contract's `askForNewLink` lists.
 */
export async function askForNewLink(
  context: RequestContext,
  caller: Caller,
  data: string,
  count: () => Promise<void>,
): Promise<void> {
  const request = await requestOfLink(context, data)
  requirePayer(caller, request)
  if (!isPossible(stateAt(request, context.now()), 'ask_again')) refuse('request_not_expired')
  await count()
  const person = await toldPerson(context, request.requester_id, request, caller.userId)
  await transact(context.pool, async (tx) => {
    const dedupe = `${request.id} ${caller.userId} ${context.now().toISOString()}`
    await tellLinkWanted(context, tx, request, { person, dedupe })
  })
}

const mostAtOnce = 500

/** Ends requests whose time is over, and tells their requesters. What fails is logged and tried again. */
export async function expireDue(context: RequestContext): Promise<void> {
  const { pool, now } = context
  const { rows } = await pool.query<RequestRow>(
    `select * from payment_request where status = 'open' and reserved_minor = 0 and expires_at <= $1
      order by expires_at limit $2`,
    [now(), mostAtOnce],
  )
  await forEach(context, rows, async (known) => {
    const payer = known.payer_id === null ? null : await toldPerson(context, known.requester_id, known, known.payer_id)
    await transact(pool, async (tx) => {
      const request = await lockRequest(tx, known.id)
      const at = now()
      if (request.status !== 'open' || stateAt(request, at) !== 'expired') return
      await tellExpired(
        context,
        tx,
        await changeRequest(context, tx, request, { status: 'expired', closed_at: at }),
        payer,
      )
    })
  })
}

/** Reminds payers on the day for which they accepted a request, once. */
export async function remindAccepted(context: RequestContext): Promise<void> {
  const { pool, now } = context
  const { rows } = await pool.query<RequestRow>(
    `select * from payment_request
      where status = 'open' and accepted_for <= $1 and accepted_reminder_at is null order by accepted_for limit $2`,
    [dayOf(now()), mostAtOnce],
  )
  await forEach(context, rows, async (known) => {
    const requester = await toldPerson(context, known.payer_id ?? known.requester_id, known, known.requester_id)
    await transact(pool, async (tx) => {
      const at = now()
      const { rowCount } = await tx.query(
        `update payment_request set accepted_reminder_at = $2
          where id = $1 and status = 'open' and accepted_for <= $3 and accepted_reminder_at is null`,
        [known.id, at, dayOf(at)],
      )
      if (rowCount !== 1) return
      const request = await lockRequest(tx, known.id)
      if (!isPossible(stateAt(request, at), 'remind')) return
      await tellReminder(context, tx, request, { requester, dedupe: `accepted for ${String(request.accepted_for)}` })
    })
  })
}

async function forEach(
  { log }: RequestContext,
  rows: readonly RequestRow[],
  work: (request: RequestRow) => Promise<void>,
): Promise<void> {
  for (const request of rows) {
    try {
      await work(request)
    } catch (error) {
      log.error({ err: error, requestId: request.id }, 'a payment request could not be ended, or its payer reminded')
    }
  }
}
