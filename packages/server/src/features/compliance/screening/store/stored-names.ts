import type { Tx } from '../../../../platform/database/db.ts'
import type { ListName } from '../lists/entry.ts'

const batchRows = 2000

export async function insertNames(tx: Tx, names: readonly (ListName & { readonly entryId: string })[]): Promise<void> {
  const rows = names.map(({ name, kind, entryId }) => ({ entry_id: entryId, name, kind }))
  for (let from = 0; from < rows.length; from += batchRows) {
    await tx.query(
      `insert into screening_name (entry_id, name, kind)
         select n.* from jsonb_to_recordset($1) as n (entry_id uuid, name text, kind text)`,
      [JSON.stringify(rows.slice(from, from + batchRows))],
    )
  }
}
