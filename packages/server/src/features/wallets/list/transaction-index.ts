import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import {
  findNextRange,
  lockPosition,
  type Position,
  storePosition,
} from '../../../platform/database/followed-changes.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { counterpartyLexeme, isCountedWord, listLexemes, extractWord } from './search-terms.ts'
import { type Facet, facetKey, toFacet, type ListedRow, listedColumns, transactionFromSql } from './listed-row.ts'
import type { TransactionIndexPersonRow, TransactionRenamedRow, TransactionSearchRow } from '../row-types.ts'

const rowsPerStep = 5000

/** Lists with more rows than this are read from the index. */
export const longList = 2000

type BatchResult = 'idle' | 'more'

/**
 * Indexes lists longer than `threshold` up to the latest commit, and resumes after an interruption. Only one of several
 * concurrent processes works; the others return at once.
 */
export async function indexTransactions(pool: pg.Pool, threshold = longList): Promise<void> {
  while ((await transact(pool, (tx) => indexStep(tx, threshold))) === 'more');
  while ((await transact(pool, buildStep)) === 'more');
  while ((await transact(pool, renameStep)) === 'more');
}

/** Locks the index and returns its position; undefined while another process works on it. */
async function lockIndex(tx: Tx): Promise<Position | undefined> {
  await tx.query('set local enable_seqscan = off')
  const position = await tx.query(`insert into transaction_index_position (position, cluster)
    select pg_snapshot_xmin(pg_current_snapshot()), system_identifier from pg_control_system() on conflict do nothing`)
  if (position.rowCount === 1) await deleteIndex(tx)
  const found = await lockPosition(tx, 'transaction_index_position')
  if (found?.isHere !== false) return found
  await tx.query('delete from transaction_index_position')
  return lockIndex(tx)
}

/** Clears the index, whose position is missing or, after a restore, belongs to another cluster. */
async function deleteIndex(tx: Tx): Promise<void> {
  await tx.query('delete from transaction_search')
  await tx.query('delete from transaction_facet')
  await tx.query('delete from transaction_word')
  await tx.query('update transaction_index_person set is_ready = false, built_from = null, built_to = null')
}

/** Indexes the next rows of indexed lists, in order of database transactions, and notices lists that became long. */
async function indexStep(tx: Tx, threshold: number): Promise<BatchResult> {
  const index = await lockIndex(tx)
  if (!index) return 'idle'
  const range = await findNextRange(tx, index, { table: 'transaction', atMost: rowsPerStep })
  if (!range) return 'idle'
  const { from, end } = range
  const { rows } = await tx.query<ListedRow>(
    `select ${listedColumns} ${transactionFromSql} join transaction_index_person p on p.user_id = t.user_id and p.is_ready
      where t.xid >= $1::xid8 and t.xid < $2::xid8`,
    [from, end],
  )
  await storeRows(tx, rows)
  await reindexNewlyKnown(tx, from, end)
  await tx.query(
    // Samples one row in 256, which suffices to notice long lists.
    `insert into transaction_index_person (user_id)
       select user_id from (
         select distinct user_id from transaction
          where xid >= $1::xid8 and xid < $2::xid8 and get_byte(uuid_send(id), 15) = 0) as sampled
        where exists (select from transaction t where t.user_id = sampled.user_id offset $3)
     on conflict do nothing`,
    [from, end, threshold],
  )
  await storePosition(tx, 'transaction_index_position', end)
  return 'more'
}

/** Reindexes earlier unfinished rows between two users whose first payment has arrived: they now show whole names. */
async function reindexNewlyKnown(tx: Tx, from: string, end: string): Promise<void> {
  const { rows } = await tx.query<ListedRow>(
    `with paid as materialized (
       select distinct user_id as one, recipient_id as other from transaction
        where xid >= $1::xid8 and xid < $2::xid8 and kind = 'SEND' and status = 'COMPLETED'
     ), newly as materialized (
       select one, other from paid where not exists (select from transaction before where before.kind = 'SEND'
          and before.status = 'COMPLETED' and before.user_id = one and before.recipient_id = other and before.xid < $1::xid8)
     ), unfinished as materialized (
       select distinct s.id, s.user_id, s.recipient_id
         from (select one, other from newly union select other, one from newly) as pair
         join transaction s on s.kind = 'SEND' and s.user_id = pair.one and s.recipient_id = pair.other
        where s.status <> 'COMPLETED'
     )
     select ${listedColumns} ${transactionFromSql} join unfinished s on s.id = t.id and t.user_id in (s.user_id, s.recipient_id)
       join transaction_index_person p on p.user_id = t.user_id and p.is_ready
      where t.xid < $1::xid8`,
    [from, end],
  )
  await storeRows(tx, rows)
}

