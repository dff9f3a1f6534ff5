import type { Stripe } from 'stripe'
import type { UnknownOutcome } from '../outcome.ts'
import {
  callStripe,
  expandedObject,
  fromStripeAmount,
  fromUnixSeconds,
  type StripeConnection,
} from '../stripe-connection.ts'
import type { IssuerWarning } from './port.ts'

type FoundWarning = { status: 'found'; warning: IssuerWarning | undefined } | UnknownOutcome

/** Codes of ours are lower case with underscores; Stripe's are, too, and new ones may come. */
const toCode = (text: string): string => (/^[a-z_]{1,60}$/.test(text) ? text : 'other')

/** Returns the current state of a fraud report by the card's issuer, before any dispute. */
export const lookupFraudWarning = (connection: StripeConnection, id: string): Promise<FoundWarning> =>
  callStripe(connection, async () => {
    const found = await connection.stripe.radar.earlyFraudWarnings.retrieve(id, {
      expand: ['payment_intent', 'charge'],
    })
    const { actionable, created, fraud_type: reason } = found
    const payment = expandedObject(found.payment_intent)
    const charge = expandedObject(found.charge)
    const amount = fromStripeAmount(payment?.amount ?? charge?.amount, payment?.currency ?? charge?.currency)
    if (!amount) return { status: 'found', warning: undefined }
    const reference = payment?.metadata.payment_id ?? charge?.metadata.payment_id ?? null
    return {
      status: 'found',
      warning: {
        id,
        kind: 'early_fraud_warning',
        reference,
        amount,
        reason: toCode(reason),
        isOpen: actionable,
        warnedAt: fromUnixSeconds(created),
        respondBy: undefined,
      },
    }
  })

const openStatuses: ReadonlySet<string> = new Set([
  'warning_needs_response',
  'warning_under_review',
  'needs_response',
  'under_review',
  'appeal_needs_response',
  'appeal_under_review',
])

/** Returns the current state of a dispute. An inquiry (`warning_…`) has moved no money, and may become a dispute. */
export const lookupDispute = (connection: StripeConnection, id: string): Promise<FoundWarning> =>
  callStripe(connection, async () => {
    const dispute = await connection.stripe.disputes.retrieve(id, { expand: ['payment_intent'] })
    const amount = fromStripeAmount(dispute.amount, dispute.currency)
    if (!amount) return { status: 'found', warning: undefined }
    return { status: 'found', warning: toWarning(dispute, amount) }
  })

function toWarning(dispute: Stripe.Dispute, amount: IssuerWarning['amount']): IssuerWarning {
  const { id, status, reason, created, payment_intent: payment, evidence_details: evidence } = dispute
  const dueBy = evidence?.due_by
  const needsResponse = status.endsWith('needs_response')
  return {
    id,
    kind: status.startsWith('warning_') ? 'inquiry' : 'dispute',
    reference: expandedObject(payment)?.metadata.payment_id ?? null,
    amount,
    reason: toCode(reason),
    isOpen: openStatuses.has(status),
    warnedAt: fromUnixSeconds(created),
    respondBy: needsResponse && dueBy ? fromUnixSeconds(dueBy) : undefined,
  }
}
