/** Payment, debit or payout as listed on the control page. */
export interface ControlEntry {
  id: string
  status: string
  /** In the currency's minor units. */
  amount_minor: string
  currency: string
  /** Id of the product's payment or payout. */
  reference: string
  /** Description of the card or bank. */
  about: string
  /** By the sandbox clock, ISO 8601 in UTC. */
  created_at: string
  /** Time of the next automatic step by the sandbox clock; null if there is none. */
  due_at: string | null
  actions: readonly string[]
}

/** Payments, debits or payouts that can be controlled by hand. */
export interface ControlTarget {
  /** Returns at most `limit` entries, newest first. */
  list(limit: number): ControlEntry[]
  /**
   * Executes an action and returns the API's reply; no effect if it was executed before. Throws ApiError 404 for an
   * unknown id or action, and 409 if the action is no longer possible.
   */
  execute(id: string, action: string): object
}

export type ControlTargets = Readonly<Record<'payments' | 'debits' | 'payouts', ControlTarget>>
