import { afterAll, beforeAll, expect, test } from 'vitest'
import type pg from 'pg'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import { findJournalFaults, isInstalled } from '@tern/testkit/books/journals'
import { connect } from '../../../../platform/database/db.ts'

const canRead = (await isInstalled('hledger', '--version')) && (await isInstalled('bean-check', '--version'))

let books: SoundBooks
let pool: pg.Pool

beforeAll(async () => {
  books = await createSoundBooks({ withChecks: true })
  pool = connect(books.url, 2)
})
afterAll(async () => {
  await pool.end()
  await books.drop()
})

test.runIf(canRead)('hledger and Beancount compute the ledger’s balance of every account and month', async () => {
  const report = await findJournalFaults(pool)
  expect(report.faults).toEqual([])
  expect(report.wallets).toBeGreaterThan(5)
  expect(report.balances).toBeGreaterThan(20)
})
