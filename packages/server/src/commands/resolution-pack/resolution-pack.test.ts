import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import { callTern } from '@tern/testkit/processes/call-tern'
import { hasPython, packVerifierPath } from '@tern/testkit/python-verifier'
import { temporaryFolder } from '@tern/testkit/temporary-folder'
import { currencyCodes } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLiabilities } from '../../features/liabilities/liabilities.ts'
import { createTransparency } from '../../features/transparency/transparency.ts'
import { connect } from '../../platform/database/db.ts'
import { readRing } from '../audit/seal-counts.ts'
import { manifestName } from './pack-folder.ts'

// The packs are of a copy of books with every kind of movement, as a restored backup is: no product runs on it.

let books: SoundBooks
let pack: string
let logKey: string
let owed: Record<string, string>
let otherSums: Record<string, bigint>

beforeAll(async () => {
  books = await createSoundBooks({ withChecks: true })
  pack = newFolder()
  await books.runOnCopy(async (url) => {
    const pool = connect(url, 4)
    try {
      logKey = await logLiabilities(pool)
      await pool.query(
        `update app_user set name = '=HYPERLINK("x")' where id = (select user_id from wallet order by user_id limit 1)`,
      )
      owed = await readOwed(pool)
      otherSums = await readSums(pool, "not in ('wallet', 'hold')")
      expect(
        await callTern({ DATA_DIR: '/nowhere', DATABASE_URL: url }, 'resolution-pack', '--out', pack),
      ).toMatchObject({
        code: 0,
      })
    } finally {
      await pool.end()
    }
  })
})
afterAll(() => books.drop())

const newFolder = () => path.join(temporaryFolder(), `pack-${randomUUID()}`)

/** Closes the day of the books, and signs the log with its root; returns the log's key. */
async function logLiabilities(pool: pg.Pool): Promise<string> {
  const secret = readRing({ TERN_SECRET: books.secret })
  if (!secret) throw new Error('the books have no secret')
  const transparency = createTransparency({ secret, publicUrl: 'https://tern.example' })
  await transparency.ensureKey(pool)
  const now = () => new Date(Date.now() + 3 * 86_400_000)
  await createLiabilities({ transparency, now }).closeDays(pool)
  await transparency.append(pool)
  return (await transparency.readPolicy(pool)).log
}

/** Sums of ledger accounts by currency, read by plain SQL. */
async function readSums(pool: pg.Pool, kinds: string): Promise<Record<string, bigint>> {
  const { rows } = await pool.query<{ currency: string; sum: bigint }>(
    `select currency, sum(balance) as sum from ledger.account where kind ${kinds} group by 1 having sum(balance) <> 0`,
  )
  return Object.fromEntries(rows.map(({ currency, sum }) => [currency, sum]))
}

async function readOwed(pool: pg.Pool): Promise<Record<string, string>> {
  const sums = await readSums(pool, "in ('wallet', 'hold')")
  return Object.fromEntries(
    currencyCodes.flatMap((code) => (sums[code] === undefined ? [] : [[code, toDecimal(money(code, sums[code]))]])),
  )
}

const read = (name: string, folder = pack) => fs.readFileSync(path.join(folder, name), 'utf8')

