// Types of a feature's table manifest: rights, retention, and personal data.

import type { DataCategory } from '@tern/contract/privacy/privacy'
import type { Seal } from '../seal.ts'
import type { Tx } from './db.ts'

/** Tables by name; tables of the ledger include their schema. */
export type Tables = Readonly<Record<string, Table>>

export interface Table {
  /** Rights granted to the application's role, as in GRANT. */
  readonly rights: string
  /** Comma-separated columns that cannot be updated; all others can. */
  readonly fixed?: string
  /** Personal data in the table; `none` for the product's own settings, rates and books, and for operators' work. */
  readonly personal: ReadableRows | UnreadableRows | 'none'
  /** Undefined for rows that are kept permanently. */
  readonly retention?: Retention
  /** Statements that delete or end the rows of a closed account; `$1` is the person and `$2`, if used, the time. */
  readonly erasure?: readonly string[]
  /** Columns sealed under TERN_SECRET. */
  readonly sealed?: readonly SealedValues[]
  /** Columns protected by row seals, as in the schema's `seal_table`. */
  readonly facts?: SealedFacts
}

/** For money and its history, which only definer functions write. */
export const readOnly = 'select'
export const appendOnly = 'select, insert'
export const undeletable = 'select, insert, update'
export const allPrivileges = 'select, insert, update, delete'
/** Columns with the key, hash and time of a request. */
export const requestColumns = 'idempotency_key, request_hash, created_at'

/** Rows that a person can see in the overview and the export. `$1` is the person. */
export interface ReadableRows {
  readonly category: DataCategory
  /**
   * Select list of the export, without secrets. Data about other people is limited to what the person can see
   * elsewhere.
   */
  readonly columns: string
  /** SQL from `from` on; by default the rows with the person's `user_id`. */
  readonly rows?: string
  /** Time of a row, as an expression. */
  readonly since?: string
  /** File name in an export; the table's name by default. */
  readonly file?: string
}

/** Rows about people that are in no export. */
export interface UnreadableRows {
  readonly category: DataCategory
  /**
   * `secret`: could be used to act as the person. `derived`: computed from exported tables. `counted`: a count under a
   * keyed hash that identifies no person. `passing`: needed for minutes, for one action. `elsewhere`: about people
   * whose accounts are closed. `untold`: the law may forbid disclosure; the person sees what may be disclosed
   * (`/checks`).
   */
  readonly unread: 'secret' | 'derived' | 'counted' | 'passing' | 'elsewhere' | 'untold'
}

export interface Retention {
  readonly days: number
  /** Clock that dates the rows. `product`: adjustable in a sandbox. `real`: the clock of sign-in data. */
  readonly clock: 'product' | 'real'
  /** Condition for a row dated before `$1`. */
  readonly isOld?: string
  /** Statement that deletes at most `$2` rows dated before `$1`, instead of `isOld`. */
  readonly statement?: string
}

export interface SealedValues {
  readonly column: string
  /** Primary key, in whose order the rows are processed, and its type. */
  readonly key: string
  readonly keyType: string
  /** Purpose given to `createSeal`. */
  readonly purpose: string
  /** Context of each value, as an SQL expression over the row. */
  readonly context: string
  /** True if resealed last: the product cannot start without these values, so all others stay readable until then. */
  readonly isLast?: boolean
  /** Recomputes other values that depend on the secret, in the transaction that reseals a row. */
  readonly rehash?: (tx: Tx, seal: Seal, row: { readonly key: unknown; readonly text: string }) => Promise<void>
}

export interface SealedFacts {
  /** Name of these rows in reports. */
  readonly rows: string
  /** Columns of the primary key, by which a seal finds its row. */
  readonly keys: string
  /** Sealed columns, in the order of `seal_table`. */
  readonly columns: string
}

/** SQL that converts the minor units in a column to a decimal, exact up to 18 places. */
export const amountSql = (minor: string, currency: string, name: string): string =>
  `round(${minor}::numeric(60, 18) / (10::numeric ^ (select scale from ledger.currency where code = ${currency})),
     (select scale from ledger.currency where code = ${currency}))::text as ${name}`

/** SQL that converts cents to US dollars. */
export const dollarSql = (minor: string, name: string): string => `round(${minor}::numeric / 100, 2)::text as ${name}`
