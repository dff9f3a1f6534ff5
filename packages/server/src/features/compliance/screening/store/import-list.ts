import { createHash } from 'node:crypto'
import type pg from 'pg'
import { transact, type Tx } from '../../../../platform/database/db.ts'
import { insertRow } from '../../../../platform/database/rows.ts'
import type { ScreeningContext } from '../../context.ts'
import { beginEpoch, hasListGap, lockLists } from './epochs.ts'
import { insertNames } from './stored-names.ts'
import { hashContent, type ListEntry, ListFileError, type ListSource } from '../lists/entry.ts'
import { type FoundList, type ListFile, readListFiles } from '../lists/read-files.ts'
import type { ScreeningEntryRow, ScreeningListRow } from '../../row-types.ts'

/** Result of an import, with the numbers of entries that were added, changed and removed. */
export interface ImportResult {
  readonly source: ListSource
  readonly version: number
  readonly entries: number
  readonly added: number
  readonly changed: number
  readonly ended: number
  /** Sentences for the operator about skipped data. */
  readonly notes: readonly string[]
}

type StoredEntry = Pick<ScreeningEntryRow, 'id' | 'reference' | 'content_hash'> & { readonly is_ended: boolean }

const batchRows = 1000

/** Returns the hash of the files' contents; their order does not matter. */
function hashFiles(files: readonly ListFile[]): string {
  const hashes = files.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
  return hashes.length === 1 ? (hashes[0] ?? '') : createHash('sha256').update(hashes.toSorted().join()).digest('hex')
}

type ListVersion = Pick<ScreeningListRow, 'version' | 'sha256' | 'entries' | 'published_at'>

async function findListInForce(tx: Tx, source: ListSource): Promise<ListVersion | undefined> {
  const { rows } = await tx.query<ListVersion>(
    `select version, sha256, entries, published_at from screening_list where source = $1 order by version desc limit 1`,
    [source],
  )
  return rows[0]
}

/** Throws ListFileError if the files are older than the list in force or lack too many of its entries. */
async function assertPlausible(
  tx: Tx,
  { list }: FoundList,
  previousVersion: ListVersion,
  vanishedCount: number,
): Promise<void> {
  const { source, publishedAt } = list
  if (publishedAt && previousVersion.published_at && publishedAt < previousVersion.published_at) {
    const [newDate, previousDate] = [publishedAt, previousVersion.published_at].map((date) =>
      date.toISOString().slice(0, 10),
    )
    throw new ListFileError(
      `${source}: these files are of ${newDate}, older than the list in force (${previousDate}). Nothing was changed; --force takes them anyway.`,
    )
  }
  const { rows } = await tx.query<{ percent: number }>(
    'select max_vanished_percent as percent from screening_policy where source = $1',
    [source],
  )
  const percent = rows[0]?.percent ?? 0
  if (vanishedCount * 100 > previousVersion.entries * percent) {
    throw new ListFileError(
      `${source}: ${vanishedCount} of ${previousVersion.entries} entries would vanish, more than ${percent} %. Nothing was changed; --force takes it anyway.`,
    )
  }
}

/** Stores new, changed and returning entries, and replaces their names. */
async function storeEntries(tx: Tx, source: ListSource, version: number, entries: readonly ListEntry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += batchRows) {
    const batch = entries.slice(from, from + batchRows)
    const { rows } = await tx.query<Pick<ScreeningEntryRow, 'id' | 'reference'>>(
      `insert into screening_entry (source, reference, kind, programme, birth_dates, countries, content_hash, first_version, changed_version)
         select $1, e.reference, e.kind, e.programme, e.birth_dates, e.countries, e.content_hash, $2, $2
           from jsonb_to_recordset($3) as e (reference text, kind text, programme text, birth_dates text[], countries text[], content_hash text)
       on conflict (source, reference) do update set kind = excluded.kind, programme = excluded.programme,
         birth_dates = excluded.birth_dates, countries = excluded.countries, content_hash = excluded.content_hash,
         changed_version = $2, ended_version = null
       returning id, reference`,
      [
        source,
        version,
        JSON.stringify(
          batch.map((entry) => ({
            ...entry,
            names: undefined,
            birth_dates: entry.birthDates,
            content_hash: hashContent(entry),
          })),
        ),
      ],
    )
    const ids = new Map(rows.map(({ id, reference }) => [reference, id]))
    await tx.query('delete from screening_name where entry_id = any($1)', [[...ids.values()]])
    await insertNames(
      tx,
      batch.flatMap(({ reference, names }) => names.map((name) => ({ ...name, entryId: ids.get(reference) ?? '' }))),
    )
  }
}

