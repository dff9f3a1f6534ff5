import type { Stripe } from 'stripe'
import { readOutbound, deriveReturnId } from '../payout/stripe.ts'
import {
  callStripe,
  fromUnixSeconds,
  fromStripeAmount,
  readId,
  type StripeConnection,
  expandedObject,
} from '../stripe-connection.ts'
import type { LineKind, ReportLine, ReportProvider } from './port.ts'

/** Line in Stripe's books; undefined if none of our money moved. */
export type FoundLine = ReportLine | undefined

/** Returns the subject of a refund or dispute: our payment, and whether a card or a bank account paid it. */
const readSubject = (intent: Stripe.PaymentIntent | undefined) => ({
  reference: intent?.metadata.payment_id ?? null,
  isBank: intent?.metadata.method === 'bank',
})

function buildLine(
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
function chargeLine(charge: Stripe.Charge, at: Date): FoundLine {
  const id = readId(charge.payment_intent)
  // Debits are booked when ordered, and reversed if they fail.
  if (charge.status !== 'succeeded' || id === undefined) return undefined
  return buildLine(id, charge.metadata.method === 'bank' ? 'debit' : 'capture', {
    ...charge,
    reference: charge.metadata.payment_id ?? null,
    occurredAt: at,
  })
}

/** Types of Stripe balance entries about our payments; fees and transfers are excluded. */
const entryTypes = ['charge', 'payment', 'refund', 'payment_refund', 'refund_failure', 'adjustment'] as const

/** Returns the line for an entry of Stripe's balance. */
async function buildEntryLine(connection: StripeConnection, entry: Stripe.BalanceTransaction): Promise<FoundLine> {
  const at = fromUnixSeconds(entry.created)
  const source = expandedObject(entry.source)
  if (source?.object === 'charge') return chargeLine(source, at)
  if (source?.object === 'refund') {
    return refundLine(connection, source.id, { hasFailed: entry.type === 'refund_failure', at })
  }
  if (source?.object === 'dispute')
    return disputeLine(connection, source.id, { isReinstated: entry.amount > 0, entryId: entry.id })
  return undefined
}

/** Maximum age of an outbound payment when it posts or returns. */
const outboundLifeMs = 90 * 24 * 3600 * 1000

async function outboundLines({ stripe, financialAccount }: StripeConnection, from: Date): Promise<FoundLine[]> {
  const lines: FoundLine[] = []
  if (financialAccount === undefined) return lines
  // Listed newest first.
  for await (const payment of stripe.v2.moneyManagement.outboundPayments.list({ limit: 100 })) {
    if (new Date(payment.created).getTime() < from.getTime() - outboundLifeMs) break
    const reference = payment.metadata?.payout_id ?? null
    const lineFacts = { amount: payment.amount.value, currency: payment.amount.currency, reference }
    const { posted_at: postedAt, returned_at: returnedAt } = payment.status_transitions ?? {}
    if (payment.from.financial_account !== financialAccount || postedAt === undefined) continue
    lines.push(buildLine(payment.id, 'payout', { ...lineFacts, occurredAt: new Date(postedAt) }))
    if (returnedAt !== undefined && readOutbound(payment)?.status === 'returned') {
      lines.push(
        buildLine(deriveReturnId(payment), 'payout_return', { ...lineFacts, occurredAt: new Date(returnedAt) }),
      )
    }
  }
  return lines
}

/** Stripe's balance, and the payments from our financial account there. */
export function createStripeReportProvider(connection: StripeConnection): ReportProvider {
  const { balanceTransactions } = connection.stripe
  return {
    lines: (from, until) =>
      callStripe(connection, async () => {
        const created = { gte: Math.floor(from.getTime() / 1000), lte: Math.ceil(until.getTime() / 1000) }
        const lines = await outboundLines(connection, from)
        for (const type of entryTypes) {
          const entries = balanceTransactions.list({ type, created, limit: 100, expand: ['data.source'] })
          for await (const entry of entries) lines.push(await buildEntryLine(connection, entry))
        }
        const reportLines = lines.filter((line) => line !== undefined)
        const within = reportLines.filter(({ occurredAt }) => occurredAt >= from && occurredAt < until)
        within.sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime())
        return { status: 'known', lines: within }
      }),
  }
}
