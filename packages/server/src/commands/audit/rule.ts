/** One rule of the audit. Both queries are a single statement each, so that each sees one moment of the database. */
export interface Rule {
  readonly name: string
  /** A query that counts, in column `count`, what the rule was applied to. */
  readonly scope: string
  /** A query with a row, in column `subject`, for everything that breaks the rule. */
  readonly broken: string
  /** What both queries compare the database with, as JSON: their parameter `$1`. */
  readonly expected?: unknown
}
