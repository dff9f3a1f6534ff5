import { toDecimal } from '@tern/money/money'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import type { CounterpartyStatus } from '../../compliance/compliance.ts'
import { readPrice } from '../../exchange/exchange.ts'
import { collectionIds } from '../../payments/payments.ts'
import type { RequestContext } from '../context.ts'
import { applyPayment } from '../pay-request.ts'
import { toRequestMoney, lockRequest } from '../records/request-rows.ts'
import { isPossible, computeRemaining, determineRequestState } from '../records/request-states.ts'
import { linkView } from '../records/request-views.ts'
import { findGuestPayment, fitsGuestLimit } from './guest-rows.ts'
import type { GuestPaymentRow, PaymentRequestRow, RequestPaymentRow } from '../row-types.ts'
import type { PaymentRow } from '../../payments/row-types.ts'

// Reserves, settles or releases the amount of a request for a guest's card payment. A card is charged only once its
// amount is reserved, and, if the guest's name matches a list, two operators have cleared it.

/** Page to which a guest returns from the card provider; undefined for a member's payment. */
export async function findGuestReturnUrl(
  ctx: RequestContext,
  db: Db,
  { id }: Pick<PaymentRow, 'id'>,
): Promise<string | undefined> {
  const guest = await findGuestPayment(db, id)
  return guest && receiptUrl(ctx, id, guest.request_id)
}

/** Page with the status of a guest's payment. */
const receiptUrl = ({ publicUrl, links, receipts }: RequestContext, paymentId: string, requestId: string): string =>
  `${publicUrl}/pay?data=${links.issue(requestId)}&receipt=${receipts.issue(paymentId)}`

interface ReportedPayment {
  readonly payment: PaymentRow
  readonly at: Date
}

interface AuthorizedCard extends ReportedPayment {
  readonly cardFingerprint: string | undefined
  readonly isPriceKept: boolean
}

/**
 * Reserves the request's amount for an authorized card, and returns whether to charge the card, void the authorization,
 * or wait for a case or newer lists.
 */
export async function authorizeGuestPayment(
  ctx: RequestContext,
  tx: Tx,
  { payment, cardFingerprint, isPriceKept, at }: AuthorizedCard,
): Promise<'charge' | 'let_go' | 'wait'> {
  const guest = await findGuestPayment(tx, payment.id)
  if (!guest) return 'let_go'
  const request = await lockRequest(tx, guest.request_id)
  const requestPayment = await findRequestPayment(tx, payment)
  if (requestPayment)
    return requestPayment.status === 'processing' ? decideCardCharge(ctx, tx, { request, guest, payment }) : 'let_go'
  const refusal = await findRefusal(tx, { guest, request, cardFingerprint, isPriceKept, at })
  await tx.query('update guest_payment set card_fingerprint = $2, refusal = $3 where payment_id = $1', [
    payment.id,
    cardFingerprint ?? null,
    refusal ?? null,
  ])
  if (refusal) return 'let_go'
  await recordPaymentEvent(ctx, tx, { request, guest, payment, event: 'reserve', at })
  return decideCardCharge(ctx, tx, { request, guest, payment })
}

/**
 * Pays a request with a guest's arrived money, or reserves the amount while the payment waits for a case or newer
 * lists. `not_awaited`: the request cannot be paid with it, or the guest is confirmed as listed.
 */
