import { Refused } from '@tern/contract/protocol/client'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { type Quote, quoteShape } from '@tern/contract/exchange'
import type { directPayment } from '@tern/contract/payments'
import type { sendMoney } from '@tern/contract/transfers'
import { parseDecimal } from '@tern/money/money'
import { transfers } from '#messages/transfers.ts'
import { needsCard } from './payment-source.ts'
import type { Intended } from '../pending-transfer.ts'

export type WalletOrder = CallInput<typeof sendMoney>['body']
export type OutsideOrder = CallInput<typeof directPayment>['body']

/** The order of a transfer that the wallet pays. */
export const walletOrder = ({ formData, recipientInfo, priced: { quote } }: Intended): WalletOrder => ({
  recipient_id: recipientInfo.id,
  amount: quote.source_amount,
  source_currency: quote.source_currency,
  target_currency: quote.target_currency,
  payment_source: 'wallet',
  description: formData.description,
  quote_id: quote.quote_id,
})

/** The order of a transfer that a card, a bank account, or wallet and card pay. */
export function outsideOrder(intended: Intended, paymentSource: OutsideOrder['paymentSource']): OutsideOrder {
  const { userId, formData, recipientInfo, priced, bankAccountId, keepsCard } = intended
  const { quote_id, source_amount, source_currency } = priced.quote
  const cardId = needsCard(paymentSource) ? intended.cardId : undefined
  return {
    amount: Number(parseDecimal(source_currency, source_amount).minor), // not money: the call's whole minor units
    currency: source_currency.toLowerCase(),
    userId,
    recipientId: String(recipientInfo.id),
    paymentSource,
    description: formData.description,
    quote_id,
    ...(cardId ? { paymentMethodId: cardId } : {}),
    ...(bankAccountId && paymentSource === 'bank' ? { bankAccountId } : {}),
    ...(keepsCard && !cardId && needsCard(paymentSource) ? { saveCard: true } : {}),
  }
}

/** The quote that the server gave in place of an expired one. */
export function freshQuoteOf(error: unknown): Quote | undefined {
  if (!(error instanceof Refused) || error.code !== 'quote_expired') return undefined
  const read = quoteShape.safeParse(error.problem.quote)
  return read.success ? read.data : undefined
}

const spendingCodes: ReadonlySet<string> = new Set(['quote_used', 'payment_refused'])

/** True after a refusal with which the price cannot be ordered at again. */
export const isQuoteSpent = (error: unknown): boolean => error instanceof Refused && spendingCodes.has(error.code)

/** What is said about an order that was not carried out. */
export function failureOf(error: unknown, isOutside: boolean): string {
  if (!isOutside) return error instanceof Refused ? transfers.failed(error.message) : transfers.networkError
  if (!(error instanceof Refused)) return transfers.paymentFailed
  return error.errors[0]?.message || error.message || transfers.paymentFailed
}
