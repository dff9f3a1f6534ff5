// Writes a resolution pack from the restored database, and has the second program add it up.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { parseDecimal } from '@tern/money/money'
import { isCurrencyCode } from '@tern/money/currency'
import { callTern } from '@tern/testkit/processes/call-tern'
import { packVerifierPath } from '@tern/testkit/python-verifier'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import pg from 'pg'

/** Returns a sentence for each fault. Expects that nothing is posted meanwhile. */
export async function checkPack(databaseUrl: string): Promise<string[]> {
  const folder = path.join(temporaryFolder(), `pack-${randomUUID()}`)
  const written = await callTern(
    { DATA_DIR: '/nowhere', DATABASE_URL: databaseUrl },
    'resolution-pack',
    '--out',
    folder,
  )
  if (written.code !== 0) return [`the resolution pack ended with ${written.code}: ${written.text}`]
  const added = await addUp(folder)
  const packed = readTotals(folder)
  const owed = await readOwed(databaseUrl)
  return [
    ...(added.includes('The pack adds up.') ? [] : [`the second program says of the pack: ${added}`]),
    ...(packed === owed ? [] : [`the pack says ${packed}, the ledger ${owed}`]),
  ]
}

const addUp = (folder: string) =>
  new Promise<string>((resolve) => {
    execFile('python3', [packVerifierPath, folder], (_, stdout, stderr) => resolve(stdout + stderr))
  })

/** Totals in minor units, such as `EUR 100, USD 4`. */
function readTotals(folder: string): string {
  const [head = '', ...lines] = fs
    .readFileSync(path.join(folder, 'totals.csv'), 'utf8')
    .replace('\ufeff', '')
    .trimEnd()
    .split('\r\n')
  const columns = head.split(',')
  const totals = lines.map((line) => {
    const cells = line.split(',').map((cell) => cell.replaceAll(/["']/g, ''))
    const currency = cells[columns.indexOf('currency')] ?? ''
    const amount = cells[columns.indexOf('amount')] ?? ''
    return `${currency} ${isCurrencyCode(currency) ? parseDecimal(currency, amount).minor : 'unknown'}`
  })
  return totals.toSorted().join(', ')
}

/** Everything in wallets and on hold, by plain SQL. */
async function readOwed(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ total: string }>(
      `select currency || ' ' || sum(balance) as total from ledger.account where kind in ('wallet', 'hold')
        group by currency having sum(balance) <> 0`,
    )
    return rows
      .map(({ total }) => total)
      .toSorted()
      .join(', ')
  } finally {
    await client.end()
  }
}
