import type pg from 'pg'
import { type SealedTable, sealedTables, splitColumns } from './sealed-columns.ts'

export interface Acceptance {
  /** Table and key as the audit names them, separated by a space. */
  readonly row: string
  readonly by: string
  readonly because: string
}

/**
 * Seals a row as it is now, after it was changed or removed outside this program, and records who accepts it and why.
 * The pool must connect as the schema's owner, with a row seal key. Returns a sentence for the operator, and whether
 * the row was accepted.
 */
export async function acceptRow(
  pool: pg.Pool,
  { row, by, because }: Acceptance,
): Promise<{ done: boolean; text: string }> {
  const [name = '', ...rest] = row.trim().split(/\s+/)
  const key = rest.join(' ')
  const table: SealedTable | undefined = sealedTables.find((each) => each.table === name)
  if (!table || key === '') {
    return {
      done: false,
      text: `Name one of ${sealedTables.map((each) => each.table).join(', ')}, and the key of a row.`,
    }
  }
  const { rows } = await pool.query<{ accepted: boolean }>('select accept_row($1, $2, $3, $4, $5, $6) as accepted', [
    name,
    key,
    splitColumns(table.keys),
    splitColumns(table.columns),
    by,
    because,
  ])
  return rows[0]?.accepted === true
    ? { done: true, text: `${name} ${key} is accepted as it is, by ${by}: ${because}` }
    : { done: false, text: `${name} ${key} is as its seal says, or there is no such row.` }
}
