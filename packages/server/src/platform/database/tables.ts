// A table's row in the manifest of its feature: who may write it, how long its rows stay, what it holds about people.

import type { DataCategory } from '@tern/contract/privacy/privacy'
import type { Seal } from '../seal.ts'
import type { Tx } from './db.ts'

/** By table name; tables of the ledger with their schema. */
export type Tables = Readonly<Record<string, Table>>

export interface Table {
  /** Rights of the application's role, as GRANT lists them. */
  readonly rights: string
  /** Columns that stay as inserted, separated by commas: all others may be updated. */
  readonly fixed?: string
  /** Data about people; `none` for the product's own settings, rates and books, and for operators' work. */
  readonly personal: Readable | Unreadable | 'none'
  /** Without it, rows stay for good. */
  readonly retention?: Retention
  /** Statements that delete or end a leaver's rows; `$1` is the person and `$2`, where used, the time. */
  readonly erasure?: readonly string[]
  /** Columns whose values are sealed under TERN_SECRET. */
  readonly sealed?: readonly SealedValues[]
  /** Facts under row seals, as `seal_table` names them in the schema. */
  readonly facts?: SealedFacts
}

/** Append-only or written by definer functions: money and its history. */
export const readOnly = 'select'
export const appendOnly = 'select, insert'
export const neverDeleted = 'select, insert, update'
export const everything = 'select, insert, update, delete'
/** Content and time of a request. */
export const orderColumns = 'idempotency_key, request_hash, created_at'

/** Rows that a person can read, in the overview and the export. `$1` is that person. */
export interface Readable {
  readonly category: DataCategory
  /** Select list of an export: no secrets, and of other people only what the person sees of them anyway. */
  readonly columns: string
  /** From `from` on; by default the rows with the person's `user_id`. */
  readonly rows?: string
  /** Time of a row, as an expression. */
  readonly since?: string
  /** Name of the file in an export; by default the table's name. */
  readonly file?: string
}

/** Rows about people that are in no export. */
export interface Unreadable {
  readonly category: DataCategory
  /**
   * `secret`: could be used to act as the person. `derived`: made from exported tables. `counted`: a count under a keyed
   * hash that leads back to no person. `passing`: needed by one act, for minutes. `elsewhere`: about people who have left.
   * `untold`: the law may forbid disclosure; the person reads as much as may be disclosed (`/checks`).
   */
  readonly unread: 'secret' | 'derived' | 'counted' | 'passing' | 'elsewhere' | 'untold'
}

export interface Retention {
  /** Days to keep a row after its time. */
  readonly days: number
  /** `product`: the clock that dates the rows, movable in a sandbox. `real`: dates sign-in data. */
  readonly clock: 'product' | 'real'
  /** Condition of a row dated before `$1`. */
  readonly isOld?: string
  /** Instead of `isOld`: deletes at most `$2` rows dated before `$1`. */
  readonly statement?: string
}

export interface SealedValues {
  readonly column: string
  /** Primary key, in whose order the rows are taken, and its type. */
  readonly key: string
  readonly keyType: string
  /** Purpose given to `createSeal`. */
  readonly purpose: string
  /** Context that each value is bound to, as an SQL expression over its row. */
  readonly context: string
  /** Resealed last: nothing starts without these, so everything else is readable until then. */
  readonly isLast?: boolean
  /** Recomputes what else depends on the secret, in the transaction that reseals a row. */
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

/** Minor units of a column as a decimal, exact up to 18 places. */
export const amountSql = (minor: string, currency: string, name: string): string =>
  `round(${minor}::numeric(60, 18) / (10::numeric ^ (select scale from ledger.currency where code = ${currency})),
     (select scale from ledger.currency where code = ${currency}))::text as ${name}`

/** US dollars from cents. */
export const dollarSql = (minor: string, name: string): string => `round(${minor}::numeric / 100, 2)::text as ${name}`
