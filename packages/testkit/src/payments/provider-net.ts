// Oracle for the effect of a provider's reports about one payment on the payer's wallet. Amounts are minor units.

/** Amount received by the provider and amount credited to the wallet. */
export interface Came {
  readonly came: bigint
  readonly got: bigint
}

/** State of a payment after some reports. */
export interface Standing {
  /** Amount reversed at the provider, net of returns. */
  readonly taken: bigint
  readonly balance: bigint
  /** Amount reversed that the wallet did not cover, and that was not repaid. */
  readonly owed: bigint
}

/** Share of the wallet's amount for an amount at the provider, rounded up. */
const computeShare = ({ came, got }: Came, minor: bigint): bigint => (got * minor + came - 1n) / came

/** Net amount of the payment; negative if more was reversed than received. */
export const computeNet = (payment: Came, { taken }: Standing): bigint => payment.got - computeShare(payment, taken)

/** Debits a reversed amount from the wallet; the shortfall is owed. */
export function take(payment: Came, { taken, balance, owed }: Standing, minor: bigint): Standing {
  const due = computeShare(payment, taken + minor) - computeShare(payment, taken)
  const given = due < balance ? due : balance
  return { taken: taken + minor, balance: balance - given, owed: owed + due - given }
}

/** Returns an amount to the wallet after repaying the debt. */
export function give(payment: Came, { taken, balance, owed }: Standing, minor: bigint): Standing {
  const due = computeShare(payment, taken) - computeShare(payment, taken - minor)
  const repaid = due < owed ? due : owed
  return { taken: taken - minor, balance: balance + due - repaid, owed: owed - repaid }
}
