/** A payment, debit or payout on the control page. */
export interface ControlEntry {
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
  actions: readonly string[]
}

/** Manual control of one kind. */
export interface ControlTarget {
  /** Newest first, at most `limit`. */
  list(limit: number): ControlEntry[]
  /**
   * Returns what the product's GET then answers, and does nothing if already so. Throws ApiError 404 for an unknown id
   * or action, and 409 when it is too late.
   */
  act(id: string, action: string): object
}

export type ControlTargets = Readonly<Record<'payments' | 'debits' | 'payouts', ControlTarget>>
