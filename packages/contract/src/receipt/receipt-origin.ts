// Payment sources, conversion steps and issuer of a receipt.

import { bridgeCurrency } from '@tern/money/currency'
import { add, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import type { Receipt, Transaction } from '../transactions.ts'
import type { ReceiptLine, ReceiptFormat } from './receipt-sheet.ts'

/** Returns the total to pay, fee included, as a decimal in the source currency. */
export const computeTotal = ({
  source_amount: amount,
  source_currency: currency,
  fee,
  fee_currency: feeCurrency,
}: Transaction): string =>
  feeCurrency === currency ? toDecimal(add(parseDecimal(currency, amount), parseDecimal(currency, fee))) : amount

export interface PaymentPart {
  readonly source: 'wallet' | 'card' | 'bank'
  /** Decimal in the source currency. */
  readonly amount: string
}

/**
 * Returns the amount paid from each source; the amounts sum to `computeTotal`. Empty for a payee, and if nothing was
 * paid. Undefined for wallet and card together if their shares are unknown.
 */
export function listPaymentParts({
  transaction,
  wallet_part: walletPart,
}: Pick<Receipt, 'transaction' | 'wallet_part'>): PaymentPart[] | undefined {
  const { payment_source: source, transaction_type: type, source_currency: currency } = transaction
  if (source === null || (type !== 'SEND' && type !== 'DEPOSIT')) return []
  const total = computeTotal(transaction)
  if (source !== 'wallet_partial') return [{ source, amount: total }]
  if (walletPart === null) return undefined
  const cardPart = subtract(parseDecimal(currency, total), parseDecimal(currency, walletPart))
  return [
    { source: 'wallet', amount: walletPart },
    { source: 'card', amount: toDecimal(cardPart) },
  ]
}

/** Returns the name and amount of each payment source; the amounts sum to the total. Empty for a payee. */
export function describePayment(receipt: Receipt, { texts, money }: ReceiptFormat): ReceiptLine[] {
  const { transaction, instrument } = receipt
  const currency = transaction.source_currency
  const parts = listPaymentParts(receipt)
  const { wallet, card } = texts.sources
  if (!parts) return [{ term: `${wallet}, ${card}`, value: money(computeTotal(transaction), currency) }]
  return parts.map(({ source, amount }) => ({
    term: source === 'wallet' || !instrument ? texts.sources[source] : texts.instrument(instrument),
    value: money(amount, currency),
  }))
}

/** Returns source, stablecoin and target amounts of a conversion through the stablecoin; empty for any other. */
export function describeConversion({ transaction }: Receipt, { texts, money }: ReceiptFormat): ReceiptLine[] {
  const { stablecoin_amount: bridgeAmount, source_currency: source, target_currency: target } = transaction
  const usesBridge =
    bridgeAmount !== null && source !== target && source !== bridgeCurrency && target !== bridgeCurrency
  if (!usesBridge) return []
  return [
    { term: texts.amount, value: money(transaction.source_amount, source) },
    { term: texts.inCurrency({ currency: bridgeCurrency }), value: money(bridgeAmount, bridgeCurrency) },
    { term: texts.inCurrency({ currency: target }), value: money(transaction.target_amount, target), isTotal: true },
  ]
}

/**
 * Returns the issuer line, without details that the installation does not state, and the note that receipts cannot be
 * altered.
 */
export function listIssuerLines({ issuer }: Receipt, texts: ReceiptFormat['texts']): string[] {
  const { name, registration, license, contact } = issuer
  const parts = [
    name && texts.issuedBy({ name }),
    registration && texts.registration({ number: registration }),
    license,
    contact,
  ].filter((part) => part !== null && part !== '')
  return [...(parts.length > 0 ? [parts.join(' · ')] : []), texts.unalterable]
}
