import { readReference } from '../adyen-card-reference.ts'
import { readDate, readText } from '../json.ts'
import type { AdyenItem } from './adyen-item.ts'
import type { IssuerWarning } from './port.ts'

/** Kind of warning and its state after an event, by the event's code. */
const warnings = {
  NOTIFICATION_OF_FRAUD: { kind: 'early_fraud_warning', isOver: false },
  REQUEST_FOR_INFORMATION: { kind: 'inquiry', isOver: false },
  NOTIFICATION_OF_CHARGEBACK: { kind: 'dispute', isOver: false },
  DISPUTE_OPENED_WITH_CHARGEBACK: { kind: 'dispute', isOver: false },
  CHARGEBACK: { kind: 'dispute', isOver: false },
  INFORMATION_SUPPLIED: { kind: 'dispute', isOver: false },
  CHARGEBACK_REVERSED: { kind: 'dispute', isOver: true },
  SECOND_CHARGEBACK: { kind: 'dispute', isOver: true },
  DISPUTE_DEFENSE_PERIOD_ENDED: { kind: 'dispute', isOver: true },
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: { kind: 'dispute', isOver: true },
  PREARBITRATION_WON: { kind: 'dispute', isOver: true },
  PREARBITRATION_LOST: { kind: 'dispute', isOver: true },
} as const satisfies Record<string, { readonly kind: IssuerWarning['kind']; readonly isOver: boolean }>

type DisputeCode = keyof typeof warnings

export const adyenDisputeCodes = Object.keys(warnings) as readonly DisputeCode[]

const isDisputeCode = (code: string): code is DisputeCode => Object.hasOwn(warnings, code)

/** Statuses of disputes about which nothing can be done any more. */
const finalStatuses: ReadonlySet<string> = new Set(['Accepted', 'Expired', 'Lost', 'Responded', 'Unresponded', 'Won'])

/** Visa's and Mastercard's reason codes for fraud. */
const fraudReason = /^(10\.\d|4837|4849|4863|4870|4871)$/

/** Reads the warning that an event is about. All events of a dispute have its id. */
export function readDisputeWarning(item: AdyenItem): IssuerWarning | undefined {
  const { code, pspReference: id, paymentReference: captureId, amount, at: warnedAt, additional } = item
  if (!isDisputeCode(code)) return undefined
  const { kind, isOver } = warnings[code]
  const isInquiry = kind === 'dispute' && readText(additional, 'chargebackReasonCode') === undefined
  const reasonCode = readText(additional, 'chargebackReasonCode') ?? readText(additional, 'rfiReasonCode') ?? ''
  const isFraud = kind === 'early_fraud_warning' || fraudReason.test(reasonCode)
  const isOpen = !isOver && !finalStatuses.has(readText(additional, 'disputeStatus') ?? '')
  return {
    id,
    kind: isInquiry && readText(additional, 'rfiReasonCode') !== undefined ? 'inquiry' : kind,
    reference: readReference(item.merchantReference).paymentId,
    captureId,
    amount,
    reason: isFraud ? 'fraudulent' : 'other',
    isOpen,
    opensOnce: true,
    warnedAt,
    // Evidence that has been supplied cannot be given again.
    respondBy:
      isOpen && code !== 'INFORMATION_SUPPLIED' && additional ? readDate(additional, 'defensePeriodEndsAt') : undefined,
  }
}