/** Indexes the next rows of a list that became long; the last step adds changes made meanwhile. */
async function buildStep(tx: Tx): Promise<BatchResult> {
  const index = await lockIndex(tx)
  if (!index) return 'idle'
  const people = await tx.query<
    Pick<TransactionIndexPersonRow, 'user_id' | 'built_to'> & { readonly built_from: string }
  >(
    `update transaction_index_person set built_from = coalesce(built_from, $1::xid8)
      where user_id = (select user_id from transaction_index_person where not is_ready order by built_from, user_id limit 1)
     returning user_id, built_to, built_from::text`,
    [index.horizon],
  )
  const person = people.rows[0]
  if (!person) return 'idle'
  const { rows } = await tx.query<ListedRow>(
    `select ${listedColumns} ${transactionFromSql} where t.user_id = $1 and t.id > $2 order by t.id limit $3`,
    [person.user_id, person.built_to ?? '00000000-0000-0000-0000-000000000000', rowsPerStep],
  )
  await storeRows(tx, rows)
  const last = rows.at(-1)
  if (rows.length === rowsPerStep && last) {
    await tx.query('update transaction_index_person set built_to = $2 where user_id = $1', [person.user_id, last.id])
    return 'more'
  }
  const changed = await tx.query<ListedRow>(
    `select ${listedColumns} ${transactionFromSql} where t.user_id = $1 and t.xid >= $2::xid8`,
    [person.user_id, person.built_from],
  )
  await storeRows(tx, changed.rows)
  await tx.query('update transaction_index_person set is_ready = true where user_id = $1', [person.user_id])
  return 'more'
}

/** Reindexes the rows that name a renamed user. */
async function renameStep(tx: Tx): Promise<BatchResult> {
  if (!(await lockIndex(tx))) return 'idle'
  const renamedRows = await tx.query<TransactionRenamedRow>(
    `delete from transaction_renamed
      where user_id = (select user_id from transaction_renamed limit 1 for update skip locked) returning user_id`,
  )
  const userId = renamedRows.rows[0]?.user_id
  if (userId === undefined) return 'idle'
  const { rows } = await tx.query<RowKey>(
    'select user_id, id from transaction_search where terms @@ $1::tsquery order by user_id, id',
    [`'${counterpartyLexeme(userId)}'`],
  )
  for (let from = 0; from < rows.length; from += rowsPerStep) {
    const rowBatch = rows.slice(from, from + rowsPerStep)
    const named = await tx.query<ListedRow>(
      `select ${listedColumns} ${transactionFromSql} join unnest($1::bigint[], $2::uuid[]) as k (user_id, id)
          on k.user_id = t.user_id and k.id = t.id`,
      [rowBatch.map((row) => row.user_id), rowBatch.map((row) => row.id)],
    )
    const lexemes = named.rows.map((row) => listLexemes(row, row.other_id))
    await countWords(tx, named.rows, lexemes)
    await tx.query(
      `update transaction_search s set terms = array_to_tsvector(string_to_array(n.terms, ' ')), description = n.shown
         from unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[]) as n (user_id, id, terms, shown)
        where s.user_id = n.user_id and s.id = n.id`,
      [
        named.rows.map((row) => row.user_id),
        named.rows.map((row) => row.id),
        lexemes.map((listed) => listed.join(' ')),
        named.rows.map((row) => row.shown),
      ],
    )
  }
  return 'more'
}

/** Adds rows to the index, or replaces them, and updates facet counts. */
async function storeRows(tx: Tx, rows: readonly ListedRow[]): Promise<void> {
  if (rows.length === 0) return
  const facets = await numberFacets(tx, rows)
  const lexemes = rows.map((row) => listLexemes(row, row.other_id))
  const facetNumbers = rows.map((row) => facets.get(facetKey(row.user_id, toFacet(row))))
  await countWords(tx, rows, lexemes, facetNumbers)
  const column = <T>(value: (row: ListedRow) => T) => rows.map(value)
  await tx.query(
    `with given as (
       select * from unnest($1::bigint[], $2::uuid[], $3::int[], $4::numeric[], $5::text[], $6::text[])
         as r (user_id, id, facet, amount, description, terms)
     ), before as (
       select s.user_id, s.id, s.facet from given join transaction_search s on s.user_id = given.user_id and s.id = given.id
     ), put as (
       insert into transaction_search (user_id, id, facet, amount, description, terms)
         select user_id, id, facet, amount, description, array_to_tsvector(string_to_array(terms, ' ')) from given
       on conflict (user_id, id) do update
         set facet = excluded.facet, amount = excluded.amount, description = excluded.description, terms = excluded.terms
       returning user_id, facet
     ), change as (
       select user_id, facet, sum(step) as step
         from (select user_id, facet, 1 as step from put union all select user_id, facet, -1 from before) as steps
        group by user_id, facet
     )
     update transaction_facet f set row_count = f.row_count + change.step from change
      where f.user_id = change.user_id and f.facet = change.facet`,
    [
      column((row) => row.user_id),
      column((row) => row.id),
      facetNumbers,
      column((row) => row.amount),
      column((row) => row.shown),
      lexemes.map((listed) => listed.join(' ')),
    ],
  )
}

type RowKey = Pick<TransactionSearchRow, 'user_id' | 'id'>

