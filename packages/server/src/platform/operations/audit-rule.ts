/** Audit rule. Each of its queries is one statement and so sees a consistent state. */
export interface AuditRule {
  readonly name: string
  /** Query for the number of checked items, in column `count`. */
  readonly scope: string
  /** Query for the violations, in column `subject`. */
  readonly broken: string
  /** JSON for `$1` of both queries. */
  readonly expected?: unknown
  /**
   * Rows that an audit since a seal applies the rule to. `touched`, the default: those that new postings name, directly
   * or through others. `all`: all rows, as in a full audit. `none`: only a full audit applies the rule.
   */
  readonly sinceSeal?: 'touched' | 'all' | 'none'
}
