/** An audit rule. Each query is one statement, to see a consistent state. */
export interface Rule {
  readonly name: string
  /** Counts, in column `count`, what the rule covers. */
  readonly scope: string
  /** Returns violations, described in column `subject`. */
  readonly broken: string
  /** JSON for `$1` of both queries. */
  readonly expected?: unknown
}
