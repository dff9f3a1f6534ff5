import type { Tx } from '../../../platform/database/db.ts'
import { OperatorError } from '../../../platform/refuse.ts'
import type { DeskOperatorRow } from '../row-types.ts'

export class OperatorAccountError extends OperatorError {}

/**
 * Locks an operator by name until the transaction ends. Throws OperatorAccountError for an unknown or disabled name.
 */
export async function lockByName(tx: Tx, name: string): Promise<DeskOperatorRow> {
  const { rows } = await tx.query<DeskOperatorRow>(
    'select * from desk_operator where lower(name) = lower($1) for update',
    [name],
  )
  const [row] = rows
  if (!row) throw new OperatorAccountError(`There is no operator called ${name}.`)
  if (row.disabled_at !== null) throw new OperatorAccountError(`${row.name} is disabled.`)
  return row
}