/** Reads a file whose cells contain no commas; the quotes of long amounts are left out. */
function readRows(name: string): Record<string, string>[] {
  const [head = '', ...lines] = read(name).replace('\ufeff', '').trimEnd().split('\r\n')
  const split = (line: string) => line.split(',').map((cell) => cell.replaceAll(/["']/g, ''))
  return lines.map((line) => Object.fromEntries(split(line).map((cell, place) => [split(head)[place] ?? '', cell])))
}

/** Runs the second program on a folder; returns its exit code and output. */
const sumPack = (folder: string, ...args: string[]) =>
  new Promise<{ code: number; text: string }>((resolve) => {
    execFile('python3', [packVerifierPath, ...args, folder], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr }),
    )
  })

test('the totals of the pack are the ledger’s to the unit, in every currency', () => {
  expect(Object.keys(owed).length).toBeGreaterThan(3)
  expect(Object.fromEntries(readRows('totals.csv').map(({ currency, amount }) => [currency, amount]))).toEqual(owed)
  const others: Record<string, bigint> = {}
  for (const { currency = '', balance = '' } of readRows('ledger-accounts.csv'))
    others[currency] = (others[currency] ?? 0n) + BigInt(balance.replace('.', ''))
  expect(others).toEqual(otherSums)
})

test.runIf(hasPython)('the second program adds the pack up, with the signature of the log', async () => {
  const { code, text } = await sumPack(pack, '--log', logKey)
  expect(text).toMatch(/holders are owed .*USD.*\nat the end of .*\nThe pack adds up\.\n$/)
  expect(code).toBe(0)
  expect((await sumPack(pack, '--log', `x${logKey}`)).code).toBe(2)
})

test('files are readable by their owner only, and no name can start a formula', () => {
  const files = fs.readdirSync(pack, { recursive: true, encoding: 'utf8' })
  for (const file of files) {
    const stat = fs.statSync(path.join(pack, file))
    expect(stat.mode & 0o777, file).toBe(stat.isDirectory() ? 0o700 : 0o600)
  }
  expect(read('holders.csv')).toContain(`"'=HYPERLINK`)
  expect(read('README.txt')).toContain(logKey)
})

/** Rewrites a file of a copy of the pack, and its line in the manifest, as an operator could. */
function forge(name: string, change: (text: string) => string | undefined): string {
  const folder = newFolder()
  fs.cpSync(pack, folder, { recursive: true })
  const changed = change(read(name))
  const manifest = read(manifestName).split('\n')
  const place = manifest.findIndex((line) => line.endsWith(`  ${name}`))
  if (changed === undefined) {
    fs.rmSync(path.join(folder, name))
    manifest.splice(place, 1)
  } else {
    fs.writeFileSync(path.join(folder, name), changed)
    manifest[place] = `${createHash('sha256').update(changed).digest('hex')}  ${name}`
  }
  fs.writeFileSync(path.join(folder, manifestName), manifest.join('\n'))
  return folder
}

const withoutHolder = (text: string) => text.split('\r\n').toSpliced(1, 1).join('\r\n')
const findProof = () => {
  const line = read(manifestName)
    .split('\n')
    .find((each) => each.includes('  proofs/'))
  return line?.split('  ')[1] ?? ''
}

test.runIf(hasPython)('a holder left out, a lowered amount, and any other change are named', async () => {
  const raised = (text: string) => text.replace(/(\r\n\d+,(?:"[^\r\n]*?"|[^,]*),.*?,)(\d+)(\.\d\d,)/, '$1$29$3')
  const cases: [folder: string, words: RegExp][] = [
    [forge('holders.csv', withoutHolder), /holders\.csv sums to/],
    [forge('holders.csv', withoutHolder), /the tree (?:counts|states)/],
    [
      forge('totals.csv', (text) => text.replace(/\.(\d)/, (_, digit: string) => `.${(Number(digit) + 1) % 10}`)),
      /totals\.csv states/,
    ],
    [forge(findProof(), () => undefined), /has no proof/],
    [
      forge(findProof(), (text) =>
        text.replace(/^(.{60})(.)/, (_, start: string, next: string) => `${start}${next === 'A' ? 'B' : 'A'}`),
      ),
      /holder \d+ /,
    ],
    [
      forge('tree/leaves.csv', (text) => text.replace(/\r\n([0-9a-f]{64}),01/, '\r\n$1,00')),
      /cannot be read|malformed/,
    ],
    [forge('tree/leaves.csv', withoutHolder), /has 255 leaves/],
    [
      forge('logged/leaves.csv', (text) =>
        text.replace(/\r\n([0-9a-f])/, (_, digit: string) => `\r\n${digit === '0' ? '1' : '0'}`),
      ),
      /another root|out of order/,
    ],
    [forge('logged/root.tlog-proof', (text) => text.replace(/index (\d+)/, 'index 1')), /not_included/],
    [forge('holders.csv', raised), /DIFFERS/],
  ]
  for (const [folder, words] of cases) {
    const { code, text } = await sumPack(folder, '--log', logKey)
    expect(text).toMatch(words)
    expect(code).toBe(1)
  }
})

test.runIf(hasPython)('a file that was changed after the manifest is named', async () => {
  const folder = newFolder()
  fs.cpSync(pack, folder, { recursive: true })
  fs.appendFileSync(path.join(folder, 'README.txt'), 'P.S.')
  fs.writeFileSync(path.join(folder, 'more.txt'), '')
  const { code, text } = await sumPack(folder)
  expect(text).toContain('README.txt differs from the manifest')
  expect(text).toContain('more.txt is not in the manifest')
  expect(code).toBe(1)
})

test('a folder with files is refused, and a folder must be named', async () => {
  expect(await callTern({ DATABASE_URL: books.url, DATA_DIR: '/nowhere' }, 'resolution-pack', '--out', pack)).toEqual({
    code: 2,
    text: `${pack} is not empty. Name a new folder, or delete this one.`,
  })
  expect(await callTern({ DATABASE_URL: books.url, DATA_DIR: '/nowhere' }, 'resolution-pack')).toMatchObject({
    code: 2,
  })
})

test('books without a closed day have a pack too', async () => {
  const folder = newFolder()
  expect(
    await callTern({ DATABASE_URL: books.url, DATA_DIR: '/nowhere' }, 'resolution-pack', '--out', folder),
  ).toMatchObject({
    code: 0,
  })
  expect(fs.existsSync(path.join(folder, 'logged'))).toBe(false)
  if (hasPython) expect((await sumPack(folder)).text).toContain('The pack adds up.')
})
