import type pg from 'pg'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { updateRow } from '../../platform/database/rows.ts'
import type { Caller } from '../../platform/http/serve.ts'
import { refuse, refuseField } from '../../platform/refuse.ts'
import type { RequestContext } from './context.ts'
import { requireLinkedRequest, requirePayer, requirePossible } from './pay-request.ts'
import { findRequest, lockRequest } from './records/request-rows.ts'
import { isPossible, determineRequestState } from './records/request-states.ts'
import { findCounterparty, linkView, computeReminderTime, requestView } from './records/request-views.ts'
import {
  notifyDeclined,
  notifyExpired,
  notifyLinkWanted,
  notifyReminder,
  notifyRequestPages,
} from './request-notices.ts'
import type { PaymentRequestRow } from './row-types.ts'

/** Request and the acting user. */
interface RequestKey {
  readonly userId: bigint
  readonly id: string
}

/** The requester's own request. Refuses `not_found`, also for another user's. */
async function findOwnRequest(db: Db, { userId, id }: RequestKey): Promise<PaymentRequestRow> {
  const request = await findRequest(db, id)
  return request?.requester_id === userId ? request : refuse('not_found')
}

/** Updates a locked request, refreshes the pages that show it, and returns it. */
export async function changeRequest(
  ctx: RequestContext,
  tx: Tx,
  request: PaymentRequestRow,
  changes: Partial<PaymentRequestRow>,
) {
  await updateRow(tx, 'payment_request', request.id, changes)
  const changed = { ...request, ...changes }
  await notifyRequestPages(ctx, tx, changed)
  return changed
}

/** Cancels a request for its requester. Refuses `not_found`, `request_closed`. */
export async function cancelRequest(
  ctx: RequestContext,
  pool: pg.Pool,
  requestKey: RequestKey,
): Promise<PaymentRequest> {
  await findOwnRequest(pool, requestKey)
  await transact(pool, async (tx) => {
    const request = await lockRequest(tx, requestKey.id)
    const at = ctx.now()
    // A repeated cancellation succeeds.
    if (request.status === 'cancelled') return
    requirePossible(request, 'cancel', at)
    await changeRequest(ctx, tx, request, { status: 'cancelled', closed_at: at })
  })
  return requestView(ctx, pool, requestKey)
}

/** Reminds the payer on behalf of the requester. Refuses `not_found`, `request_closed`, `reminder_too_soon`. */
export async function remindPayer(ctx: RequestContext, pool: pg.Pool, requestKey: RequestKey): Promise<PaymentRequest> {
  const unlockedRequest = await findOwnRequest(pool, requestKey)
  if (unlockedRequest.payer_id === null) refuse('not_found')
  await transact(pool, async (tx) => {
    const request = await lockRequest(tx, requestKey.id)
    const at = ctx.now()
    requirePossible(request, 'remind', at)
    const from = computeReminderTime(request)
    if (from === null || from > at) refuse('reminder_too_soon')
    const changed = await changeRequest(ctx, tx, request, { reminded_at: at })
    const person = await findRequesterFor(ctx, tx, request)
    await notifyReminder(ctx, tx, { request: changed, person, dedupe: at.toISOString() })
  })
  return requestView(ctx, pool, requestKey)
}

interface RequestAnswer {
  readonly caller: Caller
  readonly data: string
}

/**
 * Request that a link identifies, if it is addressed to the caller. Refuses `link_changed`, `recipient_is_sender`,
 * `request_not_for_you`.
 */
async function findAddressedRequest(
  ctx: RequestContext,
  db: Db,
  { caller, data }: RequestAnswer,
): Promise<PaymentRequestRow> {
  const request = await requireLinkedRequest(ctx, db, data)
  requirePayer(caller, request)
  return request.payer_id === null ? refuse('request_not_for_you') : request
}

/** Declines a request for its payer. Refusals: see `declineLink` in the contract. */
export async function declineRequest(
  ctx: RequestContext,
  pool: pg.Pool,
  { reason, ...answer }: RequestAnswer & { readonly reason: string | undefined },
): Promise<PaymentLink> {
  const unlockedRequest = await findAddressedRequest(ctx, pool, answer)
  await transact(pool, async (tx) => {
    const request = await lockRequest(tx, unlockedRequest.id)
    const at = ctx.now()
    if (request.status === 'declined') return
    requirePossible(request, 'decline', at)
    const declinedColumns = {
      status: 'declined',
      closed_at: at,
      decline_reason: reason === '' ? null : (reason ?? null),
    } as const
    const changed = await changeRequest(ctx, tx, request, declinedColumns)
    await notifyDeclined(ctx, tx, {
      request: changed,
      person: await findPayerFor(ctx, tx, request, answer.caller.userId),
    })
  })
  return linkView(ctx, pool, await requireLinkedRequest(ctx, pool, answer.data))
}

const formatDay = (at: Date): string => at.toISOString().slice(0, 10)

/** Accepts a request for a later day, on which the payer is reminded. Refusals: see `acceptLink` in the contract. */
export async function acceptRequest(
  ctx: RequestContext,
  pool: pg.Pool,
  { on, ...answer }: RequestAnswer & { readonly on: string },
): Promise<PaymentLink> {
  const unlockedRequest = await findAddressedRequest(ctx, pool, answer)
  await transact(pool, async (tx) => {
    const request = await lockRequest(tx, unlockedRequest.id)
    const at = ctx.now()
    requirePossible(request, 'accept', at)
    if (on <= formatDay(at)) refuseField('invalid_request', 'on', 'day_has_passed')
    if (on > formatDay(request.expires_at)) refuseField('invalid_request', 'on', 'day_after_expiry')
    await tx.query('update payment_request set accepted_reminder_at = null where id = $1', [request.id])
    await changeRequest(ctx, tx, request, { accepted_for: on })
  })
  return linkView(ctx, pool, await requireLinkedRequest(ctx, pool, answer.data))
}

