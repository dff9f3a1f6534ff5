/** Audit rule. Each query is one statement, which sees a consistent state. */
export interface AuditRule {
  readonly name: string
  /** Query that counts the checked items in column `count`. */
  readonly scope: string
  /** Query that returns violations in column `subject`. */
  readonly broken: string
  /** JSON for `$1` of both queries. */
  readonly expected?: unknown
}
