/** Audit rule. Each of its queries is one statement and so sees a consistent state. */
export interface AuditRule {
  readonly name: string
  /** Query for the number of checked items, in column `count`. */
  readonly scope: string
  /** Query for the violations, in column `subject`. */
  readonly broken: string
  /** JSON for `$1` of both queries. */
  readonly expected?: unknown
}
