import type { DeskRole } from '@tern/contract/desk/roles'
import type { Tx } from '../../../platform/database/db.ts'
import { OperatorError } from '../../../platform/refuse.ts'

export class CannotManage extends OperatorError {}

export interface OperatorRow {
  readonly id: string
  readonly name: string
  readonly roles: readonly DeskRole[]
  readonly created_at: Date
  readonly disabled_at: Date | null
}

/** Locks an operator by name until the transaction ends. Throws CannotManage for an unknown or disabled name. */
export async function lockByName(tx: Tx, name: string): Promise<OperatorRow> {
  const { rows } = await tx.query<OperatorRow>('select * from desk_operator where lower(name) = lower($1) for update', [
    name,
  ])
  const [row] = rows
  if (!row) throw new CannotManage(`There is no operator called ${name}.`)
  if (row.disabled_at !== null) throw new CannotManage(`${row.name} is disabled.`)
  return row
}
