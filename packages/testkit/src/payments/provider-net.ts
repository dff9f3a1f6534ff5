// Oracle for the effect of a provider's reports about one payment on the payer's wallet. All amounts are in minor
// units.

/** Amount received by the provider and amount credited to the wallet. */
export interface PaymentAmounts {
  readonly receivedMinor: bigint
  readonly creditedMinor: bigint
}

/** State of a payment after some reports. */
export interface PaymentState {
  /** Amount reversed at the provider, net of returns. */
  readonly reversed: bigint
  readonly balance: bigint
  /** Amount reversed beyond the wallet's balance, and not repaid yet. */
  readonly debt: bigint
}

/** Returns the share of the credited amount that corresponds to an amount at the provider, rounded up. */
const computeShare = ({ receivedMinor, creditedMinor }: PaymentAmounts, minor: bigint): bigint =>
  (creditedMinor * minor + receivedMinor - 1n) / receivedMinor

/** Returns the net amount of the payment; negative if more was reversed than received. */
export const computeNet = (payment: PaymentAmounts, { reversed }: PaymentState): bigint =>
  payment.creditedMinor - computeShare(payment, reversed)

/** Debits a reversed amount from the wallet; the shortfall is owed. */
export function debitReversal(
  payment: PaymentAmounts,
  { reversed, balance, debt }: PaymentState,
  minor: bigint,
): PaymentState {
  const change = computeShare(payment, reversed + minor) - computeShare(payment, reversed)
  const debited = change < balance ? change : balance
  return { reversed: reversed + minor, balance: balance - debited, debt: debt + change - debited }
}

/** Returns an amount to the wallet, after the repayment of the debt. */
export function creditReturn(
  payment: PaymentAmounts,
  { reversed, balance, debt }: PaymentState,
  minor: bigint,
): PaymentState {
  const change = computeShare(payment, reversed) - computeShare(payment, reversed - minor)
  const repayment = change < debt ? change : debt
  return { reversed: reversed - minor, balance: balance + change - repayment, debt: debt - repayment }
}
