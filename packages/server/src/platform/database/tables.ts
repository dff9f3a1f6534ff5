// Manifest of a feature's tables: rights, retention, and data about people.

import type { DataCategory } from '@tern/contract/privacy/privacy'
import type { Seal } from '../seal.ts'
import type { Tx } from './db.ts'

/** Tables by name; tables of the ledger include their schema. */
export type Tables = Readonly<Record<string, Table>>

export interface Table {
  /** Rights of the application's role, as in GRANT. */
  readonly rights: string
  /** Comma-separated columns that stay as inserted; all others may be updated. */
  readonly fixed?: string
  /** Data about people; `none` for the product's own settings, rates and books, and for operators' work. */
  readonly personal: ReadableRows | UnreadableRows | 'none'
  /** Absent for rows that are kept permanently. */
  readonly retention?: Retention
  /** Statements that delete or end the rows of a closed account; `$1` is the person and `$2`, if used, the time. */
  readonly erasure?: readonly string[]
  /** Columns sealed under TERN_SECRET. */
  readonly sealed?: readonly SealedValues[]
  /** Facts under row seals, as `seal_table` names them in the schema. */
  readonly facts?: SealedFacts
}

/** Append-only or written by definer functions: money and its history. */
export const readOnly = 'select'
export const appendOnly = 'select, insert'
export const undeletable = 'select, insert, update'
export const allPrivileges = 'select, insert, update, delete'
/** Columns with the content and time of a request. */
export const orderColumns = 'idempotency_key, request_hash, created_at'

/** Rows a person can read, in the overview and the export. `$1` is that person. */
export interface ReadableRows {
  readonly category: DataCategory
  /**
   * Select list of an export, without secrets; of other people it has only data that the person can see elsewhere too.
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
   * `secret`: could be used to act as the person. `derived`: made from exported tables. `counted`: a count under a
   * keyed hash that identifies no person. `passing`: needed by one act, for minutes. `elsewhere`: about people who have
   * left. `untold`: the law may forbid disclosure; the person sees as much as may be disclosed (`/checks`).
   */
  readonly unread: 'secret' | 'derived' | 'counted' | 'passing' | 'elsewhere' | 'untold'
}

export interface Retention {
  readonly days: number
  /** `product`: the clock that dates the rows, adjustable in a sandbox. `real`: the clock of sign-in data. */
  readonly clock: 'product' | 'real'
  /** Condition of a row dated before `$1`. */
  readonly isOld?: string
  /** Instead of `isOld`: deletes at most `$2` rows dated before `$1`. */
  readonly statement?: string
}

export interface SealedValues {
  readonly column: string
  /** Primary key, in whose order the rows are processed, and its type. */
  readonly key: string
  readonly keyType: string
  /** Purpose given to `createSeal`. */
  readonly purpose: string
  /** Context of each value, as an SQL expression over its row. */
  readonly context: string
  /** Resealed last: nothing starts without these, so everything else stays readable until then. */
  readonly isLast?: boolean
  /** Recomputes other values that depend on the secret, in the transaction that reseals a row. */
  readonly rehash?: (tx: Tx, seal: Seal, row: { readonly key: unknown; readonly text: string }) => Promise<void>
}

export interface SealedFacts {
  /** Name of the rows in reports. */
  readonly rows: string
  /** Columns of the primary key, by which a seal finds its row. */
  readonly keys: string
  /** Columns under seal, in the order of `seal_table`. */
  readonly columns: string
}

/** SQL for the minor units of a column as a decimal, exact up to 18 places. */
export const amountSql = (minor: string, currency: string, name: string): string =>
  `round(${minor}::numeric(60, 18) / (10::numeric ^ (select scale from ledger.currency where code = ${currency})),
     (select scale from ledger.currency where code = ${currency}))::text as ${name}`

/** SQL for US dollars from cents. */
export const dollarSql = (minor: string, name: string): string => `round(${minor}::numeric / 100, 2)::text as ${name}`
