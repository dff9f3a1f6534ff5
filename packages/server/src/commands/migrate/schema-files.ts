// SQL files of the schema: the baseline of version 0.1.0 with one file per feature, then the migrations of later
// versions. packages/server/migrations/README.md explains how to write one.

import assert from 'node:assert'
import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ledgerSchema } from '@tern/ledger/schema'
import { features } from '../../features/list.ts'

export const migrationsFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url))

const sources = new URL('../../', import.meta.url)

export interface SchemaFile {
  /** Name recorded in the database. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the text, in hexadecimal. */
  readonly checksum: string
}

export interface Migration extends SchemaFile {
  /** True if the program of the previous version can run on the migrated database. */
  readonly isCompatible: boolean
  /** Index statements to run one by one outside a transaction; undefined for a migration that runs inside one. */
  readonly indexStatements: readonly IndexStatement[] | undefined
}

export interface IndexStatement {
  readonly sql: string
  readonly index: string
}

/** Returns the baseline's files in order of application. */
export function listBaseline(): Promise<SchemaFile[]> {
  const files: [string, URL][] = [
    ['ledger', ledgerSchema],
    ['platform', new URL('platform/schema.sql', sources)],
    ...features.map((name): [string, URL] => [name, new URL(`features/${name}/schema.sql`, sources)]),
  ]
  return Promise.all(files.map(([name, file]) => readSchemaFile(`baseline/${name}`, file)))
}

export async function listMigrations(folder: string): Promise<Migration[]> {
  const names = (await fs.readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  for (const [index, name] of names.entries()) {
    const before = names[index - 1] ?? ''
    assert(name.slice(0, 3) !== before.slice(0, 3), `${name} has the number of ${before}: each number is used once`)
  }
  return Promise.all(names.map(async (name) => parseMigration(await readSchemaFile(name, `${folder}/${name}`))))
}

async function readSchemaFile(name: string, file: string | URL): Promise<SchemaFile> {
  // Git may check files out with other line endings.
  const sql = (await fs.readFile(file, 'utf8')).replaceAll('\r\n', '\n')
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}

function parseMigration(file: SchemaFile): Migration {
  const { name, sql } = file
  assert(/^\d{3}-[a-z0-9-]+\.sql$/.test(name), `${name}: a migration is named like 001-add-something.sql`)
  const marks = new Set(/^(?:--.*\n)*/.exec(sql)?.[0].match(/(?<=^-- )(?:compatible|breaking|no transaction)$/gm))
  const isCompatible = marks.has('compatible')
  assert(isCompatible !== marks.has('breaking'), `${name}: its head says either "-- compatible" or "-- breaking"`)
  return { ...file, isCompatible, indexStatements: marks.has('no transaction') ? parseIndexes(file) : undefined }
}

const indexStatement =
  /^(?:create (?:unique )?index concurrently if not exists|drop index concurrently if exists) (\w+(?:\.\w+)?)\b/

function parseIndexes({ name, sql }: SchemaFile): IndexStatement[] {
  return sql
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      const index = indexStatement.exec(statement)?.[1]
      assert(
        index !== undefined,
        `${name}: without a transaction, only "create index concurrently if not exists" and "drop index concurrently if exists" run`,
      )
      return { sql: statement, index }
    })
}
