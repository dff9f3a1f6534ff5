import { verifying } from '@tern/messages/en/web/site/verify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import { connect } from '../../platform/database/db.ts'
import type pg from 'pg'
import type { CurrencyCode } from '@tern/money/currency'
import type { Movement } from './movement.ts'
import { type Period, resolvePeriod } from './period.ts'
import { readMovements, readOpening } from './read-movements.ts'
import { addToSums, type LineFacts, startSums } from './statement-lines.ts'
import { readLines } from './statement.ts'

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

const start = new Date('2000-01-01T00:00:00Z')
const end = new Date('2100-01-01T00:00:00Z')

interface Owner {
  readonly id: string
  readonly userId: bigint
}

const readWallets = async (): Promise<Owner[]> =>
  (await pool.query<Owner>('select id, user_id as "userId" from wallet order by user_id')).rows

async function collect(wallet: Owner, from = start, until = end): Promise<Movement[]> {
  const movements: Movement[] = []
  for await (const movement of readMovements(pool, { wallet, from, until })) movements.push(movement)
  return movements
}

/** Sums of changes, or of their fees, by posting, part and currency. */
function sumChanges(movements: readonly Movement[], pick: 'amount' | 'fee'): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { postingId, changes } of movements) {
    for (const change of changes) {
      const key = `${postingId} ${change.part} ${change.currency}`
      sums.set(key, (sums.get(key) ?? 0n) + change[pick])
    }
  }
  return sums
}

/** The same sums by the ledger's entries; with `counterpart` only those against accounts of this kind. */
async function sumEntries({ id }: Owner, counterpart?: string): Promise<Map<string, bigint>> {
  const { rows } = await pool.query<{ key: string; sum: bigint }>(
    `select e.posting_id || case a.kind when 'hold' then ' on_hold ' else ' available ' end || a.currency as key,
        sum(e.amount) as sum
       from ledger.entry e join ledger.account a on a.id = e.account_id
      where a.kind in ('wallet', 'hold') and split_part(a.name, ':', 2) = $1
        and ($2::text is null or exists (
          select from ledger.entry o join ledger.account c on c.id = o.account_id
           where o.posting_id = e.posting_id and o.leg = e.leg and o.amount = -e.amount and c.kind = $2))
      group by e.posting_id, a.kind, a.currency`,
    [id, counterpart ?? null],
  )
  return new Map(rows.map(({ key, sum }) => [key, sum]))
}

const withoutZeros = (sums: Map<string, bigint>) => Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n))

test('the changes of every kind of movement are those of the ledger, and belong to a transaction', async () => {
  const kinds = new Set<string>()
  for (const wallet of await readWallets()) {
    const movements = await collect(wallet)
    expect(withoutZeros(sumChanges(movements, 'amount'))).toEqual(withoutZeros(await sumEntries(wallet)))
    expect(movements.filter(({ changes, transaction }) => changes.length === 0 || !transaction)).toEqual([])
    for (const { postingKind } of movements) kinds.add(postingKind)
  }
  const { rows } = await pool.query<{ kind: string }>(
    `select distinct p.kind from ledger.posting p join ledger.entry e on e.posting_id = p.id
       join ledger.account a on a.id = e.account_id and a.kind in ('wallet', 'hold')`,
  )
  expect([...kinds].toSorted()).toEqual(rows.map(({ kind }) => kind).toSorted())
  expect(kinds.size).toBeGreaterThan(15)
  // The page /verify names each of them.
  expect([...kinds].filter((kind) => !Object.hasOwn(verifying.kinds, kind))).toEqual([])
})

test('the fees in the changes are those that the ledger booked as fees', async () => {
  let count = 0
  for (const wallet of await readWallets()) {
    const movements = await collect(wallet)
    const charged = movements.filter(({ isInternal }) => !isInternal)
    const booked = withoutZeros(await sumEntries(wallet, 'fee'))
    expect(withoutZeros(sumChanges(charged, 'fee'))).toEqual(booked)
    count += Object.keys(booked).length
    for (const { transaction, changes, isInternal } of movements) {
      for (const { amount, fee } of changes) {
        expect(fee === 0n || fee > 0n === amount > 0n).toBe(true)
        if (isInternal && transaction?.kind !== 'WITHDRAW') expect(fee).toBe(0n)
        if (isInternal && transaction?.kind === 'WITHDRAW') {
          expect(amount > 0n ? fee : -fee).toBe(transaction.fee_amount)
        }
      }
    }
  }
  expect(count).toBeGreaterThan(5)
})

