import type { payLinkFromOutside } from '@tern/contract/requests/link-funding'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type * as z from 'zod/mini'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { wireId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { readPrice } from '../../exchange/exchange.ts'
import { collectionIds, type PaymentTerms, toProgress } from '../../payments/payments.ts'
import type { OutsideContext, RequestContext } from '../context.ts'
import { requireLinkedRequest, requirePayable, requirePayer, requirePossible } from '../pay-request.ts'
import { findRequest, lockRequest } from '../records/request-rows.ts'
import { applyPaymentEvent } from '../records/request-states.ts'
import { changeRequest } from '../request-decisions.ts'
import type { RequestPaymentRow } from '../row-types.ts'
import type { PaymentRow } from '../../payments/row-types.ts'

// Members' payments of requests by card or bank. The amount is reserved from the start, so that no other payer can pay
// it, and settled or released when the payment ends.

interface OutsideOrder {
  readonly caller: Caller
  readonly data: string
  readonly body: z.output<(typeof payLinkFromOutside)['body']>
  readonly idempotencyKey: string
  readonly confirmation: string | undefined
}

/** Begins a payment by card or bank, once per key. Refusals: see `payLinkFromOutside` in the contract. */
export async function payFromExternalAccount(
  ctx: OutsideContext,
  db: Db,
  { caller, data, body, idempotencyKey, confirmation }: OutsideOrder,
): Promise<Reply<typeof payLinkFromOutside>> {
  const request = await requireLinkedRequest(ctx, db, data)
  requirePayer(caller, request)
  const { id: requestId, requester_id: requesterId, description } = request
  const requestDetails = { requestId, requesterId: wireId(requesterId), description: description ?? '' }
  return ctx.payments.payRequest({ caller, input: { ...body, ...requestDetails }, idempotencyKey, confirmation })
}

/** Refuses `request_closed` unless this request can be paid now, and `not_found`. */
export async function requireOpen({ now }: RequestContext, db: Db, requestId: string): Promise<void> {
  requirePossible((await findRequest(db, requestId)) ?? refuse('not_found'), 'pay', now())
}

/** Reserves the amount of a new payment on its request. Refuses `quote_mismatch`, and like `requirePayable`. */
export async function reserveForPayment(
  ctx: RequestContext,
  tx: Tx,
  { payment, requestId }: { readonly payment: PaymentTerms; readonly requestId: string },
): Promise<void> {
  if (!payment.locked_price) throw new Error(`the payment ${payment.id} of a request has no price`)
  const { target, total } = readPrice(payment.locked_price)
  const at = payment.created_at
  const request = await lockRequest(tx, requestId)
  if (target.currency !== request.currency) refuseField('quote_mismatch', 'quote_id')
  requirePayable(request, target.minor, at)
  const { postingId, transactionId } = collectionIds(payment)
  await insertRow(tx, 'request_payment', {
    posting_id: postingId,
    request_id: requestId,
    transaction_id: transactionId,
    payer_id: payment.user_id,
    payment_id: payment.id,
    amount_minor: target.minor,
    paid_minor: total.minor,
    paid_currency: total.currency,
    status: 'processing',
    created_at: at,
    updated_at: at,
  })
  await changeRequest(ctx, tx, request, applyPaymentEvent(request, 'reserve', target.minor))
}

/** Page to which a member returns from the card provider; undefined for a send that pays no request. */
export async function findMemberReturnUrl(
  { links, publicUrl }: RequestContext,
  db: Db,
  { id }: Pick<PaymentRow, 'id'>,
): Promise<string | undefined> {
  const { rows } = await db.query<Pick<RequestPaymentRow, 'request_id'>>(
    'select request_id from request_payment where payment_id = $1',
    [id],
  )
  return rows[0] && `${publicUrl}/pay?data=${links.issue(rows[0].request_id)}&payment=${id}`
}

/** The payer's unfinished card or bank payment of a request, or null. */
export async function findOpenPayment(
  db: Db,
  { userId, requestId }: { readonly userId: bigint; readonly requestId: string },
) {
  const { rows } = await db.query<PaymentRow>(
    `select p.* from request_payment q join payment p on p.id = q.payment_id
      where q.payer_id = $1 and q.request_id = $2 and q.status = 'processing' and p.status = 'pending'
      order by q.created_at desc limit 1`,
    [userId, requestId],
  )
  const [payment] = rows
  if (!payment) return null
  return { payment_id: payment.id, method: payment.method, redirect_url: toProgress(payment).redirectUrl }
}
