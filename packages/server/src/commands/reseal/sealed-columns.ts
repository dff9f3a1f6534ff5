import { tables } from '../../features/list.ts'
import type { SealedFacts, SealedValues } from '../../platform/database/tables.ts'

export interface SealedColumn extends SealedValues {
  readonly table: string
}

const columns = Object.entries(tables).flatMap(([table, { sealed = [] }]) =>
  sealed.map((values): SealedColumn => ({ table, ...values })),
)

/** Columns sealed under TERN_SECRET, in the order in which they are resealed. */
export const sealedColumns: readonly SealedColumn[] = [
  ...columns.filter(({ isLast }) => isLast !== true),
  ...columns.filter(({ isLast }) => isLast === true),
]

export interface SealedTable extends SealedFacts {
  readonly table: string
}

/** Tables with row seals, in report order. */
export const sealedTables: readonly SealedTable[] = Object.entries(tables).flatMap(([table, { facts }]) =>
  facts ? [{ table, ...facts }] : [],
)

export const splitColumns = (list: string): string[] => list.split(',').map((column) => column.trim())
