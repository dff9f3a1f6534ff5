// Files of banks: one statement for each balance in a fiat currency.

import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { CurrencyCode, FiatCode } from '@tern/money/currency'
import { isFiatCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { type Ratio, ratio, toRateText } from '@tern/money/ratio'
import type { Messages } from '../../../../platform/messages.ts'
import { formatDescription } from '../../../wallets/wallets.ts'
import type { Period } from '../../period.ts'
import type { LineFacts } from '../../statement-lines.ts'
import { toPlainText } from '../plain-text.ts'

export interface BankAccount {
  readonly currency: FiatCode
  /** Available balances in minor units. */
  readonly opening: bigint
  readonly closing: bigint
  readonly lines: AsyncIterable<LineFacts>
}

export interface BankSource {
  readonly walletId: string
  readonly holder: string
  readonly issuer: string
  readonly period: Pick<Period, 'from' | 'to' | 'timeZone' | 'startsAt' | 'asOf' | 'isFinal'>
  readonly messages: Messages
  readonly accounts: readonly BankAccount[]
}

/** Escapes a text for the content of an element, on one line. Readers of OFX know no other entities. */
export const escapeXml = (text: string): string =>
  toPlainText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns an element, or nothing for an empty text. */
export const element = (name: string, text: string): string => {
  const content = escapeXml(text)
  return content === '' ? '' : `<${name}>${content}</${name}>`
}

/** Returns a wallet's or posting's id without hyphens, which the formats' lengths require. */
export const compactId = (id: string): string => id.replaceAll('-', '')

/** Returns a line's id in at most 35 characters. It never changes. */
export const lineReference = ({ id }: Pick<LineFacts, 'id'>): string => compactId(id).replace(':', '-')

export const transactionReference = ({ transaction }: Pick<LineFacts, 'transaction'>): string | undefined =>
  transaction ? deriveReference(transaction.id) : undefined

/** Returns what a line says about itself: its description, and an amount in a currency that the format lacks. */
export function describeLine({ transaction, isConverted }: LineFacts, messages: Messages): string {
  if (!transaction) return ''
  const { kind, description, source_amount, source_currency, target_amount, target_currency } = transaction
  const text = formatDescription(messages, kind, description)
  if (!isConverted || (isFiatCode(source_currency) && isFiatCode(target_currency))) return text
  const amounts = [money(source_currency, source_amount), money(target_currency, target_amount)]
  const formatted = amounts.map((amount) => `${toDecimal(amount)} ${amount.currency}`).join(' = ')
  return text === '' ? formatted : `${text} (${formatted})`
}

export interface LineExchange {
  readonly source: { readonly currency: FiatCode; readonly minor: bigint }
  readonly target: { readonly currency: FiatCode; readonly minor: bigint }
  /** Target units for one source unit. */
  readonly rate: Ratio
}

/** Returns the conversion of a line between two fiat currencies. */
export function findExchange({ transaction, isConverted }: LineFacts): LineExchange | undefined {
  if (!transaction || !isConverted) return undefined
  const { source_amount, source_currency, target_amount, target_currency, rate_numerator, rate_denominator } =
    transaction
  if (rate_numerator === null || rate_denominator === null) return undefined
  if (!isFiatCode(source_currency) || !isFiatCode(target_currency)) return undefined
  return {
    source: { currency: source_currency, minor: source_amount },
    target: { currency: target_currency, minor: target_amount },
    rate: ratio(rate_numerator, rate_denominator),
  }
}

export const formatRate = toRateText

export const formatUnsigned = (currency: CurrencyCode, minor: bigint): string =>
  toDecimal(money(currency, minor < 0n ? -minor : minor))
