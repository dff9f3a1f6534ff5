// Where the money of a receipt came from, the steps of its conversion, and who issued it.

import { bridgeCurrency } from '@tern/money/currency'
import { add, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import type { Receipt, Transaction } from '../transactions.ts'
import type { Line, Writing } from './receipt-sheet.ts'

/** Total to pay, a decimal in the source currency. */
export const totalOf = ({
  source_amount: amount,
  source_currency: currency,
  fee,
  fee_currency: feeCurrency,
}: Transaction): string =>
  feeCurrency === currency ? toDecimal(add(parseDecimal(currency, amount), parseDecimal(currency, fee))) : amount

/** Each payment source with its amount in the source currency; the amounts add up to the total. Empty for a payee. */
export function paidWithOf({ transaction, wallet_part: walletPart }: Receipt, { texts, money }: Writing): Line[] {
  const { payment_source: source, transaction_type: type, source_currency: currency } = transaction
  if (source === null || (type !== 'SEND' && type !== 'DEPOSIT')) return []
  const total = totalOf(transaction)
  const { wallet, card } = texts.sources
  if (source !== 'wallet_partial') return [{ term: texts.sources[source], value: money(total, currency) }]
  if (walletPart === null) return [{ term: `${wallet}, ${card}`, value: money(total, currency) }]
  const cardPart = toDecimal(subtract(parseDecimal(currency, total), parseDecimal(currency, walletPart)))
  return [
    { term: wallet, value: money(walletPart, currency) },
    { term: card, value: money(cardPart, currency) },
  ]
}

/** The amount, what it was in the stablecoin between, and what it became. */
export function conversionOf({ transaction }: Receipt, { texts, money }: Writing): Line[] {
  const { stablecoin_amount: between, source_currency: source, target_currency: target } = transaction
  const isThroughBridge =
    between !== null && source !== target && source !== bridgeCurrency && target !== bridgeCurrency
  if (!isThroughBridge) return []
  return [
    { term: texts.amount, value: money(transaction.source_amount, source) },
    { term: texts.inCurrency({ currency: bridgeCurrency }), value: money(between, bridgeCurrency) },
    { term: texts.inCurrency({ currency: target }), value: money(transaction.target_amount, target), isSum: true },
  ]
}

/** Who issued the receipt, without what the installation does not say, and what stands behind it. */
export function issuerLines({ issuer }: Receipt, texts: Writing['texts']): string[] {
  const { name, registration, license, contact } = issuer
  const who = [
    name && texts.issuedBy({ name }),
    registration && texts.registration({ number: registration }),
    license,
    contact,
  ].filter((part) => part !== null && part !== '')
  return [...(who.length > 0 ? [who.join(' · ')] : []), texts.unalterable]
}
