import { tables } from '../../features/list.ts'
import type { SealedFacts, SealedValues } from '../../platform/database/tables.ts'

export interface SealedColumn extends SealedValues {
  readonly table: string
}

const columns = Object.entries(tables).flatMap(([table, { sealed = [] }]) =>
  sealed.map((values): SealedColumn => ({ table, ...values })),
)

/** Every column that TERN_SECRET seals, in the order in which they are resealed. */
export const sealedColumns: readonly SealedColumn[] = [
  ...columns.filter(({ isLast }) => isLast !== true),
  ...columns.filter(({ isLast }) => isLast === true),
]

export interface SealedTable extends SealedFacts {
  readonly table: string
}

/** Every table under row seals, in report order. */
export const sealedTables: readonly SealedTable[] = Object.entries(tables).flatMap(([table, { facts }]) =>
  facts ? [{ table, ...facts }] : [],
)

/** Splits a list of column names. */
export const splitColumns = (list: string): string[] => list.split(',').map((column) => column.trim())
