// Generates docs/schema.md from a database with the current schema: one diagram per feature.

import assert from 'node:assert'
import type pg from 'pg'
import { tableNames } from '../../packages/server/src/features/list.ts'
import {
  listBaseline,
  listMigrations,
  migrationsFolder,
} from '../../packages/server/src/commands/migrate/schema-files.ts'

const introduction = `# Schema

One diagram per feature, generated from the schema: its tables with the columns of their keys, and
the tables of other features that they refer to, as empty boxes. A solid line is a foreign key, a
dotted one a reference that the writing function checks. Every column is in the feature's
\`schema.sql\` or in the named migration, and \`node tools/run.mjs tools/schema.ts\` prints the whole.

After a change to the schema, rewrite this page and each feature's \`row-types.ts\`:

    npx vitest run --project integration schema-diagram row-types --update
`

interface Table {
  readonly name: string
  /** Columns of primary and foreign keys, in table order. */
  readonly columns: readonly { name: string; type: string; isPrimary: boolean; isForeign: boolean }[]
}

interface Reference {
  readonly from: string
  readonly columns: string
  readonly to: string
  /** The referenced row has at most one referencing row. */
  readonly isUnique: boolean
  readonly isOptional: boolean
}

// Excludes the table in which `tern migrate` records applied migrations.
const tablesSql = `
  select n.nspname || '.' || c.relname as name,
      coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null),
        'isPrimary', k.is_primary, 'isForeign', k.is_foreign) order by a.attnum) filter (where k.is_primary or k.is_foreign),
        '[]') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join lateral (
      select coalesce(bool_or(contype = 'p'), false) as is_primary, coalesce(bool_or(contype = 'f'), false) as is_foreign
        from pg_constraint where conrelid = c.oid and a.attnum = any (conkey)) k
   where c.relkind = 'r' and n.nspname in ('ledger', 'public') and c.relname <> 'schema_migration'
   group by 1 order by 1`

const referencesSql = `
  select f.conrelid::regclass::text as from, f.confrelid::regclass::text as to,
      (select string_agg(a.attname, ', ' order by array_position(f.conkey, a.attnum)) from pg_attribute a
        where a.attrelid = f.conrelid and a.attnum = any (f.conkey)) as columns,
      exists (select from pg_index x where x.indrelid = f.conrelid and x.indisunique and x.indpred is null
        and x.indkey::int2[] <@ f.conkey) as "isUnique",
      exists (select from pg_attribute a where a.attrelid = f.conrelid and a.attnum = any (f.conkey)
        and not a.attnotnull) as "isOptional"
    from pg_constraint f join pg_namespace n on n.oid = f.connamespace
   where f.contype = 'f' and n.nspname in ('ledger', 'public') order by 1, 3, 2`

/** References that the writing functions check; as foreign keys they would double the cost of a movement. */
const checkedReferences: readonly Reference[] = [
  { from: 'ledger.account', columns: 'stripe_of', to: 'ledger.account', isUnique: false, isOptional: true },
  { from: 'ledger.entry', columns: 'account_id', to: 'ledger.account', isUnique: false, isOptional: false },
  { from: 'ledger.entry', columns: 'posting_id', to: 'ledger.posting', isUnique: false, isOptional: false },
  { from: 'ledger.token', columns: 'posting_id', to: 'ledger.posting', isUnique: true, isOptional: true },
]

/** Returns the diagrams of a migrated database as Markdown. Throws if a table is in no feature's file. */
export async function drawSchema(db: pg.Pool): Promise<string> {
  const client = await db.connect()
  try {
    // Makes PostgreSQL print names with their schema.
    await client.query('set search_path = pg_catalog')
    const { rows: tables } = await client.query<Table>(tablesSql)
    const { rows: references } = await client.query<Reference>(referencesSql)
    const files = await listTablesOfFiles()
    const listedTables = new Set(files.flatMap((file) => file.tables))
    for (const { name } of tables) assert(listedTables.has(name), `${name} is in no file of a feature`)
    const sections = files.map((file) => {
      const fileTables = tables.filter(({ name }) => file.tables.includes(name))
      const links = [file.path, ...file.migrations].map((path) => `[${path.replace(/.*\//, '')}](../${path})`)
      return `## ${file.title}\n\n${links.join(', ')}\n\n${drawTables(fileTables, references)}`
    })
    return [introduction, ...sections].join('\n')
  } finally {
    client.release(true)
  }
}

