import { type PaymentPart, listPaymentParts, computeTotal } from '@tern/contract/receipt/receipt-origin'
import type { Receipt, Transaction } from '@tern/contract/transactions'
import { transaction as words } from '#messages/transaction.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { formatMoney } from '../../../ui/format/format.ts'
import { isOnHold, shortCounterparty } from '../../../ui/money/activity.ts'

/** Amounts are highlighted in the text. */
export type Part = string | { readonly amount: string }

export interface Step {
  readonly parts: readonly Part[]
  readonly at?: string | undefined
  /** Has not happened, or never will. */
  readonly isOpen?: boolean
  /** Amount that a source paid in this step, as a decimal in the source currency. */
  readonly paidAmount?: string
}

/** Facts from the receipt and the provider. */
export type Facts = Pick<Receipt, 'wallet_part' | 'instrument' | 'delivered_at'> & {
  /** The card or bank has paid. */
  readonly captured?: boolean
}

const { steps } = texts

const unknown: Facts = { wallet_part: null, instrument: null, delivered_at: null }

/** Completed and pending steps of a transaction, in order. The amounts paid by its sources add up to its total. */
export function buildSteps(transaction: Transaction, facts: Facts = unknown): Step[] {
  const { transaction_type: type, status, timestamp: at } = transaction
  if (status === 'FAILED') return [buildFirstStep(transaction), openStep(steps.notMade)]
  if (type === 'RECEIVE') return receivedSteps(transaction, facts)
  if (type === 'EXCHANGE') return exchangeSteps(transaction, facts)
  if (type === 'WITHDRAW') {
    const { amount, currency } = transaction
    const firstStepText = isOnHold(transaction) ? steps.onHold : steps.left
    return [
      { parts: firstStepText(amountPart(amount, currency)), at, paidAmount: amount },
      status === 'COMPLETED' ? textStep(steps.atBank, facts.delivered_at) : openStep(steps.onItsWay),
    ]
  }
  return [...paidSteps(transaction, facts), ...buildExchangeSteps(transaction, facts), lastStep(transaction, facts)]
}

/** The payer's wallet was not used: a card or bank account paid in full. */
export const isWalletUnused = ({ transaction_type: type, status, payment_source: source }: Transaction): boolean =>
  type === 'SEND' && status === 'COMPLETED' && (source === 'card' || source === 'bank')

const amountPart = (amount: string, currency: string): Part => ({ amount: formatMoney(amount, currency) })
const openStep = (text: string): Step => ({ parts: [text], isOpen: true })
const textStep = (text: string, at: string | null): Step => ({ parts: [text], at: at ?? undefined })

function buildFirstStep(transaction: Transaction): Step {
  const { transaction_type: type, timestamp: at } = transaction
  if (type === 'RECEIVE') return textStep(steps.ordered(shortCounterparty(transaction)), at)
  return textStep(type === 'SEND' || type === 'EXCHANGE' ? steps.confirmed : steps.youOrdered, at)
}

/** Amounts paid or due from each source; the first has the time of the order. */
function paidSteps(transaction: Transaction, facts: Facts): Step[] {
  const { timestamp: at, source_currency: currency, status } = transaction
  const total = computeTotal(transaction)
  const parts = listPaymentParts({ transaction, wallet_part: facts.wallet_part })
  if (!parts) {
    return [
      {
        parts: steps.leftWalletAndCard(amountPart(total, currency)),
        at,
        paidAmount: total,
        isOpen: status === 'PENDING',
      },
    ]
  }
  const [first, ...otherSteps] = parts.flatMap((part) => sourceSteps(transaction, part, facts))
  return first ? [{ ...first, at }, ...otherSteps] : []
}

function sourceSteps(transaction: Transaction, { source, amount }: PaymentPart, facts: Facts): Step[] {
  const { source_currency: currency, status } = transaction
  const money = amountPart(amount, currency)
  const isDone = status === 'COMPLETED'
  if (source === 'wallet') {
    return [{ parts: isDone ? steps.left(money) : steps.onHold(money), paidAmount: amount }]
  }
  const { instrument } = facts
  const captured = isDone || facts.captured === true
  const instrumentText = instrument ? texts.instrument(instrument.name, instrument.last4) : texts[source]
  if (source === 'card') {
    return captured
      ? [{ parts: steps.charged(money, instrumentText), paidAmount: amount }]
      : [{ parts: steps.toBeCharged(money, instrumentText), isOpen: true, paidAmount: amount }]
  }
  const requestStep: Step = { parts: steps.requested(money, instrumentText) }
  return captured
    ? [requestStep, { parts: steps.arrivedFrom(money, instrumentText), paidAmount: amount }]
    : [{ ...requestStep, paidAmount: amount }]
}

function buildExchangeSteps(transaction: Transaction, facts: Facts): Step[] {
  const { status, source_amount: amount, source_currency: source, target_currency: target } = transaction
  if (status !== 'COMPLETED' || source === target) return []
  const receivedText = formatMoney(transaction.target_amount, target)
  return [{ parts: steps.exchanged(amountPart(amount, source), receivedText), at: facts.delivered_at ?? undefined }]
}

function lastStep(transaction: Transaction, facts: Facts): Step {
  const { transaction_type: type, status, payment_source: source } = transaction
  const received = amountPart(transaction.target_amount, transaction.target_currency)
  const isPaid = source === 'wallet' || facts.captured === true
  if (status === 'PENDING') return openStep(type === 'SEND' && isPaid ? steps.notSentYet : steps.waiting)
  return {
    parts: type === 'SEND' ? steps.received(shortCounterparty(transaction), received) : steps.youGot(received),
    at: facts.delivered_at ?? undefined,
  }
}

function receivedSteps(transaction: Transaction, facts: Facts): Step[] {
  const { timestamp: at, status, source_amount: amount, source_currency: source } = transaction
  const first = { parts: steps.sent(shortCounterparty(transaction), amountPart(amount, source)), at }
  return [first, status === 'COMPLETED' ? lastStep(transaction, facts) : openStep(words.notYetYours)]
}

function exchangeSteps(transaction: Transaction, facts: Facts): Step[] {
  const { amount, currency, timestamp: at, status } = transaction
  const money = amountPart(amount, currency)
  if (status === 'PENDING') {
    return [{ parts: steps.onHold(money), at, paidAmount: amount }, openStep(steps.notExchangedYet)]
  }
  return [
    { parts: steps.leftBalance(money, currency), at, paidAmount: amount },
    ...buildExchangeSteps(transaction, facts),
  ]
}
