import type { DataCategory } from '@tern/contract/privacy/privacy'

/** A table with data about people, and how the rows of one person are read: `$1` is that person. */
export interface ReadableTable {
  readonly table: string
  readonly category: DataCategory
  /** The select list of an export: no secrets, and of other people only what the person sees of them anyway. */
  readonly columns: string
  /** From `from` on. */
  readonly rows: string
  /** The time of a row, as an expression. */
  readonly since?: string
  /** Files of an export have the table's name unless given: several tables of one kind, or one in two parts. */
  readonly file?: string
}

/** A table with data about people that is in no export, and why. */
export interface UnreadTable {
  readonly table: string
  readonly category: DataCategory
  /**
   * `secret`: who had it could act as the person. `derived`: made from exported tables, to find their rows sooner.
   * `counted`: a count under a keyed hash, which nobody can turn back into a person. `passing`: what one act needs, for
   * minutes. `elsewhere`: about somebody who has left. `untold`: of what the law may forbid to tell; the person reads as much as may
   * be told (`/checks`).
   */
  readonly unread: 'secret' | 'derived' | 'counted' | 'passing' | 'elsewhere' | 'untold'
}

export type HeldTable = ReadableTable | UnreadTable

export const isReadable = (held: HeldTable): held is ReadableTable => !('unread' in held)

/** Minor units of a column as a decimal, exact up to 18 places. */
export const amountSql = (minor: string, currency: string, name: string): string =>
  `round(${minor}::numeric(60, 18) / (10::numeric ^ (select scale from ledger.currency where code = ${currency})),
     (select scale from ledger.currency where code = ${currency}))::text as ${name}`

/** US dollars from cents. */
export const dollarSql = (minor: string, name: string): string => `round(${minor}::numeric / 100, 2)::text as ${name}`
