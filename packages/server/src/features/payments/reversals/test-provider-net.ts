// Oracle of what a provider's reports about one payment come to in its payer's wallet. Amounts are minor units.

/** What came at the provider, and what the wallet got for it. */
export interface Came {
  readonly came: bigint
  readonly got: bigint
}

/** How a payment stands after some reports. */
export interface Standing {
  /** Taken back at the provider, less what was given again. */
  readonly taken: bigint
  readonly balance: bigint
  /** Taken back from a wallet that did not have it, and not repaid. */
  readonly owed: bigint
}

/** Share of the wallet's amount that an amount at the provider stands for: rounded up. */
const shareOf = ({ came, got }: Came, minor: bigint): bigint => (got * minor + came - 1n) / came

/** What is left of the payment: below zero where more was taken back than came. */
export const netOf = (payment: Came, { taken }: Standing): bigint => payment.got - shareOf(payment, taken)

/** Takes an amount back: from the wallet, and what it lacks is owed. */
export function take(payment: Came, { taken, balance, owed }: Standing, minor: bigint): Standing {
  const due = shareOf(payment, taken + minor) - shareOf(payment, taken)
  const given = due < balance ? due : balance
  return { taken: taken + minor, balance: balance - given, owed: owed + due - given }
}

/** Gives an amount again: what is owed is repaid first. */
export function give(payment: Came, { taken, balance, owed }: Standing, minor: bigint): Standing {
  const due = shareOf(payment, taken) - shareOf(payment, taken - minor)
  const repaid = due < owed ? due : owed
  return { taken: taken - minor, balance: balance + due - repaid, owed: owed - repaid }
}