test('an opening and its movements lead to every later balance, in both parts', async () => {
  for (const wallet of await readWallets()) {
    const movements = await collect(wallet)
    const times = movements.map(({ at }) => at.getTime())
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const cut = new Date(times[Math.floor(times.length / 2)] ?? 0)
    const opening = await readOpening(pool, { wallet, at: cut })
    const closing = await readOpening(pool, { wallet, at: end })
    const balances = new Map(opening.map(({ part, currency, balance }) => [`${part} ${currency}`, balance]))
    for (const { changes } of await collect(wallet, cut)) {
      for (const { part, currency, amount, balance } of changes) {
        const before = balances.get(`${part} ${currency}`) ?? 0n
        expect(before + amount).toBe(balance)
        balances.set(`${part} ${currency}`, balance)
      }
    }
    const closingBalances = new Map(closing.map(({ part, currency, balance }) => [`${part} ${currency}`, balance]))
    expect(Object.fromEntries(balances)).toEqual(Object.fromEntries(closingBalances))
    const { rows } = await pool.query<{ key: string; balance: bigint }>(
      `select case kind when 'hold' then 'on_hold ' else 'available ' end || currency as key, balance
         from ledger.account where kind in ('wallet', 'hold') and split_part(name, ':', 2) = $1 and version > 0`,
      [wallet.id],
    )
    expect(Object.fromEntries(closingBalances)).toEqual(
      Object.fromEntries(rows.map(({ key, balance }) => [key, balance])),
    )
    expect([...(await collect(wallet, start, cut)), ...(await collect(wallet, cut))]).toEqual(movements)
  }
})

test('the lines of every statement continue from opening to closing, and its totals add up', async () => {
  const kinds = new Set<string>()
  const now = new Date()
  const period = resolvePeriod({ from: '2020-01-01', to: '2029-12-31' }, now)
  for (const wallet of await readWallets()) {
    for (const { part, currency, balance: closing } of await readOpening(pool, { wallet, at: end })) {
      if (part === 'on_hold') continue
      const lines: LineFacts[] = []
      for await (const more of readLines(pool, { wallet, currency, period })) lines.push(...more.lines)
      let balance = 0n
      const sums = startSums()
      for (const line of lines) {
        balance += line.amount
        expect(line.balance).toBe(balance)
        addToSums(sums, line)
        kinds.add(line.kind)
        expect(line.status).toBe(
          { COMPLETED: 'completed', PENDING: 'pending', FAILED: 'failed' }[line.transaction?.status ?? 'FAILED'],
        )
      }
      expect(balance).toBe(closing)
      expect(sums.moneyIn - sums.moneyOut - sums.fees - sums.putOnHold).toBe(closing)
      expect(sums.lines).toBe(lines.length)
      expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
      for (const { version } of await readVersions(wallet, currency, period)) {
        const rest: LineFacts[] = []
        for await (const more of readLines(pool, { wallet, currency, period, after: version })) rest.push(...more.lines)
        expect(rest).toEqual(lines.slice(lines.length - rest.length))
        expect(rest[0]?.balance ?? closing).toBe((rest[0]?.amount ?? 0n) + (lines.at(-rest.length - 1)?.balance ?? 0n))
      }
    }
  }
  expect([...kinds].toSorted()).toEqual([
    'chargeback',
    'correction',
    'deposit',
    'exchanged_in',
    'exchanged_out',
    'fee',
    'fee_returned',
    'put_on_hold',
    'received',
    'refund',
    'released_from_hold',
    'sent',
    'withdrawal',
  ])
})

/** Every tenth position of a statement at which a page may end. */
async function readVersions(wallet: Owner, currency: CurrencyCode, period: Period) {
  const versions: { version: bigint }[] = []
  for await (const { version } of readLines(pool, { wallet, currency, period })) versions.push({ version })
  return versions.filter((_, index) => index % 10 === 3)
}
