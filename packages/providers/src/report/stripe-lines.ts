import type { Stripe } from 'stripe'
import {
  fromUnixSeconds,
  fromStripeAmount,
  readId,
  type StripeConnection,
  expandedObject,
} from '../stripe-connection.ts'
import type { LineKind, ReportLine } from './port.ts'

/** Line in Stripe's books; undefined if none of our money moved. */
export type FoundLine = ReportLine | undefined

/** Returns the subject of a refund or dispute: our payment, and whether a card or a bank account paid it. */
const readSubject = (intent: Stripe.PaymentIntent | undefined) => ({
  reference: intent?.metadata.payment_id ?? null,
  isBank: intent?.metadata.method === 'bank',
})

export function buildLine(
  id: string,
  kind: LineKind,
  lineFacts: { amount: number; currency: string; reference: string | null; occurredAt: Date; undoes?: string },
): FoundLine {
  const { reference, occurredAt, undoes } = lineFacts
  const amount = fromStripeAmount(lineFacts.amount, lineFacts.currency)
  // An unsupported currency gives no line: our money is never in one.
  return amount && { id, kind, amount, reference, occurredAt, ...(undoes === undefined ? {} : { undoes }) }
}

/** Returns the line of a refund, or of its failure, which returns the money to us. One refund can have both lines. */
export async function refundLine(
  { stripe }: StripeConnection,
  refundId: string,
  refundResult: { hasFailed: boolean; at?: Date },
): Promise<FoundLine> {
  const refund = await stripe.refunds.retrieve(refundId, { expand: ['payment_intent'] })
  const { reference } = readSubject(expandedObject(refund.payment_intent))
  const lineFacts = { ...refund, reference, occurredAt: refundResult.at ?? fromUnixSeconds(refund.created) }
  if (refundResult.hasFailed) {
    const failureFacts = { ...lineFacts, undoes: refund.id }
    return refund.failure_balance_transaction
      ? buildLine(`${refund.id}:failed`, 'chargeback_reversal', failureFacts)
      : undefined
  }
  return refund.balance_transaction ? buildLine(refund.id, 'refund', lineFacts) : undefined
}

/** Movement of a disputed amount, with the id of its line. */
interface DisputeMovement {
  readonly entry: Stripe.BalanceTransaction
  readonly lineId: string
  /** Line that took the money; undefined for that line itself. */
  readonly undoes?: string
}

/**
 * Returns the movements of a dispute, oldest first. A dispute lost after it was won takes the money again: the first
 * movement in each direction has a plain id, and later ones are numbered.
 */
function listMovements({ id, balance_transactions: entries }: Stripe.Dispute): DisputeMovement[] {
  const numberLine = (line: string, count: number) => (count > 1 ? `${line}:${count}` : line)
  let withdrawalCount = 0
  let returnCount = 0
  const movements = entries.filter(({ amount }) => amount !== 0).toSorted((a, b) => a.created - b.created)
  return movements.map((entry) => {
    if (entry.amount < 0) {
      withdrawalCount += 1
      return { entry, lineId: numberLine(id, withdrawalCount) }
    }
    returnCount += 1
    return { entry, lineId: numberLine(`${id}:reinstated`, returnCount), undoes: numberLine(id, withdrawalCount) }
  })
}

/** Selects a movement of a dispute: the newest in its direction, unless a balance entry is named. */
export interface DisputeMovementSelector {
  readonly isReinstated: boolean
  readonly entryId?: string
}

/** Returns the line of money taken by a dispute, or returned after it. Returned bank debits appear as disputes too. */
export async function disputeLine(
  { stripe }: StripeConnection,
  disputeId: string,
  { isReinstated, entryId }: DisputeMovementSelector,
): Promise<FoundLine> {
  const dispute = await stripe.disputes.retrieve(disputeId, { expand: ['payment_intent'] })
  const { reference, isBank } = readSubject(expandedObject(dispute.payment_intent))
  const movements = listMovements(dispute).filter(({ undoes }) => (undoes !== undefined) === isReinstated)
  const movement = movements.find(({ entry }) => entry.id === entryId) ?? movements.at(-1)
  if (!movement) return undefined
  const { entry, lineId, undoes } = movement
  // Without a balance in the disputed currency, the whole disputed amount counts.
  const amount = entry.currency === dispute.currency ? Math.abs(entry.amount) : dispute.amount // not money: Stripe's number
  const lineFacts = { amount, currency: dispute.currency, reference, occurredAt: fromUnixSeconds(entry.created) }
  if (undoes !== undefined) return buildLine(lineId, 'chargeback_reversal', { ...lineFacts, undoes })
  return buildLine(lineId, isBank ? 'debit_return' : 'chargeback', lineFacts)
}

/** Returns the line of a successful charge. Its id is that of its payment intent, as in events and lookups. */
export function chargeLine(charge: Stripe.Charge, at: Date): FoundLine {
  const id = readId(charge.payment_intent)
  // Debits are booked when ordered, and reversed if they fail.
  if (charge.status !== 'succeeded' || id === undefined) return undefined
  return buildLine(id, charge.metadata.method === 'bank' ? 'debit' : 'capture', {
    ...charge,
    reference: charge.metadata.payment_id ?? null,
    occurredAt: at,
  })
}
