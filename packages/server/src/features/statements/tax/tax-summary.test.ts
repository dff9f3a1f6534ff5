import { afterAll, beforeAll, expect, test } from 'vitest'
import type pg from 'pg'
import type { CurrencyCode, FiatCode } from '@tern/money/currency'
import { parseDecimal } from '@tern/money/money'
import { toRateText } from '@tern/money/ratio'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import { connect } from '../../../platform/database/db.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { readPastValues } from '../../exchange/exchange.ts'
import { resolvePeriod } from '../period.ts'
import { readOpening } from '../read-movements.ts'
import { writeTaxCsv } from './tax-csv.ts'
import { readTaxSummary } from './tax-summary.ts'

let books: SoundBooks
let pool: pg.Pool
let now: Date

beforeAll(async () => {
  books = await createSoundBooks({ withChecks: true })
  pool = connect(books.url, 2)
  const { rows } = await pool.query<{ last: Date }>('select max(created_at) as last from ledger.entry')
  now = new Date((rows[0]?.last.getTime() ?? 0) + 1000)
})
afterAll(async () => {
  await pool.end()
  await books.drop()
})

interface Owner {
  readonly id: string
  readonly userId: bigint
  readonly baseCurrency: FiatCode
  readonly username: string
}

const readWallets = async () =>
  (
    await pool.query<Owner>(
      `select w.id, w.user_id as "userId", w.base_currency as "baseCurrency", u.username
         from wallet w join app_user u on u.id = w.user_id order by w.user_id`,
    )
  ).rows

const summarize = (wallet: Owner, year = now.getUTCFullYear()) =>
  readTaxSummary(pool, {
    ...{ wallet, year, messages: currentRequestMessages() },
    period: resolvePeriod({ period: String(year) }, now),
  })

const sum = (currency: CurrencyCode, decimals: readonly string[]) =>
  decimals.reduce((total, decimal) => total + parseDecimal(currency, decimal).minor, 0n)

test('totals of every kind of movement add up to the balances, and lots to what is left', async () => {
  const kinds = new Set<string>()
  for (const wallet of await readWallets()) {
    const { totals, lots, gains, disposals, base_currency: base } = await summarize(wallet)
    for (const { kind } of totals) kinds.add(kind)
    const balances = new Map<CurrencyCode, bigint>()
    for (const { currency, balance } of await readOpening(pool, { wallet, at: now })) {
      balances.set(currency, (balances.get(currency) ?? 0n) + balance)
    }
    for (const [currency, balance] of balances) {
      const own = totals.filter((total) => total.currency === currency)
      expect(
        sum(
          currency,
          own.map(({ amount }) => amount),
        ),
      ).toBe(balance)
      const left = lots.filter((lot) => lot.currency === currency)
      const isCrypto = ['USDT', 'USDC', 'BTC', 'ETH'].includes(currency)
      expect(
        sum(
          currency,
          left.map(({ quantity }) => quantity),
        ),
      ).toBe(isCrypto ? balance : 0n)
    }
    for (const { currency, gain, proceeds, cost } of gains) {
      expect(sum(base, [proceeds, `-${cost}`])).toBe(sum(base, [gain]))
      const own = disposals.filter((disposal) => disposal.currency === currency)
      expect(
        sum(
          base,
          own.map((disposal) => disposal.gain),
        ),
      ).toBe(sum(base, [gain]))
    }
  }
  expect([...kinds].toSorted()).toEqual(
    ['deposit', 'exchanged_in', 'exchanged_out', 'fee', 'received', 'returned', 'sent', 'withdrawal'].toSorted(),
  )
})

test('a purchase costs what was paid with its fee, by the transaction itself', async () => {
  const wallets = await readWallets()
  const anna = wallets.find(({ username }) => username.startsWith('anna'))
  const { lots, totals } = await summarize(anna ?? (wallets[0] as Owner))
  expect(lots.find(({ currency }) => currency === 'BTC')).toMatchObject({ quantity: '0.00007692', cost: '5.05' })
  expect(totals.find(({ currency, kind }) => currency === 'BTC' && kind === 'exchanged_in')).toMatchObject({
    ...{ count: 1, amount: '0.00007692' },
  })
})

test('a year before the wallet is empty, and a file contains every part of the summary', async () => {
  const [wallet] = await readWallets()
  const empty = await summarize(wallet as Owner, now.getUTCFullYear() - 1)
  expect(empty).toMatchObject({ is_final: true, totals: [], gains: [], disposals: [], lots: [] })
  expect(empty.notice).toContain('not tax advice')
  const summaries = await Promise.all((await readWallets()).map((each) => summarize(each)))
  for (const summary of summaries) {
    const text = [...writeTaxCsv(summary)].join('')
    const count = (section: string) => text.match(new RegExp(`^"${section}"`, 'gm'))?.length ?? 0
    expect(count('notice')).toBe(1)
    expect(count('total')).toBe(summary.totals.length)
    expect(count('disposal')).toBe(summary.disposals.length)
    expect(count('remaining_lot')).toBe(summary.lots.length)
  }
})

test('past values are those of the newest fix before the time, and unknown after a week without one', async () => {
  const { rows } = await pool.query<{ as_of: Date }>(
    `select as_of from rate_fix where base = 'BTC' or quote = 'BTC' order by as_of desc limit 1`,
  )
  const newest = rows[0]?.as_of ?? now
  const hour = 3_600_000
  const [atFix, later, muchLater, dollar] = await readPastValues(pool, [
    { currency: 'BTC', at: newest },
    { currency: 'BTC', at: new Date(newest.getTime() + hour) },
    { currency: 'BTC', at: new Date(newest.getTime() + 8 * 24 * hour) },
    { currency: 'USD', at: newest },
  ])
  expect(atFix).toMatchObject({ asOf: newest })
  expect(later).toEqual(atFix)
  expect(muchLater).toBeUndefined()
  expect(dollar && toRateText(dollar.value)).toBe('1.0000')
})