export async function settleGuestPayment(
  ctx: RequestContext,
  tx: Tx,
  { payment, at }: ReportedPayment,
): Promise<'paid' | 'wait' | 'not_awaited'> {
  const guest = await findGuestPayment(tx, payment.id)
  if (!guest) return 'not_awaited'
  const request = await lockRequest(tx, guest.request_id)
  const paymentStatus = (await findRequestPayment(tx, payment))?.status
  if (paymentStatus !== 'processing' && (paymentStatus || !isPayable(request, guest, at))) return 'not_awaited'
  const standing = await checkName(ctx, tx, request, payment)
  if (standing === 'confirmed') {
    await recordNotAccepted(tx, payment)
    return 'not_awaited'
  }
  if (standing !== 'clear') {
    if (!paymentStatus) await recordPaymentEvent(ctx, tx, { request, guest, payment, event: 'reserve', at })
    await notifyUnderReview(ctx, tx, { request, guest, payment, standing })
    return 'wait'
  }
  await recordPaymentEvent(ctx, tx, { request, guest, payment, event: paymentStatus ? 'settle' : 'pay', at })
  await ctx.counterparties.end(tx, payment.id)
  await mailGuest(ctx, tx, { template: 'guest_receipt', guest, request, payment })
  return 'paid'
}

/** Releases the reservation of a guest's failed payment. Mails the guest if a refusal kept the card uncharged. */
export async function failGuestPayment(ctx: RequestContext, tx: Tx, { payment, at }: ReportedPayment): Promise<void> {
  const guest = await findGuestPayment(tx, payment.id)
  if (!guest) return
  const request = await lockRequest(tx, guest.request_id)
  const requestPayment = await findRequestPayment(tx, payment)
  await ctx.counterparties.end(tx, payment.id)
  if (requestPayment?.status === 'processing')
    await recordPaymentEvent(ctx, tx, { request, guest, payment, event: 'release', at })
  // The provider's page has shown a decline already. A card that was charged is refunded by an operator.
  if (guest.refusal && payment.capture_id === null) {
    await mailGuest(ctx, tx, { template: 'guest_not_charged', guest, request, payment })
  }
}

/** Screens a guest's name against the sanctions lists; `unknown` if it is clear, but the lists are stale. */
async function checkName(
  { counterparties, lists }: RequestContext,
  tx: Tx,
  { requester_id: userId }: PaymentRequestRow,
  { id, payer_name: name }: PaymentRow,
): Promise<CounterpartyStatus | 'unknown'> {
  const nameStatus = await counterparties.check(tx, { id, kind: 'guest', userId, name: name ?? '' })
  return nameStatus === 'clear' && (await lists.areTooOld(tx)) ? 'unknown' : nameStatus
}

/** Decides whether to charge a guest's card, after the amount was reserved. */
async function decideCardCharge(
  ctx: RequestContext,
  tx: Tx,
  paidRequest: Pick<GuestStep, 'request' | 'guest' | 'payment'>,
): Promise<'charge' | 'let_go' | 'wait'> {
  const standing = await checkName(ctx, tx, paidRequest.request, paidRequest.payment)
  if (standing === 'clear') return 'charge'
  if (standing === 'confirmed') {
    await recordNotAccepted(tx, paidRequest.payment)
    return 'let_go'
  }
  await notifyUnderReview(ctx, tx, { ...paidRequest, standing })
  return 'wait'
}

const recordNotAccepted = (tx: Tx, { id }: PaymentRow) =>
  tx.query(`update guest_payment set refusal = 'not_accepted' where payment_id = $1`, [id])

/** Notifies the requester, once, that a payment is under review (without the reason) or waits for newer lists. */
async function notifyUnderReview(
  { notifications, identity, counterparties, lists, publicUrl }: RequestContext,
  tx: Tx,
  {
    request,
    guest,
    payment,
    standing,
  }: Pick<GuestStep, 'request' | 'guest' | 'payment'> & { standing: 'open' | 'unknown' },
): Promise<void> {
  const { requester_id: userId } = request
  const amount = toRequestMoney(request, guest.amount_minor)
  const isCase = standing === 'open'
  const until = (isCase ? await counterparties.decidedBy(tx, payment.id) : lists.expectedBy()).toISOString()
  const waitsFor = isCase ? {} : ({ waits_for: 'lists' } as const)
  const waitParams = { until, by_guest: true as const, ...waitsFor }
  const params = { amount: toDecimal(amount), currency: amount.currency, ...waitParams }
  const notice = { code: 'check_holds', params, subjectId: request.id, dedupe: payment.id } as const
  if (!(await notifications.notify(tx, { userId, ...notice }))) return
  const person = (await identity.usersById(tx, [userId])).get(userId)
  if (!person) throw new Error(`user ${userId} is unknown`)
  const mail = { amount: amountText(amount), ...waitParams, link: `${publicUrl}/checks` }
  await notifications.mail(tx, { to: { userId, email: person.email }, template: 'check_holds', data: mail })
}

