import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { money } from '@tern/money/money'
import { buildVerifierKey, formatVerifierKey } from '@tern/transparency/note-keys'
import type pg from 'pg'
import { connect, type Db, transact, type Tx } from '../../platform/database/db.ts'
import { amountText } from '../../platform/http/amount.ts'
import { parse, type RunCommand, UsageError } from '../terminal.ts'
import { completeSettings } from '../with-product.ts'
import { readTotals, writeHolders, writeOtherAccounts, writeProviders, writeTotals } from './owed-holders.ts'
import { openPack, type PackFolder, writePackFile } from './pack-folder.ts'
import { writeLoggedTree, writeTree } from './pack-proofs.ts'
import { formatReadme } from './readme.ts'

/** Later than every entry, so that all of them count. */
const endOfTime = new Date('9999-01-01T00:00:00Z')

/** Parses the parameters. Throws UsageError. */
function readFolder(parameters: readonly string[]): string {
  const { values } = parse({ args: [...parameters], options: { out: { type: 'string' } } as const })
  if (values.out === undefined || values.out === '') throw new UsageError()
  return path.resolve(values.out)
}

/** Writes the pack from a database that it only reads, which may be a restored backup without a running product. */
export const run: RunCommand = async ({ environment, print }, parameters) => {
  const folder = readFolder(parameters)
  const pool = connect(completeSettings(environment).DATABASE_URL, 1)
  try {
    const totals = await writePack(pool, folder)
    for (const total of totals) print(`owed: ${total}`)
    print(`The pack is in ${folder}. Check it with packages/transparency/verifier/sum_resolution_pack.py.`)
    return 0
  } finally {
    await pool.end()
  }
}

/** Writes a pack into a folder, all of one moment; returns the totals as texts. Memory is flat in the number of holders. */
export async function writePack(pool: pg.Pool, folder: string): Promise<readonly string[]> {
  const pack = await openPack(folder)
  try {
    return await transact(
      pool,
      async (tx) => {
        // A slow disk does not end the transaction.
        await tx.query('set local idle_in_transaction_session_timeout = 0')
        return writeFiles(pack, tx)
      },
      'begin isolation level repeatable read read only',
    )
  } finally {
    await pack.manifest.close()
  }
}

async function writeFiles(pack: PackFolder, tx: Tx): Promise<readonly string[]> {
  const movedAt = await readLastMovement(tx)
  const totals = await readTotals(tx, endOfTime)
  await writePackFile(pack, 'holders.csv', writeHolders(tx, endOfTime))
  await writePackFile(pack, 'totals.csv', writeTotals(totals))
  await writePackFile(pack, 'providers.csv', await writeProviders(tx))
  await writePackFile(pack, 'ledger-accounts.csv', await writeOtherAccounts(tx))
  const day = movedAt.toISOString().slice(0, 10)
  await writeTree(pack, tx, { day, at: endOfTime, seed: randomBytes(32) })
  const loggedDay = await writeLoggedTree(pack, tx)
  const texts = totals.map(({ currency, amount }) => amountText(money(currency, amount)))
  const readme = formatReadme({ movedAt, totals: texts, loggedDay, logKey: await readPublicKey(tx) })
  await writePackFile(pack, 'README.txt', [readme])
  return texts
}

/** Reads the time of the last movement; the present one if there is none. */
async function readLastMovement(db: Db): Promise<Date> {
  const { rows } = await db.query<{ at: Date }>('select coalesce(max(created_at), now()) as at from ledger.posting')
  return rows[0]?.at ?? new Date()
}

/** Reads the public key of the transparency log, which needs no secret. */
async function readPublicKey(db: Db): Promise<string | undefined> {
  const { rows } = await db.query<{ origin: string; public_key: Buffer }>(
    'select origin, public_key from transparency_key',
  )
  const [key] = rows
  return (
    key && formatVerifierKey(buildVerifierKey({ name: key.origin, type: 1, publicKey: new Uint8Array(key.public_key) }))
  )
}
