/** A payment, debit or payout on the control page. */
export interface ControlEntry<Action extends string> {
  id: string
  status: string
  /** In the currency's minor units. */
  amount_minor: string
  currency: string
  /** The product's payment or payout. */
  reference: string
  /** What it uses, such as a bank's name. */
  about: string
  /** By the sandbox clock, ISO 8601 in UTC. */
  created_at: string
  /** Next automatic step by the sandbox clock, if any. */
  due_at: string | null
  /** Currently possible actions. */
  actions: readonly Action[]
}

/** Manual control of one kind. */
export interface ControlTarget<Action extends string> {
  /** Newest first, at most `limit`. */
  list(limit: number): ControlEntry<Action>[]
  /** Processes what is due and wakes the webhooks. Runs after every clock move. */
  executeDue(): void
}

export type DebitAction = 'settle' | 'fail' | 'return'

/**
 * Manual control of bank debits. Each action returns what the product's GET then answers, does nothing if already so,
 * and throws ApiError 404 for an unknown id and 409 when it is too late.
 */
export interface Debits extends ControlTarget<DebitAction> {
  settle(id: string): object
  fail(id: string): object
  /** Returns a paid debit, as a `debit_return` line. */
  return(id: string): object
}

export type PayoutAction = 'pay' | 'fail' | 'return'

/** Manual control of payouts; actions as in `Debits`. */
export interface Payouts extends ControlTarget<PayoutAction> {
  pay(id: string): object
  fail(id: string): object
  /** Returns a paid payout, as a `payout_return` line. */
  return(id: string): object
}

export type PaymentAction = 'settle' | 'fail' | 'refund' | 'dispute' | 'win_dispute'

/** Manual control of card payments; actions as in `Debits`. */
export interface CardPayments extends ControlTarget<PaymentAction> {
  settle(id: string): object
  fail(id: string): object
  refund(id: string): object
  dispute(id: string): object
  win_dispute(id: string): object
}
