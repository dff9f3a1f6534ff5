import { findFeeRate } from '@tern/contract/receipt/fee-rate'
import { computeTotal } from '@tern/contract/receipt/receipt-origin'
import type { Transaction } from '@tern/contract/transactions'
import { isEstimate } from '@tern/contract/transfers/estimate'
import { transactions as texts } from '#messages/transactions.ts'
import { formatMoney, isZero } from '../../../ui/format/format.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { shortCounterparty } from '../../../ui/money/activity.ts'
import { formatPercent } from '../../../ui/money/percent.ts'
import { formatRate } from '../../../ui/money/rates.ts'
import type { ExternalOrder } from './external-order.ts'

interface KeyFact {
  readonly term: string
  readonly value: string
}

/** Up to three figures beside the amount: outcome, rate, fee. */
export function listKeyFacts(transaction: Transaction, externalOrder: ExternalOrder | null | undefined): KeyFact[] {
  const { transaction_type: type, status } = transaction
  const facts = [
    status === 'FAILED' ? undefined : describeOutcome(transaction, externalOrder),
    buildRateFact(transaction),
    type === 'RECEIVE' ? undefined : buildFeeFact(transaction),
  ]
  return facts.filter((fact) => fact !== undefined)
}

function describeOutcome(
  transaction: Transaction,
  externalOrder: ExternalOrder | null | undefined,
): KeyFact | undefined {
  const { transaction_type: type, status, source_currency: source, target_currency: target } = transaction
  const receivedText = formatMoney(transaction.target_amount, target)
  const isDone = status === 'COMPLETED'
  const isEstimated = isEstimate(transaction)
  if (type === 'SEND') {
    const caption = isDone ? texts.got : isEstimated ? texts.getsAbout : texts.gets
    return { term: caption(shortCounterparty(transaction)), value: receivedText }
  }
  if (type === 'EXCHANGE')
    return { term: isDone ? texts.youGot : isEstimated ? texts.youGetAbout : texts.youGet, value: receivedText }
  if (externalOrder?.kind === 'payout') return buildPayoutFact(transaction, externalOrder)
  if (source === target) return undefined
  return type === 'RECEIVE'
    ? { term: texts.sent(shortCounterparty(transaction)), value: formatMoney(transaction.source_amount, source) }
    : { term: texts.youPaid, value: formatMoney(computeTotal(transaction), source) }
}

/** Arrival of a withdrawal, or the account that returned it. */
function buildPayoutFact(
  { transaction_type: type }: Transaction,
  externalOrder: ExternalOrder & { kind: 'payout' },
): KeyFact | undefined {
  const { bank_account: account, expected_on: expectedOn, status } = externalOrder
  if (type !== 'WITHDRAW') {
    return { term: texts.bankAccount, value: texts.accountEnding(account.bank_name, account.last4) }
  }
  return status === 'pending' ? { term: texts.expectedOn, value: formatDay(expectedOn) } : undefined
}

function buildRateFact({ rate, source_currency: source, target_currency: target }: Transaction): KeyFact | undefined {
  if (rate === null || source === target) return undefined
  const unit = formatMoney('1', source, { places: 0 })
  // Formats 0 in the currency, then replaces the 0 with the rate.
  const value = formatMoney('0', target, { places: 0 }).replace('0', formatRate(rate))
  return { term: texts.rateFor(unit), value }
}

function buildFeeFact(transaction: Transaction): KeyFact | undefined {
  const { transaction_type: type, fee, fee_currency: currency, payment_source: source } = transaction
  if (isZero(fee)) return type === 'DEPOSIT' && source === null ? undefined : { term: texts.fee, value: texts.free }
  const rate = findFeeRate(transaction)
  return {
    term: rate === undefined ? texts.fee : texts.feeAt(formatPercent(Number(rate))), // not money: a rate
    value: formatMoney(fee, currency),
  }
}
