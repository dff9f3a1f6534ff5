import type { Db } from '../../../../platform/database/db.ts'
import type { ScreeningContext } from '../../context.ts'
import { toListedName } from '../names/listed-name.ts'
import { currentEpoch } from '../store/epochs.ts'
import { collectNames, type NameIndex } from './name-index.ts'
import type { ScreeningEntryRow, ScreeningNameRow } from '../../row-types.ts'

export interface ListedNames {
  readonly epochKey: string
  readonly index: NameIndex
}

const batchRows = 2000

async function readIndex(db: Db): Promise<NameIndex> {
  const collector = collectNames()
  for (let afterId = 0n; ;) {
    const { rows } = await db.query<Pick<ScreeningNameRow, 'id' | 'name'> & Pick<ScreeningEntryRow, 'kind'>>({
      name: 'screening_names',
      text: `select n.id, n.name, e.kind from screening_name n join screening_entry e on e.id = n.entry_id
              where n.id > $1 and e.ended_version is null order by n.id limit ${batchRows}`,
      values: [afterId],
    })
    for (const { id, name, kind } of rows) collector.add(id, toListedName(name, kind), kind)
    const last = rows.at(-1)
    if (rows.length < batchRows || !last) return collector.build()
    afterId = last.id
  }
}

/** Reads all listed names. Repeats if an import changed the lists meanwhile, so that versions are never mixed. */
async function readListedNames(db: Db): Promise<ListedNames> {
  for (let epochBefore = await currentEpoch(db); ;) {
    const index = await readIndex(db)
    const epochAfter = await currentEpoch(db)
    if (epochAfter.key === epochBefore.key) return { epochKey: epochAfter.key, index }
    epochBefore = epochAfter
  }
}

/** Listed names in memory, and a pending read of newer ones. */
export interface ListedNamesMemory {
  names: ListedNames | undefined
  pendingRead: Promise<void> | undefined
}

export const emptyListedNames = (): ListedNamesMemory => ({ names: undefined, pendingRead: undefined })

async function refresh(memory: ListedNamesMemory, db: Db): Promise<void> {
  try {
    memory.names = await readListedNames(db)
  } finally {
    memory.pendingRead = undefined
  }
}

/**
 * Returns the names of the lists in force. Queries the epoch on every call, and reads the names again after an import
 * by any process. Throws database errors rather than use outdated names.
 */
export async function currentNames(
  { listedNames: memory }: Pick<ScreeningContext, 'listedNames'>,
  db: Db,
): Promise<ListedNames> {
  for (;;) {
    const { key } = await currentEpoch(db)
    if (memory.names?.epochKey === key) return memory.names
    if (memory.pendingRead) {
      // If the concurrent read fails, its own caller gets the error and this call reads again.
      await memory.pendingRead.catch(() => {})
    } else {
      memory.pendingRead = refresh(memory, db)
      await memory.pendingRead
    }
  }
}