/**
 * Puts a list in force in one transaction. Entries that it lacks are marked as ended, and everyone becomes due for
 * screening. If the files are unchanged, only the time of the last check is updated. Throws ListFileError if the list
 * is older than the one in force or lacks too many of its entries, unless `force`.
 */
export function importList(
  ctx: Pick<ScreeningContext, 'now'>,
  pool: pg.Pool,
  { foundList, force = false }: { readonly foundList: FoundList; readonly force?: boolean },
): Promise<ImportResult> {
  const now = ctx.now()
  const { source, entries, publishedAt, notes = [] } = foundList.list
  const sha256 = hashFiles(foundList.files)
  return transact(pool, async (tx) => {
    await lockLists(tx)
    const previousVersion = await findListInForce(tx, source)
    if (previousVersion?.sha256 === sha256) {
      await tx.query('update screening_list set checked_at = $3 where source = $1 and version = $2', [
        source,
        previousVersion.version,
        now,
      ])
      return {
        source,
        version: previousVersion.version,
        entries: previousVersion.entries,
        added: 0,
        changed: 0,
        ended: 0,
        notes,
      }
    }
    const { rows } = await tx.query<StoredEntry>(
      `select id, reference, content_hash, ended_version is not null as is_ended from screening_entry where source = $1`,
      [source],
    )
    const knownEntries = new Map(rows.map((row) => [row.reference, row]))
    const listReferences = new Set(entries.map(({ reference }) => reference))
    const removedEntries = rows.filter(({ reference, is_ended: isEnded }) => !isEnded && !listReferences.has(reference))
    if (previousVersion && !force) await assertPlausible(tx, foundList, previousVersion, removedEntries.length)
    const version = (previousVersion?.version ?? 0) + 1
    const isNew = ({ reference }: ListEntry) => knownEntries.get(reference)?.is_ended ?? true
    const isChanged = (entry: ListEntry) => knownEntries.get(entry.reference)?.content_hash !== hashContent(entry)
    const newEntries = entries.filter(isNew)
    const changed = entries.filter((entry) => !isNew(entry) && isChanged(entry))
    const names = foundList.files.map(({ name }) => name)
    const endsGap = await hasListGap(tx, now)
    await insertRow(tx, 'screening_list', {
      source,
      version,
      sha256,
      files: names,
      entries: entries.length,
      published_at: publishedAt,
      imported_at: now,
      checked_at: now,
    })
    await storeEntries(tx, source, version, [...newEntries, ...changed])
    const ids = removedEntries.map(({ id }) => id)
    await tx.query('update screening_entry set ended_version = $1 where id = any($2)', [version, ids])
    await beginEpoch(tx, { cause: 'import', endsGap, at: now })
    const counts = { added: newEntries.length, changed: changed.length, ended: removedEntries.length }
    return { source, version, entries: entries.length, ...counts, notes }
  })
}

/**
 * Imports all lists in these files, each in a transaction of its own. Throws ListFileError for damaged or unknown files
 * before any change. `force` accepts a list that is older than the one in force, or lacks many entries or its aliases.
 */
export async function importLists(
  ctx: Pick<ScreeningContext, 'now'>,
  pool: pg.Pool,
  { files, force = false }: { readonly files: readonly ListFile[]; readonly force?: boolean | undefined },
): Promise<ImportResult[]> {
  const results: ImportResult[] = []
  for (const foundList of readListFiles(files, force)) results.push(await importList(ctx, pool, { foundList, force }))
  return results
}
