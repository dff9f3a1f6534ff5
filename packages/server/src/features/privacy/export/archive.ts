import type { DataCategory } from '@tern/contract/privacy/privacy'
import { strToU8, Zip, ZipDeflate } from 'fflate'
import type pg from 'pg'
import { type ReadableTable, readableTables } from '../held/held-tables.ts'
import { type ExportFormat, type ExportRow, fileText } from './rows-as-files.ts'

/** File whose rows another feature has read, such as decrypted data. */
export interface RowsFile {
  readonly category: DataCategory
  readonly file: string
  readonly rows: readonly ExportRow[]
}

interface ArchiveOptions {
  readonly pool: pg.Pool
  readonly read: readonly RowsFile[]
}

const rowsPerFetch = 500

/** Streams a ZIP archive of everything held about a user. */
export async function* streamArchive(
  options: ArchiveOptions,
  userId: bigint,
  format: ExportFormat,
): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    chunks.push(piece)
  })
  const takeChunks = () => {
    const pieces = chunks
    chunks = []
    return pieces
  }
  for await (const { name, text } of streamFiles(options, userId, format)) {
    const entry = new ZipDeflate(name)
    zip.add(entry)
    for await (const part of text) {
      entry.push(strToU8(part))
      yield* takeChunks()
    }
    entry.push(new Uint8Array(), true)
    yield* takeChunks()
  }
  zip.end()
  yield* takeChunks()
}

interface NamedText {
  readonly name: string
  readonly text: AsyncIterable<string>
}

async function* streamFiles({ pool, read }: ArchiveOptions, userId: bigint, format: ExportFormat) {
  const buildFileName = (category: string, file: string) => `${category}/${file}.${format}`
  // Not `transact`, which cannot yield rows one by one.
  const client = await pool.connect()
  let streamError: Error | undefined
  try {
    await client.query('begin isolation level repeatable read read only')
    for (const table of readableTables) {
      const name = buildFileName(table.category, table.file ?? table.table)
      yield { name, text: streamTable(client, table, { userId, format }) } satisfies NamedText
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      streamError = failure
    })
    throw error
  } finally {
    client.release(streamError)
  }
  for (const { category, file, rows } of read) {
    yield { name: buildFileName(category, file), text: streamRows(rows, format) } satisfies NamedText
  }
}

async function* streamTable(
  client: pg.PoolClient,
  { columns, rows, since }: ReadableTable,
  { userId, format }: { userId: bigint; format: ExportFormat },
): AsyncGenerator<string> {
  const file = fileText(format)
  const order = since === undefined ? '' : ` order by ${since}`
  await client.query(`declare held no scroll cursor for select ${columns} ${rows}${order}`, [userId])
  for (let isFirst = true; ; isFirst = false) {
    const { rows: read, fields } = await client.query<ExportRow>(`fetch ${rowsPerFetch} from held`)
    const names = fields.map(({ name }) => name)
    const begin = isFirst ? file.begin(names) : ''
    yield begin + read.map((row) => file.row(names, row)).join('')
    if (read.length < rowsPerFetch) break
  }
  await client.query('close held')
  yield file.end
}

async function* streamRows(rows: readonly ExportRow[], format: ExportFormat): AsyncGenerator<string> {
  const file = fileText(format)
  const names = Object.keys(rows[0] ?? {})
  yield file.begin(names) + rows.map((row) => file.row(names, row)).join('') + file.end
}
