/** A payment, debit or payout as the control page lists it. */
export interface ControlEntry<Action extends string> {
  id: string
  status: string
  /** In the currency's smallest unit. */
  amount_minor: string
  currency: string
  /** The product's payment or payout. */
  reference: string
  /** A few words on what it is paid with or to, such as a bank's name. */
  about: string
  /** By the sandbox's clock, as ISO 8601 text in UTC. */
  created_at: string
  /** When something will happen by itself, by the sandbox's clock; null when nothing will. */
  due_at: string | null
  /** What may be done with it now. */
  actions: readonly Action[]
}

/** What every kind of thing that people steer by hand can do. */
export interface ControlTarget<Action extends string> {
  /** The newest first, at most `limit`. */
  list(limit: number): ControlEntry<Action>[]
  /** Does what has fallen due by the sandbox's clock and wakes the webhooks. Runs after every move of the clock. */
  carryOutDue(): void
}

export type DebitAction = 'settle' | 'fail' | 'return'

/**
 * Bank debits, steered by hand. Each action gives what the product's GET answers after it, does nothing when that is so
 * already, and throws ApiError 404 for an unknown id and 409 when the debit is past it.
 */
export interface Debits extends ControlTarget<DebitAction> {
  settle(id: string): object
  fail(id: string): object
  /** Gives a debit that had been paid back, as a line of the kind `debit_return`. */
  return(id: string): object
}

export type PayoutAction = 'pay' | 'fail' | 'return'

/** Payouts, steered by hand; the actions answer and refuse as those of `Debits`. */
export interface Payouts extends ControlTarget<PayoutAction> {
  pay(id: string): object
  fail(id: string): object
  /** Brings a payout that had arrived back, as a line of the kind `payout_return`. */
  return(id: string): object
}

export type PaymentAction = 'settle' | 'fail' | 'refund' | 'dispute' | 'win_dispute'

/** Card payments, steered by hand; the actions answer and refuse as those of `Debits`. */
export interface CardPayments extends ControlTarget<PaymentAction> {
  settle(id: string): object
  fail(id: string): object
  refund(id: string): object
  dispute(id: string): object
  win_dispute(id: string): object
}
