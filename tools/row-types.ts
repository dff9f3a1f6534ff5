// Generates a row-types.ts for each schema.sql from a database with the current schema: one interface per table, typed
// as the parsers in packages/server/src/platform/database/db.ts return its columns.

import assert from 'node:assert'
import type pg from 'pg'
import { listTablesOfFiles } from './docs/schema-diagram.ts'
import { contractTypes, type ContractType } from './row-contracts.ts'

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  /** The column is a foreign key to `ledger.currency`. */
  readonly isCurrency: boolean
  /** Definitions of the check constraints on this column alone, or on the one it refers to. */
  readonly checks: readonly string[]
}

const columnsSql = `
  select n.nspname || '.' || c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
      not a.attnotnull as "isNullable",
      exists (select from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and f.conkey = array[a.attnum]
        and f.confrelid = 'ledger.currency'::regclass) as "isCurrency",
      array(select pg_get_constraintdef(k.oid) from pg_constraint k
        where k.contype = 'c' and ((k.conrelid, k.conkey) = (c.oid, array[a.attnum]) or (k.conrelid, k.conkey) in (
          select f.confrelid, array[f.confkey[array_position(f.conkey, a.attnum)]] from pg_constraint f
           where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any (f.conkey)))
        order by k.conname) as checks
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relkind = 'r' and n.nspname in ('ledger', 'public') order by a.attnum`

const types: Readonly<Record<string, string>> = {
  bigint: 'bigint',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  integer: 'number',
  jsonb: 'unknown',
  numeric: 'bigint',
  smallint: 'number',
  text: 'string',
  'text[]': 'readonly string[]',
  'timestamp with time zone': 'Date',
  'timestamp with time zone[]': 'readonly Date[]',
  tsvector: 'string',
  uuid: 'string',
  xid8: 'string',
}

interface RowTypes {
  /** Relative to the project folder. */
  readonly path: string
  readonly text: string
}

/** Returns the row types of a migrated database, by file. */
export async function describeRows(db: pg.Pool): Promise<RowTypes[]> {
  const { rows: columns } = await db.query<Column>(columnsSql)
  for (const column of Object.keys(contractTypes)) {
    assert(
      columns.some((one) => nameOf(one) === column),
      `${column} is in tools/row-contracts.ts, but not in the schema`,
    )
  }
  return (await listTablesOfFiles())
    .filter(({ tables }) => tables.length > 0)
    .map((file) => ({
      path: file.path.replace('ledger/schema.sql', 'ledger/src/schema.sql').replace('schema.sql', 'row-types.ts'),
      text: describeFile(file.tables.map((table) => columns.filter((column) => column.table === table))),
    }))
}

const fileHeader = '// Generated from the schema by tools/row-types.ts, and compared with it by a test.\n'

function describeFile(tables: readonly (readonly Column[])[]): string {
  const imports = new Map<string, Set<string>>()
  for (const { type, from } of tables.flat().flatMap((column) => findContractType(column) ?? [])) {
    if (from !== undefined) imports.set(from, (imports.get(from) ?? new Set()).add(/[A-Z]\w*/.exec(type)?.[0] ?? type))
  }
  const importLines = [...imports].map(
    ([from, names]) => `import type { ${[...names].toSorted().join(', ')} } from '${from}'\n`,
  )
  return [
    fileHeader,
    ...(importLines.length > 0 ? [importLines.toSorted().join('')] : []),
    ...tables.map(describeTable),
  ].join('\n')
}

function describeTable(columns: readonly Column[]): string {
  const [first] = columns
  assert(first, 'a table has columns')
  return `export interface ${buildInterfaceName(first.table)} {\n${columns.map(describeColumn).join('')}}\n`
}

/** Returns a table's interface name, such as `AccountRow` for `ledger.account`. */
const buildInterfaceName = (table: string): string =>
  `${table.replace(/^\w+\./, '').replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Row`

const widestLine = 120

function describeColumn(column: Column): string {
  const alternatives = [...listAlternatives(column), ...(column.isNullable ? ['null'] : [])]
  const type = alternatives.includes('unknown') ? 'unknown' : alternatives.join(' | ')
  const line = `  readonly ${column.name}: ${type}\n`
  if (line.length <= widestLine) return line
  return `  readonly ${column.name}:\n${alternatives.map((alternative) => `    | ${alternative}\n`).join('')}`
}

function listAlternatives(column: Column): readonly string[] {
  const type = findContractType(column)?.type ?? types[column.type]
  assert(type !== undefined, `${nameOf(column)}: tools/row-types.ts has no type for ${column.type}`)
  const values = findContractType(column) ? undefined : listValues(column)
  if (!values) return [type]
  return column.type === 'text[]' ? [`readonly (${values.join(' | ')})[]`] : values
}

function findContractType(column: Column): ContractType | undefined {
  const isCurrency = column.isCurrency || /(?:^|_)currency$/.test(column.name)
  return (
    contractTypes[nameOf(column)] ?? (isCurrency ? { type: 'CurrencyCode', from: '@tern/money/currency' } : undefined)
  )
}

const nameOf = ({ table, name }: Column): string => `${table.replace(/^public\./, '')}.${name}`

const valueLists = [
  /^CHECK \(\(\w+ = ANY \(ARRAY\[(.+)\]\)\)\)$/,
  /^CHECK \(\(\w+ = ('\w+'::text)\)\)$/,
  /\w+ <@ ARRAY\[(.+?)\]/,
]

/** Returns the values that a check constraint permits, as literals. */
function listValues({ checks }: Column): string[] | undefined {
  const list = checks.flatMap((check) => valueLists.flatMap((pattern) => pattern.exec(check)?.[1] ?? [])).at(0)
  return list?.split(', ').map((value) => value.replace(/::text$/, ''))
}
