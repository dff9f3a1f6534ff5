import type pg from 'pg'
import { requestHash } from '../../../platform/http/idempotency.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { ConfirmedRequest } from '../../transfers/transfers.ts'
import type { PaymentContext } from '../context.ts'
import type { FundingSource } from '../instruments/funding-source.ts'
import { begunView } from '../pay-ins/deposits.ts'
import { createSend } from '../pay-ins/funded-sends.ts'
import { submitBegun } from '../pay-ins/payment-intents.ts'
import { findByKey, storePaymentRefusal, type Request } from '../records/refused-payments.ts'
import type { PaymentRow } from '../row-types.ts'

/** Member's payment of a request by card, by bank account, or by wallet and card. */
export interface RequestedSend extends FundingSource {
  readonly requestId: string
  readonly requesterId: number
  readonly method: PaymentRow['method']
  readonly quote_id: string
  readonly description: string
}

interface RequestedOrder extends Pick<ConfirmedRequest, 'idempotencyKey' | 'confirmation'> {
  readonly caller: Caller
  readonly input: RequestedSend
}

/**
 * Begins a send that pays a request, once per key, and reserves the request's amount in the same transaction. Bank
 * accounts pay within one currency only: debits take days, for which no conversion price is held. Refusals: see
 * `payLinkFromOutside` in the contract.
 */
export async function paymentForRequest(ctx: PaymentContext, pool: pg.Pool, order: RequestedOrder) {
  const { caller, input, idempotencyKey } = order
  const { requestId, method, quote_id: quoteId } = input
  const { bankAccountId = null, paymentMethodId = null, saveCard = false } = input
  const hash = requestHash({ requestId, method, quoteId, bankAccountId, paymentMethodId, saveCard })
  const request = { userId: caller.userId, idempotencyKey, hash }
  const existingPayment = await findByKey(pool, request)
  const payment =
    existingPayment ??
    (await createRequestedSend(ctx, pool, { ...order, request }).catch((error: unknown) =>
      storePaymentRefusal(ctx, pool, { request, error }),
    ))
  return begunView(await submitBegun(ctx, pool, { payment, isNew: existingPayment === undefined }))
}

async function createRequestedSend(
  ctx: PaymentContext,
  pool: pg.Pool,
  { input, ...order }: RequestedOrder & { readonly request: Request },
): Promise<PaymentRow> {
  const { requestId, requesterId: recipientId, method, quote_id: quoteId } = input
  // Checked before the quote, so that an expired request is not refused as an expired quote.
  await ctx.requestPurpose.requireOpen(pool, requestId)
  const { source: amount, target } = (await ctx.exchange.accept({ userId: order.caller.userId, quoteId })).price
  if (method === 'bank' && amount.currency !== target.currency)
    refuseField('payment_source_unavailable', 'method', 'bank_pays_one_currency')
  return createSend(ctx, pool, { ...order, requestId, source: method, input: { ...input, amount, recipientId } })
}
