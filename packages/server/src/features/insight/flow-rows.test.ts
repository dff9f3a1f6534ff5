import { type FlowKind, flowKind } from '@tern/contract/insight'
import type { CurrencyCode } from '@tern/money/currency'
import { parseDecimal } from '@tern/money/money'
import { connect } from '../../platform/database/db.ts'
import { createSoundBooks } from '@tern/testkit/books/sound-books'
import { afterAll, expect, test } from 'vitest'
import type { Wallet } from '../wallets/wallets.ts'
import { flowSql } from './flow-rows.ts'
import { findPeriod } from './period.ts'
import { type Figure, readFigure } from './read-figure.ts'
import { readFlows } from './read-flows.ts'

const books = await createSoundBooks()
const pool = connect(books.url, 4)
afterAll(async () => {
  await pool.end()
  await books.drop()
})

const { rows: wallets } = await pool.query<Wallet>(
  'select id, user_id as "userId", name, base_currency as "baseCurrency" from wallet',
)
const limits = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

interface Change {
  readonly id: string
  readonly currency: string
  readonly amount: bigint
}
/** Sums by transaction and currency, without those of zero. */
function bySubject(rows: readonly Change[]): Readonly<Record<string, bigint>> {
  const sums = new Map<string, bigint>()
  for (const { id, currency, amount } of rows) {
    const key = `${id} ${currency}`
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return Object.fromEntries([...sums].filter(([, amount]) => amount !== 0n))
}

test('of every kind of movement, the figures count what the ledger moved', async () => {
  const seenKinds: FlowKind[] = []
  for (const { userId, id } of wallets) {
    const flows: Change[] = []
    for (const kind of flowKind.options) {
      const { rows } = await pool.query<Change>(
        `with ${flowSql(kind)} select id, currency, amount from flow where kind = $4`,
        [userId, ...limits, kind],
      )
      flows.push(...rows)
      if (rows.length > 0) seenKinds.push(kind)
    }
    const entries = await pool.query<Change>(
      `select p.reference as id, a.currency, sum(e.amount) as amount
         from ledger.account a
         join ledger.entry e on e.account_id = a.id
         join ledger.posting p on p.id = e.posting_id
         join transaction t on t.user_id = $1 and t.id = p.reference and t.status = 'COMPLETED'
        where a.kind in ('wallet', 'hold') and split_part(a.name, ':', 2) = $2
        group by 1, 2 having sum(e.amount) <> 0`,
      [userId, id],
    )
    expect(bySubject(flows)).toEqual(bySubject(entries.rows))
  }
  expect(new Set(seenKinds)).toEqual(new Set(flowKind.options))
})

test('transactions that failed or still wait are in no figure', async () => {
  let open = 0
  for (const { userId } of wallets) {
    const { rows } = await pool.query<{ id: string }>(
      `select id from transaction where user_id = $1 and status <> 'COMPLETED'`,
      [userId],
    )
    const openIds = new Set(rows.map(({ id }) => id))
    for (const kind of flowKind.options) {
      const flows = await pool.query<Change>(`with ${flowSql(kind)} select id from flow`, [userId, ...limits])
      expect(flows.rows.filter(({ id }) => openIds.has(id))).toEqual([])
    }
    open += openIds.size
  }
  expect(open).toBeGreaterThan(5)
})

test('a dispute’s refund reduces the spending on the disputed payee, with its fee', async () => {
  const { rows } = await pool.query<{ user_id: bigint; id: string; other: bigint; amount_minor: bigint }>(
    `select d.user_id, y.transaction_id as id, t.recipient_id as other, y.amount_minor
       from dispute d join dispute_posting y on y.dispute_id = d.id and y.kind = 'final'
       join transaction t on t.user_id = d.user_id and t.id = d.transaction_id and t.kind = 'SEND'`,
  )
  const [refund] = rows
  const wallet = wallets.find(({ userId }) => userId === refund?.user_id)
  const period = findPeriod('2026', 'UTC')
  const all = { ...period, from: new Date(0), to: new Date('2100-01-01') }
  const figure = { currency: 'USD', kind: 'spending', category: undefined, party: refund?.other } as const
  const { transactions } = await readFigure(pool, { wallet: wallet!, period: all, figure, after: undefined })
  const shown = transactions.find(({ transaction }) => transaction.id === refund?.id)
  expect(parseDecimal('USD', shown?.amount ?? '').minor).toBe(-(refund?.amount_minor ?? 0n))
})

test('the transactions of each figure add up to it, and the parts to the whole', async () => {
  const period = { ...findPeriod('2026', 'UTC'), from: new Date(0), to: new Date('2100-01-01') }
  let figures = 0
  for (const wallet of wallets) {
    const { balances } = await readFlows(pool, { wallet, period })
    for (const { currency, categories, counterparties, others, own, ...whole } of balances) {
      const sum = (parts: readonly Record<'spending' | 'income', string>[], kind: 'spending' | 'income') =>
        parts.reduce((total, part) => total + parseDecimal(currency, part[kind]).minor, 0n)
      for (const kind of ['spending', 'income'] as const) {
        const minor = parseDecimal(currency, whole[kind]).minor
        expect(sum(categories, kind)).toBe(minor)
        expect(sum([...counterparties, ...(others ? [others] : [])], kind)).toBe(minor)
        for (const { category, ...part } of categories) {
          expect(await sumFigure(wallet, { currency, kind, category, party: undefined })).toBe(part[kind])
          figures++
        }
        for (const { party, ...part } of counterparties) {
          const one = party.id === null ? ('guests' as const) : BigInt(party.id)
          if (party.id === null && kind === 'spending') continue
          expect(await sumFigure(wallet, { currency, kind, category: undefined, party: one })).toBe(part[kind])
          figures++
        }
      }
      for (const { kind, amount } of own) {
        expect(await sumFigure(wallet, { currency, kind, category: undefined, party: undefined })).toBe(amount)
        figures++
      }
    }
  }
  expect(figures).toBeGreaterThan(30)

  async function sumFigure(wallet: Wallet, figure: Figure): Promise<string> {
    const currency: CurrencyCode = figure.currency
    const query = { wallet, period, figure, after: undefined }
    const { sum, transactions, next } = await readFigure(pool, query)
    expect(next).toBeNull()
    const listed = transactions.reduce((total, { amount }) => total + parseDecimal(currency, amount).minor, 0n)
    expect(listed).toBe(parseDecimal(currency, sum ?? '').minor)
    return sum ?? ''
  }
})