interface GuestMail extends Pick<GuestStep, 'request' | 'guest' | 'payment'> {
  readonly template: 'guest_receipt' | 'guest_not_charged'
}

async function mailGuest(ctx: RequestContext, tx: Tx, { template, guest, request, payment }: GuestMail): Promise<void> {
  if (!payment.locked_price) throw new Error(`the payment ${payment.id} of a guest has no price`)
  const { requester, description } = await linkView(ctx, tx, request)
  const person = requester.name ?? requester.username
  const amount = amountText(readPrice(payment.locked_price).total)
  const data = { person, amount, description, link: receiptUrl(ctx, payment.id, request.id) }
  await ctx.notifications.mail(tx, { to: guest, template, data })
}

async function findRequestPayment(tx: Tx, { id }: PaymentRow): Promise<Pick<RequestPaymentRow, 'status'> | undefined> {
  const { rows } = await tx.query<Pick<RequestPaymentRow, 'status'>>(
    'select status from request_payment where payment_id = $1',
    [id],
  )
  return rows[0]
}

const isPayable = (request: PaymentRequestRow, { amount_minor: minor }: GuestPaymentRow, now: Date): boolean =>
  isPossible(determineRequestState(request, now), 'pay') && minor <= computeRemaining(request)

interface AuthorizedGuest {
  readonly guest: GuestPaymentRow
  readonly request: PaymentRequestRow
  readonly cardFingerprint: string | undefined
  readonly isPriceKept: boolean
  readonly at: Date
}

/** Final reason for not charging the card, if any. */
async function findRefusal(tx: Tx, { guest, request, cardFingerprint: value, isPriceKept, at }: AuthorizedGuest) {
  if (guest.refusal !== null) return guest.refusal
  if (!isPayable(request, guest, at)) return 'request_closed'
  if (!isPriceKept) return 'price_moved'
  if (value === undefined) return undefined
  const { payment_id: paymentId, usd_minor: usdMinor } = guest
  const isWithinGuestLimit = await fitsGuestLimit(tx, { by: 'card_fingerprint', value, paymentId, usdMinor, at })
  return isWithinGuestLimit ? undefined : 'limit_exceeded'
}

interface GuestStep {
  readonly request: PaymentRequestRow
  readonly guest: GuestPaymentRow
  readonly payment: PaymentRow
  readonly event: 'pay' | 'reserve' | 'settle' | 'release'
  readonly at: Date
}

const statuses = { pay: 'settled', reserve: 'processing', settle: 'settled', release: 'released' } as const

/** Records an event of a guest's payment on the locked request. */
async function recordPaymentEvent(
  ctx: RequestContext,
  tx: Tx,
  { request, guest, payment, event, at }: GuestStep,
): Promise<void> {
  const { postingId, transactionId } = collectionIds(payment)
  const status = statuses[event]
  if (event === 'settle' || event === 'release') {
    await tx.query('update request_payment set status = $2, updated_at = $3 where payment_id = $1', [
      payment.id,
      status,
      at,
    ])
  } else {
    await tx.query(
      `insert into request_payment (posting_id, request_id, transaction_id, payment_id, amount_minor, paid_minor,
           paid_currency, status, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
      [
        postingId,
        request.id,
        transactionId,
        payment.id,
        guest.amount_minor,
        payment.amount_minor,
        payment.currency,
        status,
        at,
      ],
    )
  }
  const payer = { id: null, username: null, name: payment.payer_name ?? '' }
  await applyPayment(ctx, tx, { request, event, at, minor: guest.amount_minor, postingId, payer })
}