interface ShownWordRow extends RowKey {
  readonly shown: string
}

interface WordChange {
  readonly userId: bigint
  readonly word: string
  readonly facet: number
  step: number
  first: string
  last: string
  /** Rank among the shown texts, like `lastRank`. */
  firstRank: number
  lastRank: number
}

/** Sorts texts like collation "C", and ranks them. */
function rankTexts(texts: readonly string[]): { sorted: readonly string[]; rankOf: ReadonlyMap<string, number> } {
  const sorted = [...new Set(texts)].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return { sorted, rankOf: new Map(sorted.map((text, rank) => [text, rank])) }
}

/** Updates word counts for rows to be indexed, less their previous words. Rows without a facet number keep theirs. */
async function countWords(
  tx: Tx,
  rows: readonly ShownWordRow[],
  lexemes: readonly (readonly string[])[],
  facets: readonly (number | undefined)[] = [],
): Promise<void> {
  const indexedTexts = await tx.query<ShownWordRow & { facet: number; lexemes: string[] }>(
    `select user_id, id, description as shown, facet, tsvector_to_array(terms) as lexemes from transaction_search
      where (user_id, id) in (select * from unnest($1::bigint[], $2::uuid[]))`,
    [rows.map((row) => row.user_id), rows.map((row) => row.id)],
  )
  const { sorted, rankOf } = rankTexts([...rows, ...indexedTexts.rows].map((row) => row.shown))
  const changes = new Map<string, WordChange>()
  const count = (row: ShownWordRow, listed: readonly string[], facet: number, step: number) => {
    const { user_id: userId, id } = row
    const rank = rankOf.get(row.shown) ?? 0
    for (const lexeme of listed) {
      const word = extractWord(lexeme)
      if (word === undefined || !isCountedWord(word)) continue
      const key = `${facet} ${lexeme}`
      const change = changes.get(key) ?? {
        userId,
        word,
        facet,
        step: 0,
        first: id,
        last: id,
        firstRank: rank,
        lastRank: rank,
      }
      change.step += step
      if (id < change.first) change.first = id
      if (id > change.last) change.last = id
      change.firstRank = Math.min(change.firstRank, rank)
      change.lastRank = Math.max(change.lastRank, rank)
      changes.set(key, change)
    }
  }
  const facetBefore = new Map(indexedTexts.rows.map(({ user_id: userId, id, facet }) => [`${userId} ${id}`, facet]))
  rows.forEach((row, index) => {
    const facet = facets[index] ?? facetBefore.get(`${row.user_id} ${row.id}`)
    if (facet !== undefined) count(row, lexemes[index] ?? [], facet, 1)
  })
  for (const row of indexedTexts.rows) count(row, row.lexemes, row.facet, -1)
  const changed = [...changes.values()]
  await tx.query(
    `insert into transaction_word as w
         (user_id, word, facet, row_count, first_id, last_id, first_description, last_description)
       select * from unnest($1::bigint[], $2::text[], $3::int[], $4::bigint[], $5::uuid[], $6::uuid[], $7::text[], $8::text[])
     on conflict (user_id, word, facet) do update set row_count = w.row_count + excluded.row_count,
         first_id = least(w.first_id, excluded.first_id), last_id = greatest(w.last_id, excluded.last_id),
         first_description = least(w.first_description, excluded.first_description),
         last_description = greatest(w.last_description, excluded.last_description)`,
    [
      changed.map((change) => change.userId),
      changed.map((change) => change.word),
      changed.map((change) => change.facet),
      changed.map((change) => change.step),
      changed.map((change) => change.first),
      changed.map((change) => change.last),
      changed.map((change) => sorted[change.firstRank]),
      changed.map((change) => sorted[change.lastRank]),
    ],
  )
}

/** Returns the facet numbers of rows; inserts missing facets. Requires the index lock. */
async function numberFacets(tx: Tx, rows: readonly ListedRow[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>()
  const highest = new Map<bigint, number>()
  const indexedRows = await tx.query<Facet & { user_id: bigint; facet: number }>(
    `select user_id, facet, kind, status, currency, second_currency as "secondCurrency" from transaction_facet
      where user_id = any($1)`,
    [[...new Set(rows.map((row) => row.user_id))]],
  )
  for (const row of indexedRows.rows) {
    numbers.set(facetKey(row.user_id, row), row.facet)
    highest.set(row.user_id, Math.max(highest.get(row.user_id) ?? 0, row.facet))
  }
  for (const row of rows) {
    const facet = toFacet(row)
    const key = facetKey(row.user_id, facet)
    if (numbers.has(key)) continue
    const number = (highest.get(row.user_id) ?? 0) + 1
    highest.set(row.user_id, number)
    numbers.set(key, number)
    const { kind, status, currency, secondCurrency: second_currency } = facet
    const facetRow = { user_id: row.user_id, facet: number, kind, status, currency, second_currency }
    await insertRow(tx, 'transaction_facet', facetRow)
  }
  return numbers
}
