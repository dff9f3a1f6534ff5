/** Payment, debit or payout on the control page. */
export interface ControlEntry {
  id: string
  status: string
  /** In the currency's minor units. */
  amount_minor: string
  currency: string
  /** The product's payment or payout id. */
  reference: string
  /** Card, bank or similar that it uses. */
  about: string
  /** By the sandbox clock, ISO 8601 in UTC. */
  created_at: string
  /** Time of the next automatic step, by the sandbox clock. */
  due_at: string | null
  actions: readonly string[]
}

/** Manual control of payments, debits or payouts. */
export interface ControlTarget {
  /** Newest first, at most `limit`. */
  list(limit: number): ControlEntry[]
  /**
   * Performs an action and returns the response to the product's GET; no effect if already done. Throws ApiError 404
   * for an unknown id or action, and 409 when it is too late.
   */
  execute(id: string, action: string): object
}

export type ControlTargets = Readonly<Record<'payments' | 'debits' | 'payouts', ControlTarget>>
