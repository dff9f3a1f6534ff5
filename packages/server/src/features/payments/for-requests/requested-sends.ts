import { requestHash } from '../../../platform/http/idempotency.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { Confirmed } from '../../transfers/transfers.ts'
import type { PaymentContext } from '../context.ts'
import type { FundingSource } from '../instruments/funding-source.ts'
import type { PaymentRow } from '../records/payment-rows.ts'
import { begunView } from '../pay-ins/deposits.ts'
import { authorizeSend, prepareSend } from '../pay-ins/funded-sends.ts'
import { beginPayment } from '../pay-ins/payment-intents.ts'

/** A member's payment of a request by card, by bank account, or with wallet and card. */
export interface RequestedSend extends FundingSource {
  readonly requestId: string
  readonly requesterId: number
  readonly method: PaymentRow['method']
  readonly quote_id: string
  readonly description: string
}

/**
 * Begins a send that pays a request, once per key; the request's amount is set aside in the same transaction. A bank account
 * pays only within one currency: nobody can promise an exact amount in another one days ahead. Refuses what the contract's
 * `payLinkFromOutside` lists.
 */
export async function paymentForRequest(
  context: PaymentContext,
  caller: Caller,
  asked: RequestedSend,
  confirmed: Omit<Confirmed, 'source'>,
) {
  const { requestId, requesterId: recipientId, method, quote_id: quoteId } = asked
  const { bankAccountId = null, paymentMethodId = null, saveCard = false } = asked
  const hash = requestHash({ requestId, method, quoteId, bankAccountId, paymentMethodId, saveCard })
  const keyed = { userId: caller.userId, idempotencyKey: confirmed.idempotencyKey, hash }
  const payment = await beginPayment(context, keyed, async (create) => {
    // Refused before anything about the quote, which may have expired with the request.
    await context.collections.requireOpen(requestId)
    const { source: amount, target } = (await context.exchange.accept({ userId: caller.userId, quoteId })).price
    if (method === 'bank' && amount.currency !== target.currency)
      refuseField('payment_source_unavailable', 'method', 'bank_pays_one_currency')
    const order = await prepareSend(context, caller, { ...asked, amount, recipientId })
    return authorizeSend(
      context,
      caller,
      { ...order, requestId },
      { confirmed: { ...confirmed, source: method }, create },
    )
  })
  return begunView(payment)
}
