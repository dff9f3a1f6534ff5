// Runs an SQL script statement by statement and formats its output like psql.

import pg from 'pg'

/** Runs `script` on its own connection; returns its statements, each followed by its rows or its error. */
export async function runExample(databaseUrl: string, script: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`set timezone = 'UTC'`)
    const parts: string[] = []
    for (const statement of splitStatements(script)) {
      parts.push(`${statement}\n${await runStatement(client, statement)}\n`)
    }
    return parts.join('\n')
  } finally {
    await client.end()
  }
}

/** Splits after each line that ends in a semicolon; preceding comments stay with their statement. */
function splitStatements(script: string): string[] {
  return script.trim().split(/(?<=;)\n+/)
}

async function runStatement(client: pg.Client, statement: string): Promise<string> {
  const textTypes = { getTypeParser: () => String }
  try {
    const result = await client.query<string[]>({ text: statement, rowMode: 'array', types: textTypes })
    if (result.fields.length > 0) return formatTable(result)
    return `${result.command}${result.command === 'INSERT' ? ' 0' : ''} ${result.rowCount ?? 0}`
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    return `ERROR:  ${error.message}`
  }
}

/** Type ids of bigint, smallint, integer and numeric, which are right-aligned. */
const numberTypes = new Set([20, 21, 23, 1700])

function formatTable({ fields, rows }: pg.QueryArrayResult<(string | null)[]>): string {
  const columns = fields.map(({ name, dataTypeID }, index) => {
    const width = Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0))
    return { name, width, isNumber: numberTypes.has(dataTypeID) }
  })
  const joinCells = (cells: string[]) => ` ${cells.join(' | ')}`.trimEnd()
  return [
    joinCells(columns.map(({ name, width }) => centerText(name, width))),
    columns.map(({ width }) => '-'.repeat(width + 2)).join('+'),
    ...rows.map((row) =>
      joinCells(columns.map(({ width, isNumber }, index) => padCell(row[index] ?? '', width, isNumber))),
    ),
    `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`,
  ].join('\n')
}

// not money: spaces
const centerText = (text: string, width: number) => text.padStart(Math.floor((width + text.length) / 2)).padEnd(width)

const padCell = (text: string, width: number, isNumber: boolean) =>
  isNumber ? text.padStart(width) : text.padEnd(width)