/** Counts an opened link while its request can be paid; the first time marks it as seen. Refuses `link_changed`. */
export async function openLink(ctx: RequestContext, pool: pg.Pool, data: string): Promise<void> {
  const unlockedRequest = await requireLinkedRequest(ctx, pool, data)
  if (!isPossible(determineRequestState(unlockedRequest, ctx.now()), 'pay')) return
  await transact(pool, async (tx) => {
    const request = await lockRequest(tx, unlockedRequest.id)
    const isFirst = request.seen_at === null
    const changes = { opened: request.opened + 1, seen_at: request.seen_at ?? ctx.now() }
    if (isFirst) await changeRequest(ctx, tx, request, changes)
    else await updateRow(tx, 'payment_request', request.id, changes)
  })
}

/** Expired request that the caller could have paid. Refusals: see `askForNewLink` in the contract. */
export async function requireExpired(
  ctx: RequestContext,
  db: Db,
  { caller, data }: RequestAnswer,
): Promise<PaymentRequestRow> {
  const request = await requireLinkedRequest(ctx, db, data)
  requirePayer(caller, request)
  if (!isPossible(determineRequestState(request, ctx.now()), 'ask_again')) refuse('request_not_expired')
  return request
}

/** Notifies the requester of an expired link that its payer wants a new one. Refuses like `requireExpired`. */
export async function requestNewLink(ctx: RequestContext, pool: pg.Pool, answer: RequestAnswer): Promise<void> {
  const { userId } = answer.caller
  const request = await requireExpired(ctx, pool, answer)
  await transact(pool, async (tx) => {
    const dedupe = `${request.id} ${userId} ${ctx.now().toISOString()}`
    await notifyLinkWanted(ctx, tx, { request, person: await findPayerFor(ctx, tx, request, userId), dedupe })
  })
}

const findRequesterFor = (ctx: RequestContext, tx: Tx, request: PaymentRequestRow) =>
  findCounterparty(ctx, tx, {
    request,
    viewerId: request.payer_id ?? request.requester_id,
    userId: request.requester_id,
  })

const findPayerFor = (ctx: RequestContext, tx: Tx, request: PaymentRequestRow, userId: bigint) =>
  findCounterparty(ctx, tx, { request, viewerId: request.requester_id, userId })

const batchSize = 500

/** Ends expired requests, and notifies their requesters. Failures are logged and retried. */
export async function expireDue(ctx: RequestContext, pool: pg.Pool): Promise<void> {
  const { now } = ctx
  const { rows } = await pool.query<PaymentRequestRow>(
    `select * from payment_request where status = 'open' and reserved_minor = 0 and expires_at <= $1
      order by expires_at limit $2`,
    [now(), batchSize],
  )
  for (const { id } of rows) {
    await transact(pool, (tx) => expireRequest(ctx, tx, id)).catch((error: unknown) => logFailure(ctx, { error, id }))
  }
}

async function expireRequest(ctx: RequestContext, tx: Tx, id: string): Promise<void> {
  const request = await lockRequest(tx, id)
  const at = ctx.now()
  if (request.status !== 'open' || determineRequestState(request, at) !== 'expired') return
  const changed = await changeRequest(ctx, tx, request, { status: 'expired', closed_at: at })
  const { payer_id: payerId } = request
  const person = payerId === null ? null : await findPayerFor(ctx, tx, request, payerId)
  await notifyExpired(ctx, tx, { request: changed, person })
}

/** SQL: pending payments leave a part to pay. If they fail, the payer is still reminded. */
const isPayable = 'paid_minor + reserved_minor < amount_minor'

/** Reminds payers once, when the day (UTC) has come for which they accepted a request. */
export async function remindAccepted(ctx: RequestContext, pool: pg.Pool): Promise<void> {
  const { now } = ctx
  const { rows } = await pool.query<PaymentRequestRow>(
    `select * from payment_request
      where status = 'open' and accepted_for <= $1 and accepted_reminder_at is null and ${isPayable}
      order by accepted_for limit $2`,
    [formatDay(now()), batchSize],
  )
  for (const { id } of rows) {
    await transact(pool, (tx) => remindPayerIfDue(ctx, tx, id)).catch((error: unknown) =>
      logFailure(ctx, { error, id }),
    )
  }
}

async function remindPayerIfDue(ctx: RequestContext, tx: Tx, id: string): Promise<void> {
  const at = ctx.now()
  const { rowCount } = await tx.query(
    `update payment_request set accepted_reminder_at = $2
      where id = $1 and status = 'open' and accepted_for <= $3 and accepted_reminder_at is null and ${isPayable}`,
    [id, at, formatDay(at)],
  )
  if (rowCount !== 1) return
  const request = await lockRequest(tx, id)
  if (!isPossible(determineRequestState(request, at), 'remind')) return
  const person = await findRequesterFor(ctx, tx, request)
  await notifyReminder(ctx, tx, { request, person, dedupe: `accepted for ${String(request.accepted_for)}` })
}

/** Logs a failure about one request, so that the remaining ones are still handled. */
const logFailure = (
  { log }: RequestContext,
  { error, id: requestId }: { readonly error: unknown; readonly id: string },
): void => log.error({ err: error, requestId }, 'a payment request could not be ended, or its payer reminded')
