import { randomBytes } from 'node:crypto'
import { callTern } from '@tern/testkit/processes/call-tern'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../platform/database/db.ts'
import { compareBooks } from './compare-books.ts'

const settings = { DATA_DIR: '/nowhere', DATABASE_URL: 'postgres://127.0.0.1:1/none' }

test.each([
  [['--stanza', 'tern', '--to', 'yesterday'], '--to must be a time with its offset, such as 2026-11-29T17:20:00Z.'],
  [
    ['--stanza', 'tern', '--to', '2026-11-29 17:20'],
    '--to must be a time with its offset, such as 2026-11-29T17:20:00Z.',
  ],
  [
    ['--stanza', 'tern', '--to', '2026-02-30T99:00:00Z'],
    '--to must be a time with its offset, such as 2026-11-29T17:20:00Z.',
  ],
  [['--stanza', 'tern', '--to', '2999-01-01T00:00:00Z'], '--to must be in the past.'],
  [['--stanza', 'tern', '--keep'], '--keep needs --folder, where the restored database stays.'],
])('tern drill %j is refused with a sentence', async (parameters, text) => {
  expect(await callTern(settings, 'drill', ...parameters)).toEqual({ code: 2, text })
})

test('tern drill needs the name of a stanza', async () => {
  const { code, text } = await callTern(settings, 'drill')
  expect({ code, text }).toEqual({ code: 2, text: expect.stringMatching(/^npx tern drill --stanza NAME/) })
})

let books: SoundBooks
const later = new Date(Date.now() + 3_600_000)

beforeAll(async () => {
  books = await createSoundBooks()
})
afterAll(() => books.drop())

test('tern drill is refused while the running server has a tablespace', async () => {
  const name = `drill_${randomBytes(4).toString('hex')}`
  const pool = connect(books.url, 1)
  try {
    await pool.query('set allow_in_place_tablespaces = on')
    await pool.query(`create tablespace ${name} location ''`)
    try {
      expect(await callTern({ ...settings, DATABASE_URL: books.url }, 'drill', '--stanza', 'tern')).toEqual({
        code: 2,
        text: expect.stringContaining(`has the tablespace ${name}`),
      })
    } finally {
      await pool.query(`drop tablespace ${name}`)
    }
  } finally {
    await pool.end()
  }
})

/** Compares the books, as restored ones, with a copy that was changed by `sql`. */
const compareWithChanged = (sql: string) =>
  books.runOnCopy(async (url) => {
    const [restored, running] = [connect(books.url, 1), connect(url, 1)]
    try {
      await running.query(`set session_replication_role = replica; ${sql}`)
      return await compareBooks(restored, running, later)
    } finally {
      await restored.end()
      await running.end()
    }
  })

test('restored books that are an earlier state of the running ones differ in nothing', async () => {
  const { accounts, postings, faults } = await compareWithChanged('select')
  expect({ faults, hasAccounts: accounts > 0, hasPostings: postings > 0 }).toEqual({
    faults: [],
    hasAccounts: true,
    hasPostings: true,
  })
})

test.each([
  [
    'a changed balance',
    `update ledger.entry e set balance = e.balance + 1 from ledger.account a
     where e.account_id = a.id and e.version = a.version and a.kind = 'wallet'`,
    'account wallet:',
  ],
  [
    'a removed entry',
    `delete from ledger.entry e using ledger.account a
     where e.account_id = a.id and e.version = a.version and a.kind = 'wallet'`,
    'account wallet:',
  ],
  [
    'a removed posting',
    'delete from ledger.posting where id = (select id from ledger.posting limit 1)',
    'rows of ledger.posting',
  ],
  [
    'a removed transaction',
    'delete from transaction where id = (select id from transaction limit 1)',
    'rows of transaction',
  ],
])('the comparison finds %s', async (_name, sql, words) => {
  const { faults } = await compareWithChanged(sql)
  expect(faults.join('; ')).toContain(words)
})