/** Returns the schema files, each with its feature as `title`, and the tables of that feature with their migrations. */
export async function listTablesOfFiles() {
  const migrations = await listMigrations(migrationsFolder)
  return (await listBaseline()).map(({ name, sql }) => {
    const feature = name.replace('baseline/', '')
    const isOwn = (table: string) => tableNames[feature]?.includes(table.replace(/^public\./, '')) === true
    const ownMigrations = migrations.flatMap((file) => {
      const tables = listCreatedTables(file.sql).filter(isOwn)
      return tables.length > 0 ? [{ path: `packages/server/migrations/${file.name}`, tables }] : []
    })
    return {
      title: feature,
      path: folders[feature] ?? `packages/server/src/features/${feature}/schema.sql`,
      migrations: ownMigrations.map(({ path }) => path),
      tables: [...listCreatedTables(sql), ...ownMigrations.flatMap(({ tables }) => tables)],
    }
  })
}

const listCreatedTables = (sql: string): string[] =>
  [...sql.matchAll(/^create (?:unlogged )?table (?:if not exists )?([\w.]+)/gm)].map(([, table = '']) =>
    table.includes('.') ? table : `public.${table}`,
  )

const folders: Readonly<Record<string, string>> = {
  ledger: 'packages/ledger/schema.sql',
  platform: 'packages/server/src/platform/schema.sql',
}

function drawTables(tables: readonly Table[], references: readonly Reference[]): string {
  const isWithinDiagram = ({ from }: Reference) => tables.some(({ name }) => name === from)
  const keys = references.filter(isWithinDiagram)
  const checkedLinks = checkedReferences.filter(isWithinDiagram)
  const connectedTables = new Set([...keys, ...checkedLinks].flatMap(({ from, to }) => [from, to]))
  const lines = [
    'direction LR',
    ...tables.filter(({ name }) => connectedTables.has(name)).flatMap(drawTable),
    ...keys.map((reference) => drawReference(reference, '--')),
    ...checkedLinks.map((reference) => drawReference(reference, '..')),
  ]
  const picture = ['```mermaid', 'erDiagram', ...lines.map((line) => `  ${line}`), '```', '']
  const unlistedTables = tables
    .filter(({ name }) => !connectedTables.has(name))
    .map(({ name }) => `- \`${name.replace(/^public\./, '')}\``)
  const list = ['Tables without references:', '', ...unlistedTables, '']
  return [connectedTables.size > 0 ? picture : [], unlistedTables.length > 0 ? list : []].flat().join('\n')
}

const nameOf = (table: string) => `"${table.replace(/^public\./, '')}"`

function drawTable({ name, columns }: Table): string[] {
  if (columns.length === 0) return [nameOf(name)]
  const lines = columns.map((column) => {
    const keys = [column.isPrimary && 'PK', column.isForeign && 'FK'].filter((key) => key !== false)
    return `  ${shortTypes[column.type] ?? column.type} ${column.name} ${keys.join(', ')}`
  })
  return [`${nameOf(name)} {`, ...lines, '}']
}

const shortTypes: Readonly<Record<string, string>> = {
  'timestamp with time zone': 'timestamptz',
  'character varying': 'varchar',
}

function drawReference({ from, columns, to, isUnique, isOptional }: Reference, line: string): string {
  return `${nameOf(from)} ${isUnique ? '|o' : '}o'}${line}${isOptional ? 'o|' : '||'} ${nameOf(to)} : "${columns}"`
}
